// The space of a sweep: computes every point and job from its index. There is no list of jobs anywhere.
//
// An axis without conditions is a dimension of its own. Axes that `when` or `zip` tie together are one
// dimension, whose positions are counted beforehand. So the i-th point is found by division. Filters
// (`exclude`, `constraints`) do not renumber: a rejected index keeps its number, with the reason.
//
// Job indices, by the sweep's order. A position is that of a point as the file lists them: the last axis
// fastest, included points last.
//   shuffle     in blocks of all points, one for each process and cache:
//               job = (process * caches + cache) * raw_points + place; which position has this place is
//               said by a permutation that follows from the sweep's seed and the block's number
//   interleave  the same, but the place is the position
//   sequential  all jobs of a point follow each other: job = (position * caches + cache) * processes +
//               process
//
// Stored rows name jobs by these numbers, so a stored sweep must be read again by the order that it was
// begun with: Replacements::default_order, which is stored with it.
//
// Immutable after construction, and so thread-safe. Costs: O(axes + log blocks) per point, no allocation
// per job beyond the point's own values; a space of 1e9 points is counted in milliseconds when nothing
// filters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "language/sweep.hpp"
#include "shared/base/claim.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct Axis;  // language/space/axis.hpp

// Changes given on the command line; see docs/reference/sweep-language.md.
struct Replacements {
  std::vector<std::string> axes;         // -a 'threads[pow2]=[0:6]', -a 'dtype=[f32]'
  std::vector<std::string> settings;     // --set measure.processes=5
  std::string only;                      // --only 'variant == "blas"' ; empty: all
  std::string sample;                    // --sample 10% ; empty: all
  bool quick = false;                    // --quick
  std::optional<std::uint64_t> point;    // replay: this position is the only one, and has the number 0
  Order default_order = Order::shuffle;  // of the jobs, where neither the file nor `settings` names one
};

struct Point {
  std::vector<Value> values;  // one per Sweep::columns; null: inactive or not set
};

// On which sides of a claim a point stands; the second is `than`.
struct ClaimSides {
  bool first = false, second = false;
};

struct Rejection {
  std::size_t rule = 0;  // position in Expansion::filters()
  std::string reason;    // the constraint's `why`, or its text; for an error in evaluation, that error
};

// One `exclude` entry or constraint (or --only, --sample), for reports.
struct Filter {
  std::string text;
  std::string why;
  Place place;
};

class Expansion {
 public:
  // Reads a sweep file (YAML or JSON). Every error names file, line and column, and what to do.
  static Result<Expansion> read(const std::string& path, const Replacements& replacements);
  // The same from text that was read elsewhere (a stored sweep; a fuzzer). Tables are looked up beside
  // `path`; with an empty path they are refused and no file is opened. `tables`: what came with the text;
  // then they are looked up there, and no file is opened.
  static Result<Expansion> parse(std::string text, const std::string& path,
                                 const Replacements& replacements,
                                 const std::vector<TextFile>* tables = nullptr);

  const Sweep& sweep() const;
  // The axes in the order of the file, with their values.
  const std::vector<Axis>& axes() const;
  // What the user should know although it is no error: a range that misses its end.
  const std::vector<std::string>& notes() const;

  // Points and jobs before filtering. jobs = points * caches * processes.
  std::uint64_t raw_points() const;
  std::uint64_t raw_jobs() const;
  // What the file expects of its results; nothing here depends on it.
  std::size_t claims() const;
  const Claim& claim(std::size_t number) const;
  ClaimSides claim_sides(std::size_t number, const Point& point) const;

  // How many of the points are there by `include`: the last ones.
  std::uint64_t included_points() const;
  // True when nothing filters: the raw counts are the counts.
  bool unfiltered() const;

  // The point at `position` (< raw_points()), filtered or not.
  void point_at(std::uint64_t position, Point& out) const;
  // "variant=onednn dtype=f32 threads=2": for people; computed columns and those that are not set are left
  // out.
  std::string label_of(const Point& point) const;
  // Why that point is not measured; nothing when it is. `scratch` as filled by point_at.
  std::optional<Rejection> rejection(std::uint64_t position, const Point& point) const;
  const std::vector<Filter>& filters() const;

  // Why a host does not meet `requires` for this point: "threads <= host.cores: threads is 64, host.cores
  // is 32";
  // nothing when it does. `fact` answers host.* and gpu.* names; null: the host does not know.
  using HostFacts = std::function<Value(std::string_view)>;
  std::optional<std::string> unmet_requirement(const Point& point, const HostFacts& fact) const;

  struct Job {
    std::uint64_t position = 0;  // of the point
    Cache cache = Cache::hot;
    std::uint32_t process = 0;  // 0 .. processes-1
  };
  Job job_at(std::uint64_t index) const;
  // The numbers of the point's jobs, ascending.
  std::vector<std::uint64_t> jobs_of(std::uint64_t position) const;

  // The rules of a point after overrides. Equal rules have equal numbers; numbers are handed out from 0
  // as rules are met, so `rules(n)` answers for every n that rules_of has returned. Thread-safe.
  std::uint32_t rules_of(const Point& point) const;
  // True when the sweep has no overrides: rules(0) hold everywhere.
  bool uniform_rules() const;
  Rules rules(std::uint32_t number) const;  // `measure.cache` is hot here: the job's own cache is in Job

  // Identity of what the job measures: kernel, parameters that are set, cache, process ordinal, measuring
  // rules, seed. Points of different sweeps that measure the same thing have equal keys. `label` and
  // `count` columns and derived columns are notes and do not count.
  Digest key_of(const Point& point, const Job& job) const;

 private:
  struct Space;
  explicit Expansion(std::shared_ptr<const Space> space);
  std::shared_ptr<const Space> space_;
};

}  // namespace kernsweep
