// The options that say which numbers an answer compares and which rows it uses: --metric, --better, --grade
// and --margin.
#pragma once

#include <string>

#include "cli/grammar/options.hpp"
#include "results/answer/best.hpp"

namespace kernsweep {

class MetricOptions {
 public:
  void declare(Options& to);
  // Fills in metric, counted, better, worst_grade and rules. Errors: a metric that the database does not
  // know, with those that it does; --better for a metric whose direction is known; no such grade, no share.
  Status choose(Reader& reader, BestQuestion& question) const;

 private:
  std::string metric_, better_, grade_, margin_ = "1%";
};

}  // namespace kernsweep
