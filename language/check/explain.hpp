// The output of `kernsweep check` and `kernsweep expand` about a sweep, as data, as text and as JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "language/space/expansion.hpp"
#include "shared/base/instant.hpp"

namespace kernsweep {

struct AxisReport {
  std::string name;
  std::vector<std::string> columns;  // more than the name for a record axis
  std::uint64_t values = 0;
  std::string shown;  // the first values and the last: "1, 2, 4, 8, 16"
  std::string when;   // empty: unconditional
};

struct RuleReport {
  std::string text, why;
  Place place;                 // line 0: given on the command line
  std::uint64_t rejected = 0;  // points that this rule rejected and no earlier one
  double share = 0;            // of all points checked
};

struct ClaimReport {
  std::string name;
  std::string text;          // "faster: variant=blas than variant=naive where threads == 1"
  std::uint64_t first = 0;   // points on its first side, or all its points if it has one side
  std::uint64_t second = 0;  // points on `than`
  bool two_sided = false;
};

struct CheckReport {
  std::string name, kernel, file;
  std::string program;  // the command or function of a `command` or `python` sweep; else empty
  std::vector<AxisReport> axes;
  std::uint64_t raw_points = 0;  // before filters
  std::uint64_t looked_at = 0;   // how many of these were checked
  bool exact = true;  // false: counting stopped at the limit; points, jobs, rejected are lower bounds
  std::uint64_t points = 0, jobs = 0, rejected = 0;
  std::uint64_t jobs_most = 0;  // with `processes_most`
  std::uint64_t builds = 0;     // different commands of `build`; a lower bound if not exact
  std::string first_build;
  std::uint32_t processes = 0;       // of each point
  std::uint32_t processes_most = 0;  // of a point whose comparison is not decided; otherwise `processes`
  std::vector<std::string> caches;
  Order order = Order::shuffle;
  std::uint64_t seed = 0;
  std::uint64_t order_seed = 0;  // 0: drawn when the sweep starts
  // The columns that are the problem (language/check/problem.hpp); nullopt: not known. The caller, which
  // has the list of kernels, sets it.
  std::optional<std::vector<std::string>> problem;
  std::vector<RuleReport> rules;
  std::vector<std::string> requirements;
  std::vector<std::string> depends;
  std::vector<ClaimReport> claims;
  bool claims_exact = true;  // false: the counts of points of claims are lower bounds
  std::vector<std::string> notes;
  // How long the counted jobs take on one idle host: at least; and at most, unless single calls, inputs or
  // references take seconds. See estimate().
  double seconds = 0, seconds_most = 0;
  // The estimate from jobs of an earlier sweep of this name, and which jobs: "the 12 jobs of gemm@3 in
  // gemm.db"; 0: there is none. The caller, which has the results, sets it.
  double learned_s = 0;
  std::string learned_from;
  bool quick = false;
};

// How long one job takes on an idle host. least: the shortest warm-up and sampling. most: with set-up, the
// usual maximum of warm-up and sampling, and a tenth of the jobs twice.
struct Estimate {
  double least = 0, most = 0;  // seconds
};
Estimate estimate(const Rules& rules);
// How many points, as rows of what a command prints, share its runs; 1: each has its own.
std::uint64_t rows_of_a_run(const Expansion& expansion);
// How long it takes to start the processes of `jobs` jobs, at most.
double seconds_of_starts(const Expansion& expansion, std::uint64_t jobs);
// "25 s to 1 min 40 s"; one of them if both are the same text.
std::string text_of_range(double least_s, double most_s);

struct CheckLimits {
  std::uint64_t points = 50'000'000;
  Duration time = std::chrono::seconds(10);
  std::function<Instant()> now = monotonic_now;
};

// Counts the points of each claim that are not rejected.
void count_claims(const Expansion& expansion, const CheckLimits& limits, CheckReport& report);
// "faster: variant=blas than variant=naive, 2 to 4 times, where threads == 1"
std::string text_of(const Claim& claim);

// Counts by arithmetic if there are no filters and no overrides, otherwise point by point up to `limits`.
CheckReport check_report(const Expansion& expansion, const CheckLimits& limits = {});
std::string to_text(const CheckReport& report);
// One object, indented, with the keys points, jobs, rejected, exact and others.
std::string to_json(const CheckReport& report);

struct ExpandedPoint {
  std::uint64_t position = 0;
  Point point;
  std::optional<Rejection> rejection;
  std::vector<std::uint64_t> jobs;  // indices of its jobs, if they were requested
};

// Calls `take` for every point in order, rejected ones with their reason, until it returns false.
// `with_jobs`: adds the indices of the jobs of points that are measured.
void expand(const Expansion& expansion, bool with_jobs,
            const std::function<bool(const ExpandedPoint&)>& take);
// "17  variant=blas threads=3  jobs 5, 40", without columns that are null; for a rejected point followed by
// "  rejected: <rule>: <reason>".
std::string to_text(const Expansion& expansion, const ExpandedPoint& expanded);
// {"point": 17, "values": {"variant": "blas", "threads": 3}} in one line; a rejected point has "rejected"
// and "rule", any other "jobs": [5, 40] if they were requested.
std::string to_json(const Expansion& expansion, const ExpandedPoint& expanded);

}  // namespace kernsweep
