// The space of a sweep: computes every point and job from its index. No list of jobs exists.
//
// An axis without conditions is a dimension of its own. Axes that `when` or `zip` connects are one
// dimension, whose positions are counted in advance. So the i-th point is found by division. Filters
// (`exclude`, `constraints`) do not change numbers: a rejected point keeps its index and has the reason.
//
// Job indices, by the sweep's order. A position is that of a point in the order of the file: the last axis
// varies fastest, and included points come last.
//   shuffle     in blocks of all points, one for each process and cache state:
//               job = (process * caches + cache) * raw_points + place. A permutation, which follows from
//               the order's seed and the block's number, gives the position at each place. That seed is
//               drawn when the sweep begins; until then the sweep's own seed is in its place.
//   interleave  the same, but the place is the position
//   sequential  all jobs of a point follow each other: job = (position * caches + cache) * processes +
//               process
//
// Stored rows refer to jobs by these numbers, so a stored sweep must be read with the order that it was
// started with: Replacements::default_order, order_seed, small_sweeps and decide_small, which are stored
// with it.
//
// Immutable after construction, and so thread-safe. A point costs O(axes + log blocks) and allocates only
// its own values; a space of 1e9 points is counted in milliseconds if there are no filters.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "language/space/left_out.hpp"
#include "language/sweep.hpp"
#include "shared/base/claim.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct Axis;      // language/space/axis.hpp
struct Document;  // language/file/document.hpp
struct Node;      // language/file/yaml_tree.hpp

// Changes given on the command line; see docs/reference/sweep-language.md.
struct Replacements {
  std::vector<std::string> axes;         // -a 'threads[pow2]=[0:6]', -a 'dtype=[f32]'
  std::vector<std::string> settings;     // --set measure.processes=5
  std::string only;                      // --only 'variant == "blas"' ; empty: all
  std::string sample;                    // --sample 10% ; empty: all
  bool quick = false;                    // --quick
  std::optional<std::uint64_t> point;    // for a replay: the only point, whose position becomes 0
  Order default_order = Order::shuffle;  // of the jobs, if neither the file nor `settings` gives one
  std::uint64_t order_seed = 0;          // also if not given; 0: not drawn yet
  bool small_sweeps = true;              // more processes for small sweeps: language/plan/blocks.cpp
  bool decide_small = true;              // and stop when decided; false: they have a fixed number
  bool decide = false;                   // --decide: large sweeps also stop when decided
  std::vector<LeftOut> left_out = {};    // known before the sweep starts; not an option
};

struct Point {
  std::vector<Value> values;  // one per Sweep::columns; null: inactive or not set
};

// The sides of a claim that a point is on; the second is `than`.
struct ClaimSides {
  bool first = false, second = false;
};

struct Rejection {
  std::size_t rule = 0;  // position in Expansion::filters()
  std::string reason;    // the constraint's `why`, or its text, or the error of its evaluation
};

// One `exclude` entry or constraint (or --only, --sample), for reports.
struct Filter {
  std::string text;
  std::string why;
  Place place;
};

// One `verify.reference` of the sweep or of an override.
struct SweepReference {
  ReferenceRule rule;
  std::string where;                            // "gemm.yaml:9:3"
  std::map<std::string, std::string> where_of;  // by column, of each value of a setting
};

// The reference of one point.
struct ReferenceAt {
  std::string text;  // of a command or a file: filled in; a file's path is relative to the worker's folder
  // For a setting: the columns that differ from the point's, and their values.
  std::vector<std::pair<std::uint32_t, Value>> replaced;
};

class Expansion {
 public:
  // Reads a sweep file (YAML or JSON). Every error names file, line and column, and what to do.
  static Result<Expansion> read(const std::string& path, const Replacements& replacements);
  // The same from text that was read elsewhere (a stored sweep; a fuzzer). Tables are searched in the
  // folder of `path`; with an empty path they are rejected and no file is opened. `tables`: if given,
  // tables are taken from there, and no file is opened.
  static Result<Expansion> parse(std::string text, const std::string& path,
                                 const Replacements& replacements,
                                 const std::vector<TextFile>* tables = nullptr);

  // The same from a tree whose nodes have places of their own, such as arguments of the command line;
  // `text` is its text, which is stored. Tables are relative to `directory`.
  static Result<Expansion> of_tree(Node root, std::string text, const Replacements& replacements);

  // The same with another seed of the order. 0: the sweep's own seed.
  Expansion ordered_by(std::uint64_t order_seed) const;

  const Sweep& sweep() const;
  // The axes in the order of the file, with their values.
  const std::vector<Axis>& axes() const;
  // Notes for the user that are not errors: a range that misses its end.
  const std::vector<std::string>& notes() const;

  // Number of points and jobs before filtering. jobs = points * caches * processes.
  std::uint64_t raw_points() const;
  std::uint64_t raw_jobs() const;
  // The claims of the file; they change no point and no job.
  std::size_t claims() const;
  const Claim& claim(std::size_t number) const;
  ClaimSides claim_sides(std::size_t number, const Point& point) const;

  // Number of points that `include` adds; they are the last ones.
  std::uint64_t included_points() const;
  // True if there are no filters: the raw counts are the counts.
  bool unfiltered() const;

  // The point at `position` (< raw_points()), rejected or not.
  void point_at(std::uint64_t position, Point& out) const;
  // "variant=onednn dtype=f32 threads=2": for display, without computed columns and columns that are not
  // set.
  std::string label_of(const Point& point) const;
  // Why that point is not measured; nothing if it is. `point` must be filled by point_at.
  std::optional<Rejection> rejection(std::uint64_t position, const Point& point) const;
  const std::vector<Filter>& filters() const;

  // Why a host does not meet `requires` for this point: "threads <= host.cores: threads is 64, host.cores
  // is 32"; nothing if it does. `fact` returns the value of a host.* or gpu.* name; null if it is not
  // known.
  using HostFacts = std::function<Value(std::string_view)>;
  std::optional<std::string> unmet_requirement(const Point& point, const HostFacts& fact) const;

  struct Job {
    std::uint64_t position = 0;  // of the point
    Cache cache = Cache::hot;
    std::uint32_t process = 0;  // 0 .. processes-1
  };
  Job job_at(std::uint64_t index) const;
  // The indices of the point's jobs, ascending.
  std::vector<std::uint64_t> jobs_of(std::uint64_t position) const;

  // The number of the point's rules after overrides. Equal rules have equal numbers, which are assigned
  // from 0 in the order in which rules occur; `rules(n)` accepts every n that rules_of has returned.
  // Thread-safe.
  std::uint32_t rules_of(const Point& point) const;
  // True if the sweep has no overrides: rules(0) apply to all points.
  bool uniform_rules() const;
  const std::vector<SweepReference>& references() const;
  ReferenceAt reference_at(const Point& point, const ReferenceRule& rule) const;
  Rules rules(std::uint32_t number) const;  // `measure.cache` is always hot; see Job::cache

  // Identity of what the job measures: kernel, parameters that are set, cache state, process number,
  // measuring rules, seed. Points of different sweeps that measure the same have equal keys. `label` and
  // `count` columns and derived columns are notes and are left out.
  Digest key_of(const Point& point, const Job& job) const;

 private:
  struct Space;
  static Result<Expansion> of_document(Document document, const Replacements& replacements);
  Expansion(std::shared_ptr<const Space> space, std::uint64_t order_seed);
  std::shared_ptr<const Space> space_;
  std::uint64_t order_seed_;
};

}  // namespace kernsweep
