#include "results/answer/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "results/answer/best/best_groups.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/distributions.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

AmdahlFit fit_amdahl(std::span<const double> threads, std::span<const double> seconds, double alpha) {
  AmdahlFit fit;
  if (std::set<double>(threads.begin(), threads.end()).size() < 2) return fit;
  // Divided by the time, each equation is a / t + b x / t = 1, with errors of equal size.
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const double u = 1 / seconds[i], v = 1 / (threads[i] * seconds[i]);
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u1 += u;
    v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  const double a = (u1 * vv - v1 * uv) / determinant, b = (v1 * uu - u1 * uv) / determinant;
  if (!(determinant > 0) || !(a + b > 0)) return fit;
  fit.serial = a / (a + b);
  double squares = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const double off = (a + b / threads[i]) / seconds[i] - 1;
    squares += off * off;
    fit.off = std::max(fit.off, std::abs(off));
  }
  if (threads.size() < 3) return fit;
  const double degrees = static_cast<double>(threads.size()) - 2, variance = squares / degrees;
  // For s = a / (a + b): its derivatives are b and -a, over (a + b)^2.
  const double scale = (a + b) * (a + b), by_a = b / scale, by_b = -a / scale;
  const double of_serial =
      variance * (by_a * by_a * vv - 2 * by_a * by_b * uv + by_b * by_b * uu) / determinant;
  const double half = students_t_bound(alpha, degrees) * std::sqrt(std::max(0.0, of_serial));
  fit.bounds = {fit.serial - half, fit.serial + half};
  return fit;
}

namespace {

constexpr double kThreadsMost = 1e6;

class ScalingSearch {
 public:
  ScalingSearch(const SweepRows& rows, BestGroups& groups, const ScalingQuestion& question,
                std::size_t axis, ScalingAnswer& answer)
      : rows_(rows), groups_(groups), question_(question), axis_(axis), answer_(answer) {}

  // Error: a value of the axis is not a number from 1 to kThreadsMost.
  Status fill(const std::vector<std::string>& hosts) {
    for (const Group& group : groups_.groups()) {
      ScalingSeries series;
      std::map<double, std::uint32_t> by_threads;
      for (const std::uint32_t i : group.members) {
        const Value& value = rows_.value(groups_.candidates()[i].point, axis_);
        if (value.is_null()) continue;  // this setting does not have the axis
        if (!value.number() || !(*value.number() >= 1) || !(*value.number() <= kThreadsMost))
          return failure(fmt::format("'{}' is '{}' for result {}: speedups are over numbers from 1 to {:g}",
                                     answer_.axis, one_line(value.to_text(), 60),
                                     groups_.candidates()[i].result, kThreadsMost));
        const auto [at, added] = by_threads.try_emplace(*value.number(), i);
        if (!added && groups_.better(i, at->second)) at->second = i;
      }
      if (by_threads.size() < 2) {
        ++answer_.single;
        continue;
      }
      const Candidate& first = groups_.candidates()[group.members.front()];
      for (std::size_t c = 0; c < rows_.columns.size(); ++c)
        if (c != axis_) series.of.emplace_back(rows_.columns[c].name, rows_.value(first.point, c));
      series.of.emplace_back("cache", rows_.places[first.place].cache);
      series.of.emplace_back("host", hosts[rows_.places[first.place].spot]);
      add_points(by_threads, series);
      answer_.series.push_back(std::move(series));
    }
    return Done{};
  }

 private:
  void add_points(const std::map<double, std::uint32_t>& by_threads, ScalingSeries& series) const {
    const auto& [fewest, base] = *by_threads.begin();
    std::vector<double> threads, seconds;
    for (const auto& [count, index] : by_threads) {
      const Candidate& candidate = groups_.candidates()[index];
      ScalingPoint point{.threads = count,
                         .median_s = candidate.median_s,
                         .processes = candidate.processes,
                         .result = candidate.result,
                         .disturbed = groups_.disturbed(index)};
      point.speedup = groups_.candidates()[base].median_s / candidate.median_s;
      if (index != base) point.bounds = bounds(index, base, point.speedup);
      point.efficiency = point.speedup * fewest / count;
      series.points.push_back(point);
      if (!groups_.evidence().known(index)) continue;
      for (const double log : groups_.evidence().logs(index)) {
        threads.push_back(count / fewest);
        seconds.push_back(std::exp(log));
      }
    }
    series.fit = fit_amdahl(threads, seconds, question_.of.rules.alpha);
  }

  Interval bounds(std::uint32_t index, std::uint32_t base, double ratio) const {
    const BestEvidence& evidence = groups_.evidence();
    if (!evidence.known(index) || !evidence.known(base)) return {0, HUGE_VAL};
    const Interval found =
        weigh(evidence.way(index), evidence.way(base), evidence.spread(), question_.of.rules).ratio;
    return {std::min(found.low, ratio), std::max(found.high, ratio)};
  }

  const SweepRows& rows_;
  BestGroups& groups_;
  const ScalingQuestion& question_;
  std::size_t axis_;
  ScalingAnswer& answer_;
};

}  // namespace

Result<ScalingAnswer> scaling(Reader& reader, const ScalingQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.of.sweep));
  ScalingQuestion asked = question;
  asked.of.rules = rules_for(sweep.record, asked.of.rules);
  KS_ASSIGN_OR_RETURN(const auto known, reader.columns(sweep.id));
  const auto named = columns_named(known, {asked.axis}, sweep.record.name);
  if (!named) return failure(named.error().message + "; --axis names the one with the numbers of threads");
  if (named->front().problem)
    return failure(
        fmt::format("'{}' is part of the problem, and a speedup is of one problem; --axis names a "
                    "setting, such as threads",
                    asked.axis));
  std::vector<SweepColumn> columns;
  std::ranges::copy_if(known, std::back_inserter(columns), [&](const SweepColumn& column) {
    return !column.derived || column.problem || column.name == asked.axis;
  });
  KS_ASSIGN_OR_RETURN(const auto rows,
                      read_chosen_rows(reader, sweep, known, std::move(columns), "", asked.where));
  ScalingAnswer answer;
  answer.axis = asked.axis;
  answer.alpha = asked.of.rules.alpha;
  answer.about = answer_about(sweep, asked.of);
  std::vector<std::size_t> by;
  std::size_t axis = 0;
  for (std::size_t c = 0; c < rows.columns.size(); ++c)
    if (rows.columns[c].name == asked.axis)
      axis = c;
    else
      by.push_back(c);
  KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader, sweep));
  answer.about.all_other_outputs = outputs.warned();
  KS_ASSIGN_OR_RETURN(auto groups, BestGroups::make(reader, sweep, rows, by, asked.of, answer.about));
  KS_ASSIGN_OR_RETURN(const auto hosts, host_of_spots(reader, rows));
  KS_RETURN_IF_ERROR(ScalingSearch(rows, groups, asked, axis, answer).fill(hosts));
  take_same(answer.series, &ScalingSeries::of, answer.everywhere);
  return answer;
}

}  // namespace kernsweep
