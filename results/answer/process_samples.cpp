#include "results/answer/process_samples.hpp"

#include <string>

#include "shared/base/try.hpp"

namespace kernsweep {

Result<SampleSpreads> read_sample_spreads(Reader& reader, const StoredSweep& sweep) {
  SampleSpreads all;
  KS_RETURN_IF_ERROR(reader.connection().each_row(
      {"o.result", "o.process", "r.min_s", "r.q1_s", "r.q3_s", "r.max_s", "r.flops", "r.bytes",
       "r.samples"},
      "from outcome o left join attempt_row r on r.result = o.result where o.status = 'ok' and "
      "o.sweep_id = " +
          std::to_string(sweep.id.value),
      [&](const sqlite::Row& row) {
        all[static_cast<std::uint64_t>(row.integer(0))] = {.min_s = row.real(2),
                                                           .q1_s = row.real(3),
                                                           .q3_s = row.real(4),
                                                           .max_s = row.real(5),
                                                           .flops = row.real(6),
                                                           .bytes = row.real(7),
                                                           .process = std::uint64_t(row.integer(1)),
                                                           .samples = std::uint64_t(row.integer(8))};
      }));
  return all;
}

namespace {

RowGroups jobs_of_candidates(const SweepRows& rows, std::vector<std::uint32_t>& candidate_of) {
  const auto all = candidates_of(
      rows, [](const SweepRows::Job&) { return true; }, candidate_of);
  return RowGroups(candidate_of, static_cast<std::uint32_t>(all.size()));
}

}  // namespace

JobsOfPoints::JobsOfPoints(const SweepRows& rows)
    : rows_(rows), jobs_(jobs_of_candidates(rows, candidate_of_)) {
  for (std::uint32_t candidate = 0; candidate < jobs_.size(); ++candidate)
    for (const std::uint32_t job : jobs_.of(candidate)) by_result_[rows.jobs[job].result].push_back(job);
}

std::uint32_t JobsOfPoints::next_of(std::uint64_t result) {
  const auto found = by_result_.find(result);
  if (found == by_result_.end() || found->second.empty()) return std::uint32_t(rows_.jobs.size());
  const std::uint32_t job = found->second.front();
  found->second.erase(found->second.begin());
  return job;
}

}  // namespace kernsweep
