// Answers as text for people: what --json leaves whole is shortened here to what a reader wants to see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/answer/best.hpp"
#include "results/answer/sweep_effects.hpp"
#include "results/read/reader.hpp"

namespace kernsweep {

// The table of `answer`. With two rows or more, problem columns that are the same in all of them are told
// once above it: "everywhere: n=1024 k=1024". Without a row, one line that says why and what to ask next.
// Columns without any value are left out.
std::string text_of(const BestAnswer& answer, const std::string& database, std::size_t rows_max);

// "5 of 12 jobs left out: 2 failed, 3 graded below B", and where problems have no row for their grades, how
// many and what shows them (`shown_by`: a command, or an option). A line each.
std::string text_of_left_out(const BestAnswer& answer, const std::string& shown_by);
// The command that shows rows graded C.
std::string best_with_grade_c(const std::string& database);

// The effects that hold whatever the problem, at most `effects_max`, and the names of the settings that
// have none. Empty without effects.
std::string text_of(const std::vector<Effect>& effects, std::size_t effects_max);

// The reasons of the jobs that have no accepted result, most frequent first; empty when all have one.
Result<std::string> text_of_failures(Reader& reader, SweepId sweep);

}  // namespace kernsweep
