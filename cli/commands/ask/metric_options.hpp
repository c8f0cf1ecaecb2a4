// The options for the numbers that an answer compares and the rows that it uses: --metric, --better,
// --grade and --margin.
#pragma once

#include <string>

#include "cli/grammar/options.hpp"
#include "results/answer/best/best.hpp"

namespace kernsweep {

class MetricOptions {
 public:
  void declare(Options& to);
  // Fills in metric, counted, better, worst_grade and rules. Errors: a metric that the database does not
  // have, with those that it has; --better for a metric whose direction is known; an invalid grade or
  // share.
  Status choose(Reader& reader, BestQuestion& question) const;

 private:
  std::string metric_, better_, grade_, margin_ = "1%";
};

}  // namespace kernsweep
