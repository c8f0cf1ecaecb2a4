// Everything that is known about one result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/read/reader.hpp"

namespace kernsweep {

struct Shown {
  struct Section {
    std::string title;  // "result", "point", "measured", "process", "host", "software", "input A", ...
    std::vector<std::pair<std::string, Value>> entries;
  };
  std::vector<Section> sections;
  std::vector<double> samples;  // seconds per call, in the order measured
};

// `which`: the number of a result, or "<sweep>/<job>" with a sweep as Reader::find_sweep takes it ("/7":
// job 7 of the newest sweep). Errors: there is no such result, or the database cannot be read.
Result<Shown> show(Reader& reader, const std::string& which);

// Grades a shown result so at best, for a reason that was not known when its grade was stored.
void lower_grade(Shown& shown, char grade, const std::string& reason);

}  // namespace kernsweep
