#include "results/read/sweep_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "results/read/file_order.hpp"
#include "results/read/software_classes.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Row;

namespace {

constexpr std::size_t kPlacesMax = UINT16_MAX;
constexpr std::size_t kReservedMax = 1'000'000;

// Most sweeps read their points in ascending order, so that 16 adjacent points get adjacent table entries.
std::uint32_t hash_of_position(std::uint64_t position) {
  return CodeTable::hash_of(position >> 4) * 16 + static_cast<std::uint32_t>(position & 15);
}

class RowReading {
 public:
  RowReading(Reader& reader, const StoredSweep& sweep, std::vector<SweepColumn> columns)
      : reader_(reader), sweep_(sweep.id), points_(std::max<std::uint64_t>(sweep.record.raw_points, 1)) {
    rows_.columns = std::move(columns);
    const auto is_variant = [](const SweepColumn& column) { return column.stored == "variant"; };
    const auto found = std::ranges::find_if(rows_.columns, is_variant);
    rows_.variant = static_cast<std::size_t>(found - rows_.columns.begin());
    if (found == rows_.columns.end()) rows_.columns.push_back({"variant", "variant", "variant"});
    rows_.values.resize(rows_.columns.size());
    for (std::size_t c = 0; c < rows_.columns.size(); ++c)
      if (is_number_word(rows_.columns[c].stands_for)) rows_.values[c].read_words();
    // Reserved memory that is never touched costs nothing; moving rows to a larger block does.
    const std::size_t likely = std::min(sweep.record.raw_jobs, kReservedMax);
    rows_.jobs.reserve(likely);
    rows_.positions.reserve(likely);
    rows_.codes.reserve(std::min(likely * rows_.columns.size(), 16 * kReservedMax));
  }

  Result<SweepRows> all(const std::string& extra, KeptJobs kept) {
    KS_ASSIGN_OR_RETURN(host_kinds_, host_kinds(reader_));
    KS_ASSIGN_OR_RETURN(classes_, software_classes(reader_));
    std::vector<std::string> wanted = {"o.status",
                                       "o.point",
                                       "o.median_s",
                                       "o.gflops",
                                       "o.grade",
                                       "o.result",
                                       "o.cache",
                                       "o.host_id",
                                       "o.software_id",
                                       "o.job_host",
                                       extra.empty() ? "null" : extra,
                                       "o.process"};
    KS_ASSERT(wanted.size() == kFixed);
    for (const SweepColumn& column : rows_.columns) wanted.push_back("o." + column.stored);
    const std::string joined = extra.empty() ? ""
                                             : "left join attempt_row r on r.result = o.result "
                                               "left join conditions c on c.result = o.result ";
    KS_ASSIGN_OR_RETURN(const auto order, file_order(reader_.connection(), sweep_));
    const bool sorted = order.empty();
    const std::size_t at_block = wanted.size();
    if (!sorted) wanted.push_back(fmt::format("o.job / {}", points_));
    KS_RETURN_IF_ERROR(reader_.connection().each_row(
        wanted, fmt::format("from outcome o {}where o.sweep_id = {}", joined, sweep_.value),
        [&](const Row& row) {
          ++rows_.read;
          const Outcome outcome = outcome_named(row.text(0)).value_or(Outcome::cancelled);
          rows_.not_ok += outcome == Outcome::ok ? 0 : 1;
          if (outcome != Outcome::ok && kept == KeptJobs::ok) return;
          add(row, outcome);
          if (!sorted) blocks_.push_back(static_cast<std::uint64_t>(row.integer(at_block)));
        }));
    if (!sorted) sort_as_listed();
    return std::move(rows_);
  }

 private:
  static constexpr std::size_t kFixed = 12;  // columns before the point's values

  void add(const Row& row, Outcome outcome) {
    const auto position = static_cast<std::uint64_t>(row.integer(1));
    const std::uint32_t point = point_at(position);
    if (point == rows_.positions.size()) {
      rows_.positions.push_back(position);
      for (std::size_t c = 0; c < rows_.columns.size(); ++c)
        rows_.codes.push_back(rows_.values[c].of(row.cell(kFixed + c)));
    }
    const std::string_view grade = row.text(4);
    rows_.jobs.push_back({point, place(row), grade.empty() ? '\0' : grade[0], outcome, row.real(2),
                          row.real(3), static_cast<std::uint64_t>(row.integer(5)), row.real(10),
                          static_cast<std::uint32_t>(row.integer(11))});
  }

  // The index of this point in rows_.positions, or the next free index if the point is new. Most sweeps
  // list the points in ascending order, and again for each process; only others need the hash table.
  std::uint32_t point_at(std::uint64_t position) {
    const auto count = static_cast<std::uint32_t>(rows_.positions.size());
    if (cursor_ < count && rows_.positions[cursor_] == position) return cursor_++;
    cursor_ = count;
    if (count == 0 || position > largest_) {
      largest_ = position;
      return cursor_++;
    }
    const auto number = [&](std::uint64_t wanted) {
      return known_points_.number(hash_of_position(wanted),
                                  [&](std::uint32_t p) { return rows_.positions[p] == wanted; });
    };
    while (known_points_.size() < count) number(rows_.positions[known_points_.size()]);
    cursor_ = number(position);
    return cursor_++;
  }

  // Sorts the points by position and the jobs by block and point, and renumbers the codes of values in that
  // order. A sort by the database takes twice as long.
  void sort_as_listed() {
    const std::size_t count = rows_.positions.size(), width = rows_.columns.size();
    std::vector<std::uint32_t> listed(count), rank(count);
    std::iota(listed.begin(), listed.end(), 0U);
    std::ranges::sort(listed, {}, [this](std::uint32_t card) { return rows_.positions[card]; });
    std::vector<std::uint64_t> positions(count);
    std::vector<std::uint32_t> codes(count * width);
    for (std::uint32_t i = 0; i < count; ++i) {
      rank[listed[i]] = i;
      positions[i] = rows_.positions[listed[i]];
      std::copy_n(&rows_.codes[listed[i] * width], width, &codes[i * width]);
    }
    for (std::size_t c = 0; c < width; ++c) {
      std::vector<std::uint32_t> met, now(rows_.values[c].values().size(), UINT32_MAX);
      for (std::size_t at = c; at < codes.size(); at += width) {
        std::uint32_t& number = now[codes[at]];
        if (number == UINT32_MAX) {
          number = static_cast<std::uint32_t>(met.size());
          met.push_back(codes[at]);
        }
        codes[at] = number;
      }
      rows_.values[c] = rows_.values[c].renumbered(met);
    }
    rows_.positions = std::move(positions);
    rows_.codes = std::move(codes);
    for (SweepRows::Job& job : rows_.jobs) job.point = rank[job.point];
    std::vector<std::uint32_t> order(rows_.jobs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, {}, [this](std::uint32_t job) { return std::pair(blocks_[job], rows_.jobs[job].point); });
    std::vector<SweepRows::Job> jobs;
    jobs.reserve(order.size());
    for (const std::uint32_t job : order) jobs.push_back(rows_.jobs[job]);
    rows_.jobs = std::move(jobs);
  }

  std::uint16_t place(const Row& row) {
    const Measured here{caches_.of(row.cell(6)), row.integer(7), row.integer(8), row.integer(9)};
    if (last_ < rows_.places.size() && here == last_measured_) return last_;
    last_measured_ = here;
    // With `hosts: each` a point is measured on every host, so equal hosts are kept apart.
    const std::int64_t host = here.job_host > 0 ? here.host_id : first_of(host_kinds_, here.host_id);
    const std::int64_t software = first_of(classes_, here.software_id);
    const auto next_spot = static_cast<std::uint16_t>(std::min(spots_.size(), kPlacesMax));
    const std::uint16_t spot = spots_.try_emplace({here.cache, host}, next_spot).first->second;
    const auto next = static_cast<std::uint16_t>(std::min(rows_.places.size(), kPlacesMax));
    const auto [at, added] = known_.try_emplace({spot, software}, next);
    // Beyond this limit places are merged into one; no known sweep comes near it.
    if (added && rows_.places.size() <= kPlacesMax)
      rows_.places.push_back(
          {caches_.values()[here.cache], here.cache, here.host_id, here.software_id, host, software, spot});
    rows_.spots = static_cast<std::uint16_t>(std::min(spots_.size(), kPlacesMax));
    return last_ = at->second;
  }

  static std::int64_t first_of(const std::map<std::int64_t, std::int64_t>& kinds, std::int64_t id) {
    const auto at = kinds.find(id);
    return at == kinds.end() ? id : at->second;
  }

  struct Measured {
    std::uint32_t cache = 0;
    std::int64_t host_id = 0, software_id = 0, job_host = 0;
    friend bool operator==(const Measured&, const Measured&) = default;
  };

  Reader& reader_;
  SweepId sweep_;
  std::uint64_t points_;               // of a block
  std::vector<std::uint64_t> blocks_;  // of each job in `rows_`; only filled if the rows must be sorted
  SweepRows rows_;
  std::uint32_t cursor_ = 0;   // one more than the point index of the previous row
  std::uint64_t largest_ = 0;  // largest position so far
  CodeTable known_points_;     // finds point indices by position; filled only when it is needed
  ValueCodes caches_;
  std::map<std::int64_t, std::int64_t> host_kinds_, classes_;              // by id
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint16_t> spots_;  // by cache and kind of host
  std::map<std::pair<std::uint16_t, std::int64_t>, std::uint16_t> known_;  // places, by spot and class
  Measured last_measured_;
  std::uint16_t last_ = 0;
};

double median_of(std::vector<double>& numbers) {
  std::erase_if(numbers, [](double x) { return std::isnan(x); });
  if (numbers.empty()) return kUnknown;
  std::ranges::sort(numbers);
  return quantile_of_sorted(numbers, 0.5);
}

}  // namespace

Result<SweepRows> read_rows(Reader& reader, const StoredSweep& sweep, std::vector<SweepColumn> columns,
                            const std::string& extra, KeptJobs kept) {
  return RowReading(reader, sweep, std::move(columns)).all(extra, kept);
}

std::vector<Candidate> candidates_of(const SweepRows& rows,
                                     const std::function<bool(const SweepRows::Job&)>& keep,
                                     std::vector<std::uint32_t>& of_job) {
  std::vector<Candidate> all;
  all.reserve(rows.positions.size());
  of_job.assign(rows.jobs.size(), UINT32_MAX);
  const bool one_each = rows.jobs.size() == rows.positions.size();  // every point has one job
  CodeTable known;
  bool alone = true;
  for (std::size_t i = 0; i < rows.jobs.size(); ++i) {
    const SweepRows::Job& job = rows.jobs[i];
    if (!keep(job)) continue;
    auto at = static_cast<std::uint32_t>(all.size());
    if (!one_each)
      at = known.number(hash_of_position(job.point * rows.places.size() + job.place),
                        [&](std::uint32_t other) {
                          return all[other].point == job.point && all[other].place == job.place;
                        });
    if (at == all.size())
      all.push_back({job.point, job.place, 0, job.median_s, job.gflops, job.result, job.extra});
    else
      alone = false;
    ++all[at].processes;
    of_job[i] = at;
  }
  if (alone) return all;
  // Group the jobs by candidate with a counting sort.
  std::vector<std::size_t> next(all.size() + 1, 0);
  for (std::size_t i = 0; i < all.size(); ++i) next[i + 1] = next[i] + all[i].processes;
  std::vector<const SweepRows::Job*> ordered(next.back());
  for (std::size_t i = 0; i < rows.jobs.size(); ++i)
    if (of_job[i] != UINT32_MAX) ordered[next[of_job[i]]++] = &rows.jobs[i];
  std::vector<double> medians, rates, extras;
  std::size_t from = 0;
  for (Candidate& candidate : all) {
    const std::size_t end = from + candidate.processes;
    medians.clear(), rates.clear(), extras.clear();
    for (; from < end; ++from) {
      medians.push_back(ordered[from]->median_s);
      rates.push_back(ordered[from]->gflops);
      extras.push_back(ordered[from]->extra);
    }
    candidate.median_s = median_of(medians);
    candidate.gflops = median_of(rates);
    candidate.extra = median_of(extras);
  }
  return all;
}

std::vector<char> of_several_software(const SweepRows& rows, const std::vector<Candidate>& candidates) {
  if (rows.places.size() == rows.spots) return {};
  std::vector<char> several(candidates.size(), 0);
  std::unordered_map<std::uint64_t, std::size_t> first;
  bool any = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::uint64_t where =
        std::uint64_t{candidates[i].point} << 16 | rows.places[candidates[i].place].spot;
    const auto [at, added] = first.try_emplace(where, i);
    if (added) continue;
    several[i] = several[at->second] = 1;
    any = true;
  }
  if (!any) several.clear();
  return several;
}

}  // namespace kernsweep
