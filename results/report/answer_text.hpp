// Answers as text for the user, shortened; --json prints them in full.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/answer/best/sweep_effects.hpp"
#include "results/read/reader.hpp"

namespace kernsweep {

// The table of `answer`. With two rows or more, a problem column whose value is equal in all rows is
// printed once above the table: "everywhere: n=1024 k=1024". Columns without any value are left out. If
// there is no row, the text gives the reasons and the command to use next.
std::string text_of(const BestAnswer& answer, const std::string& database, std::size_t rows_max);

// "everywhere: m=1 n=2\n"; empty: nothing is the same everywhere.
std::string text_of_everywhere(const NamedValues& everywhere);

// "5 of 12 jobs left out: 2 failed, 3 graded below B". A second line follows if problems have no row
// because of their grades: how many, and the command or option that shows them (`shown_by`). For imported
// results there is a line about that.
std::string text_of_left_out(const BestAnswer& answer, const std::string& shown_by);
// Which results are not credible, and why; empty if there are none.
std::string text_of(const std::vector<Implausible>& all);
// The command that shows rows graded C.
std::string best_with_grade_c(const std::string& database);

// At most `effects_max` of the effects that hold for all problems (is_clear), and the names of the settings
// without such an effect. Empty if there is none.
std::string text_of(const SweepEffects& found, std::size_t effects_max);
// How to get more processes of its points: "run --set measure.processes=N measures more", or for imported
// results, what to do in the other program.
std::string text_of_more_processes(const std::string& imported_from);

// Statuses and reasons of the jobs whose outcome is not ok, most frequent first; empty if there are none.
Result<std::string> text_of_failures(Reader& reader, SweepId sweep);
// For programs: the notes that request an action: "3 jobs: 2 threads on 1 core; add threads: 2", "1 job:
// the cleanup failed: ..."; empty if there are none.
Result<std::string> text_of_end_notes(Reader& reader, SweepId sweep);

}  // namespace kernsweep
