// Everything that is known about one result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/read/reader.hpp"

namespace kernsweep {

struct Shown {
  struct Section {
    std::string title;  // "result", "point", "measured", "process", "host", "software", "input A", ...
    NamedValues entries;
  };
  std::vector<Section> sections;
  std::vector<double> samples;  // seconds per call, in the order measured
};

// `which`: the number of a result, or "<sweep>/<job>" with a sweep in the form of Reader::find_sweep ("/7":
// job 7 of the newest sweep). Errors: there is no such result, or the database cannot be read.
Result<Shown> show(Reader& reader, const std::string& which);

// The number of the result; 0: it has none.
std::uint64_t result_of(const Shown& shown);
// The newest sweep that uses it, which may also have other jobs and settings. Nothing: no sweep does,
// because its job was retried. Error: the database cannot be read.
Result<std::optional<StoredSweep>> newest_sweep_of(const Shown& shown, Reader& reader);

// Lowers the grade of a shown result to at most `grade`, for a reason that was not known when its grade was
// stored.
void lower_grade(Shown& shown, char grade, const std::string& reason);

}  // namespace kernsweep
