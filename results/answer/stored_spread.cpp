#include "results/answer/stored_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <unordered_map>

#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// Limits for earlier sweeps: their number, and points and processes of each. Rows are read by the primary
// key, so that a large file costs no more than a small one.
constexpr std::int64_t kEarlierSweeps = 6, kEarlierPoints = 1000, kEarlierBlocks = 8;

std::string key_of(const StoredSpread::Stratum& stratum) {
  return fmt::format("{}\n{}\n{}", stratum.threads.to_text(), stratum.cache.to_text(),
                     stratum.host.to_text());
}

std::uint64_t hash_of_logs(std::vector<double> logs) {
  std::ranges::sort(logs);
  std::uint64_t hash = logs.size();
  for (const double log : logs) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(log)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

double mean_of(std::span<const double> logs) {
  double sum = 0;
  for (const double log : logs) sum += log;
  return sum / static_cast<double>(logs.size());
}

}  // namespace

Status add_earlier_sweeps(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                          ProcessSpread& spread) {
  KS_ASSIGN_OR_RETURN(const auto earlier,
                      reader.query(fmt::format(
                          "select id, raw_points from sweep where id < {} and kernel = {} order by id desc "
                          "limit {}",
                          sweep.id.value, schema::literal(sweep.record.kernel), kEarlierSweeps)));
  if (earlier.rows.empty()) return Done{};
  // A result that several sweeps share counts once, for the newest of them.
  std::unordered_set<std::uint64_t> counted;
  for (const SweepRows::Job& job : rows.jobs) counted.insert(job.result);
  std::set<std::int64_t> hosts;
  for (const SweepRows::Place& place : rows.places) hosts.insert(place.host_id);
  std::map<std::array<std::int64_t, 5>, std::vector<double>> points;
  for (const auto& row : earlier.rows) {
    const auto id = static_cast<std::int64_t>(row[0].number().value_or(0));
    const auto raw_points = static_cast<std::int64_t>(row[1].number().value_or(0));
    const std::int64_t step = raw_points > 0 ? raw_points : kEarlierPoints;
    for (std::int64_t block = 0; block < kEarlierBlocks; ++block) {
      KS_RETURN_IF_ERROR(reader.connection().each_row(
          {"o.point", "o.host_id", "o.software_id", "o.cache", "o.median_s", "o.result"},
          fmt::format(
              "from outcome o where o.sweep_id = {} and o.job between {} and {} and o.status = 'ok' "
              "and o.median_s > 0 and not o.quick and coalesce(o.grade, 'A') <= 'B'",
              id, block * step, block * step + std::min(step, kEarlierPoints) - 1),
          [&](const sqlite::Row& found) {
            if (!hosts.contains(found.integer(1)) ||
                !counted.insert(static_cast<std::uint64_t>(found.integer(5))).second)
              return;
            const auto cache = static_cast<std::int64_t>(std::hash<std::string_view>{}(found.text(3)));
            points[{id, found.integer(0), found.integer(1), found.integer(2), cache}].push_back(
                std::log(found.real(4)));
          }));
    }
  }
  for (const auto& [point, logs] : points) spread.add_earlier(logs);
  return Done{};
}

std::uint32_t StoredSpread::number_of(const Stratum& stratum) {
  return strata_.try_emplace(key_of(stratum), static_cast<std::uint32_t>(strata_.size())).first->second;
}

Status StoredSpread::add(Reader& reader, const StoredSweep& sweep, char worst_grade) {
  KS_ASSIGN_OR_RETURN(auto columns, reader.columns(sweep.id));
  std::erase_if(columns, [](const SweepColumn& column) { return column.name != "threads"; });
  KS_ASSIGN_OR_RETURN(const auto rows, read_rows(reader, sweep, std::move(columns)));
  KS_ASSIGN_OR_RETURN(const auto hosts, reader.query("select id, fingerprint from host"));
  std::map<std::int64_t, Value> fingerprints;
  for (const auto& row : hosts.rows)
    fingerprints[static_cast<std::int64_t>(row[0].number().value_or(0))] = row[1];
  std::unordered_map<std::uint64_t, std::vector<double>> points;
  for (const SweepRows::Job& job : rows.jobs) {
    if (!std::isnormal(job.median_s) || job.median_s < 0 || job.grade > worst_grade) continue;
    points[std::uint64_t{job.point} << 16 | job.place].push_back(std::log(job.median_s));
  }
  const std::size_t threads = rows.column_named("threads");
  std::vector<std::uint64_t> hashes;  // points of one sweep may have equal times
  for (const auto& [at, logs] : points) {
    const std::uint64_t hash = hash_of_logs(logs);
    hashes.push_back(hash);
    if (seen_.contains(hash)) continue;
    const SweepRows::Place& place = rows.places[at & 0xFFFF];
    const auto point = static_cast<std::uint32_t>(at >> 16);
    const Stratum stratum{threads == rows.columns.size() ? Value() : rows.value(point, threads),
                          place.cache, fingerprints[place.host_id]};
    spread_.add(logs, number_of(stratum));
  }
  seen_.insert(hashes.begin(), hashes.end());
  return add_earlier_sweeps(reader, sweep, rows, spread_);
}

WayTimes StoredSpread::way(std::span<const double> logs, const Stratum& stratum) const {
  const auto found = strata_.find(key_of(stratum));
  // A stratum without points gets the expected variance of all points together.
  const std::uint32_t number = found == strata_.end() ? UINT32_MAX : found->second;
  return {.logs = logs, .expected = spread_.expected(number, mean_of(logs))};
}

}  // namespace kernsweep
