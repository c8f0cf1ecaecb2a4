#include "results/answer/claims/claim_spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include "results/answer/stored_spread.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// Points with the same number of threads, in one state of the caches, on one host.
std::vector<std::uint32_t> strata_of_points(const ClaimRows& rows) {
  const auto threads = std::ranges::find(rows.names, "threads") - rows.names.begin();
  const auto column = static_cast<std::size_t>(threads);
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> numbers;
  std::vector<std::uint32_t> strata;
  for (std::size_t p = 0; p < rows.points.size(); ++p) {
    const std::uint32_t code = column == rows.names.size() ? 0 : rows.code(p, column);
    const auto next = static_cast<std::uint32_t>(numbers.size());
    strata.push_back(
        numbers.try_emplace({code, rows.points[p].cache, rows.points[p].host}, next).first->second);
  }
  return strata;
}

}  // namespace

Result<ClaimSpread> ClaimSpread::make(Reader& reader, const StoredSweep& sweep, const ClaimRows& rows,
                                      const std::function<double(const ClaimJob&)>& number_of,
                                      bool earlier) {
  std::vector<std::vector<double>> logs(rows.points.size());
  for (const ClaimJob& job : rows.jobs) {
    const double number = number_of(job);
    if (std::isnormal(number) && number > 0) logs[job.point].push_back(std::log(number));
  }
  ClaimSpread made;
  const std::vector<std::uint32_t> strata = strata_of_points(rows);
  std::vector<double> means;
  for (std::size_t p = 0; p < logs.size(); ++p) {
    made.spread_.add(logs[p], strata[p]);
    double sum = 0;
    for (const double log : logs[p]) sum += log;
    means.push_back(logs[p].empty() ? 0 : sum / static_cast<double>(logs[p].size()));
  }
  if (earlier) {
    std::set<std::int64_t> hosts;
    for (const Value& host : rows.hosts.values())
      hosts.insert(static_cast<std::int64_t>(host.number().value_or(0)));
    const auto own = [&] {
      std::unordered_set<std::uint64_t> results;
      for (const ClaimJob& job : rows.jobs) results.insert(job.result);
      return results;
    };
    KS_RETURN_IF_ERROR(add_earlier_sweeps(reader, sweep, hosts, own, made.spread_));
  }
  made.spread_.fit();
  for (std::size_t p = 0; p < logs.size(); ++p)
    made.expected_.push_back(made.spread_.expected(strata[p], means[p]));
  return made;
}

}  // namespace kernsweep
