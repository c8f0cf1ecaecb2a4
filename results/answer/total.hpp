// What a network takes whose layers are the problems of a sweep: each layer so often as its `count` says.
//
// Three totals. With the best setting of each layer; with one choice for all layers (a variant, or other
// settings that are held fixed), its other settings the best of each layer; and mixed where that is shown:
// the choice, but in layers where the contest of `best` (results/answer/best_groups.hpp) leaves no point of
// it among those that may be the best, the point that leads there. The first is the sum of numbers that
// were picked because they are small, so it is rather too low; the third is not picked so.
//
// The interval of a total follows from the errors of its points, each with its share of the total as
// weight; that of the ratio of two totals is made by shared/stats/mean_ratio.hpp, where a point that stands
// in both errs in both. Points of different layers are taken to err independently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/best.hpp"
#include "shared/stats/mean_ratio.hpp"

namespace kernsweep {

struct TotalQuestion {
  BestQuestion of;                 // its metric, `by` and `rows_max` are not looked at
  std::vector<std::string> layer;  // columns that tell the layers of a network apart, settings too
  std::uint64_t layers = 0;        // how many a network has; 0: not known
  std::vector<std::string> table;  // columns of the table that has the counts
  std::vector<std::string> same = {"variant"};  // what one choice holds fixed; no part of the problem
  std::string where;                            // SQL over the columns of the sweep's view; empty: all jobs
};

// A point of a layer.
struct TotalPoint {
  std::string setting;  // variant and the settings that differ: "onednn layout=nhwc threads=2"
  double median_s = kUnknown;
  std::uint32_t processes = 0;
  std::uint64_t result = 0;
  bool disturbed = false;  // measured only under disturbance
};

struct TotalLayer {
  std::vector<Value> values;  // of TotalAnswer::layer
  double count = 0;           // of the layer in the network
  TotalPoint best;
  std::string verdict;  // of the contest, as `best` has it; empty: there is none
  double share = 0;     // of the total of the best ones
  TotalPoint single;    // with the best choice; no setting: it has no result here
  bool shown = false;   // the contest leaves the choice's point out of what may be the best
};

struct TotalTime {
  double seconds = kUnknown;
  Interval bounds{kUnknown, kUnknown};  // confidence 1 - alpha
};

// One total over another one; above 1: it saves time.
struct TotalRatio {
  MeanRatio of;
  bool shown = false;  // above 1 beyond the margin, by the rules of MeanRatio
};

struct TotalChoice {
  std::vector<Value> values;  // of TotalAnswer::same
  TotalTime time;             // NaN unless `layers` is all that there are
  std::uint64_t layers = 0;   // that have a result with it
  TotalRatio slower;          // than the best choice, which has 1
};

// One network: problems of one value of all other columns of the problem; of one state of the caches and
// one host. A column of the table that follows from the layer, as `m` may from `label`, tells no networks
// apart.
struct TotalNetwork {
  NamedValues of;                    // these; those that are the same in all are left out
  std::vector<TotalLayer> layers;    // in the order of the sweep
  TotalTime best;                    // of each layer
  std::vector<TotalChoice> choices;  // complete ones first, by their times
  bool has_single = false;           // the first choice is complete
  TotalRatio best_saves;             // against the best choice
  TotalTime mixed;                   // where that is shown
  TotalRatio mixed_saves;
  std::uint64_t others = 0, shown = 0;  // layers whose best is no point of the choice; where that is shown
};

struct TotalAnswer {
  BestAnswer about;  // what was counted and left out; its rows are not filled in
  std::vector<std::string> layer, same;
  std::uint64_t layers = 0;         // as asked
  std::vector<std::string> follow;  // columns of the table that follow from the layer
  double margin = 0, alpha = 0;
  std::vector<TotalNetwork> networks;
};

// Errors: no such sweep or column; the sweep has no column `count`; a count is not above zero; a column of
// the problem or of the layers is held fixed; `where` is not SQL or fits no job.
Result<TotalAnswer> total(Reader& reader, const TotalQuestion& question);

}  // namespace kernsweep
