// The time of a network whose layers are the problems of a sweep: each layer as often as its `count`.
//
// There are three totals: with the best setting of each layer; with one choice for all layers (a variant,
// or other settings that are held fixed), whose other settings are the best of each layer; and mixed: the
// choice, except in layers where the contest of `best` (results/answer/best/best_groups.hpp) excludes all
// its points from those that could be best; there the leading point is used. The first is a sum of numbers
// that were chosen because they are small, so it tends to be too low; the third is not.
//
// The interval of a total follows from the errors of its points, each weighted by its share of the total;
// the interval of the ratio of two totals is computed by shared/stats/mean_ratio.hpp, where a point that
// occurs in both has the same error in both. Points of different layers are assumed to have independent
// errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/best/best.hpp"
#include "shared/stats/mean_ratio.hpp"

namespace kernsweep {

struct TotalQuestion {
  BestQuestion of;                 // its metric; `by` and `rows_max` are not used
  std::vector<std::string> layer;  // columns that distinguish the layers of a network, settings too
  std::uint64_t layers = 0;        // how many a network has; 0: not known
  std::vector<std::string> table;  // columns of the table that has the counts
  std::vector<std::string> same = {"variant"};  // the settings that a choice holds fixed
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
  std::vector<Value> values;  // values of TotalAnswer::layer
  double count = 0;           // of the layer in the network
  TotalPoint best;
  std::string verdict;  // of the contest, as in `best`; empty: there is none
  double share = 0;     // of the total with the best points
  TotalPoint single;    // with the best choice; no setting: it has no result here
  bool shown = false;   // the contest excludes the choice's point from those that could be best
};

struct TotalTime {
  double seconds = kUnknown;
  Interval bounds{kUnknown, kUnknown};  // confidence 1 - alpha
};

// The ratio of two totals; above 1: it saves time.
struct TotalRatio {
  MeanRatio of;
  bool shown = false;  // above 1 beyond the margin, by the rules of MeanRatio
};

struct TotalChoice {
  std::vector<Value> values;  // values of TotalAnswer::same
  TotalTime time;             // NaN unless `layers` is the number of all layers
  std::uint64_t layers = 0;   // number of layers with a result
  TotalRatio slower;          // than the best choice, whose ratio is 1
};

// One network: problems with the same value in all other columns of the problem, in one cache state and on
// one host. A column of the table that follows from the layer, as `m` may from `label`, does not
// distinguish networks.
struct TotalNetwork {
  NamedValues of;                    // these; those that are the same in all are left out
  std::vector<TotalLayer> layers;    // in the order of the sweep
  TotalTime best;                    // of each layer
  std::vector<TotalChoice> choices;  // complete ones first, by their times
  bool has_single = false;           // the first choice is complete
  TotalRatio best_saves;             // against the best choice
  TotalTime mixed;                   // where that is shown
  TotalRatio mixed_saves;
  std::uint64_t others = 0, shown = 0;  // layers with a best point of another choice; shown ones
};

struct TotalAnswer {
  BestAnswer about;  // the counts and what was left out; without rows
  std::vector<std::string> layer, same;
  std::uint64_t layers = 0;         // as requested
  std::vector<std::string> follow;  // columns of the table that follow from the layer
  double margin = 0, alpha = 0;
  std::vector<TotalNetwork> networks;
};

// Errors: no such sweep or column; the sweep has no column `count`; a count is not above zero; a column of
// the problem or of the layers is held fixed; `where` is not valid SQL or selects no job.
Result<TotalAnswer> total(Reader& reader, const TotalQuestion& question);

}  // namespace kernsweep
