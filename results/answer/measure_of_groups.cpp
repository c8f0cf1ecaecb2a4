#include "results/answer/measure_of_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "results/answer/best/best_metric.hpp"
#include "results/answer/process_samples.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// The group of each point, by the values of `by`.
std::vector<std::uint32_t> groups_of(const SweepRows& rows, const std::vector<SweepColumn>& by) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < rows.columns.size(); ++c)
    if (std::ranges::find(by, rows.columns[c].stored, &SweepColumn::stored) != by.end())
      columns.push_back(c);
  const std::size_t width = columns.size();
  std::vector<std::uint32_t> codes;
  for (std::uint32_t point = 0; point < rows.positions.size(); ++point) {
    for (const std::size_t column : columns) codes.push_back(rows.code(point, column));
    codes.push_back(0);  // so that without columns there is one group
  }
  RowNumbers numbers(width + 1, width + 1);
  return numbers.numbers(codes);
}

// Whether two points of one group have different numbers. NaN differs from all numbers.
bool differs(const std::vector<std::uint32_t>& groups, const auto& number_of) {
  std::unordered_map<std::uint32_t, double> first;
  for (std::uint32_t point = 0; point < groups.size(); ++point) {
    const double number = number_of(point);
    if (first.try_emplace(groups[point], number).first->second != number) return true;
  }
  return false;
}

// Operations and bytes of one call, per point, from its last job; 0: not known, or none.
struct Work {
  std::vector<double> flops, bytes;
};

Result<Work> work_of(Reader& reader, const StoredSweep& sweep, const SweepRows& rows) {
  KS_ASSIGN_OR_RETURN(const auto spreads, read_sample_spreads(reader, sweep));
  Work work{std::vector<double>(rows.positions.size()), std::vector<double>(rows.positions.size())};
  for (const SweepRows::Job& job : rows.jobs) {
    const SampleSpread& of = spreads.at(job.result);
    work.flops[job.point] = of.flops > 0 ? of.flops : 0;  // NULL is NaN
    work.bytes[job.point] = of.bytes > 0 ? of.bytes : 0;
  }
  return work;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(std::span(names).first(names.size() - 1), ", "), names.back());
}

std::string names_of(const std::vector<SweepColumn>& by) {
  std::string names;
  for (const SweepColumn& column : by) names += (names.empty() ? "" : ",") + column.name;
  return names;
}

bool all_above_zero(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double number) { return number > 0; });
}

}  // namespace

Result<CommonMeasure> common_measure(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                     const std::vector<SweepColumn>& by, const BestQuestion& question) {
  CommonMeasure asked{question.metric, {}};
  if (question.metric == BestMetric::gflops || question.metric == BestMetric::gbps ||
      question.metric == BestMetric::counted)
    return asked;
  const std::vector<std::uint32_t> groups = groups_of(rows, by);
  std::vector<std::string> differ;
  for (std::size_t c = 0; c < rows.columns.size(); ++c)
    if (rows.columns[c].problem &&
        differs(groups, [&](std::uint32_t point) { return rows.code(point, c); }))
      differ.push_back(rows.columns[c].name);
  if (differ.empty()) return asked;
  KS_ASSIGN_OR_RETURN(const auto work, work_of(reader, sweep, rows));
  const bool has_flops = all_above_zero(work.flops), has_bytes = all_above_zero(work.bytes);
  const std::vector<double>& amount = has_flops ? work.flops : work.bytes;
  if ((has_flops || has_bytes) && !differs(groups, [&](std::uint32_t point) { return amount[point]; }))
    return asked;
  std::vector<std::string> whole;
  for (const SweepColumn& column : by) whole.push_back(column.name);
  whole.insert(whole.end(), differ.begin(), differ.end());
  const std::string reason = fmt::format("--by {} mixes problems ({} {})", names_of(by), listed(differ),
                                         differ.size() == 1 ? "differs" : "differ");
  const std::string remedy = fmt::format("use --by {}", fmt::join(whole, ","));
  if (!has_flops && !has_bytes)
    return failure(
        fmt::format("{}, and their work is unknown, so neither times nor rates can be compared; {}, or "
                    "--metric NAME with a rate that the kernel reports",
                    reason, remedy));
  const BestMetric rate = has_flops ? BestMetric::gflops : BestMetric::gbps;
  if (question.metric != BestMetric::median_s)
    return failure(fmt::format("{}, and their work differs, so {} cannot be compared; {}, or --metric {}",
                               reason, name_in(question), remedy, name_of(rate)));
  return CommonMeasure{rate, std::move(differ)};
}

}  // namespace kernsweep
