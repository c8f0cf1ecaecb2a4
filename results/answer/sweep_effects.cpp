#include "results/answer/sweep_effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "results/answer/best_evidence.hpp"
#include "results/read/sweep_rows.hpp"
#include "shared/stats/distributions.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr double kAlpha = 0.01;  // two-sided, of the interval of a mean

// Running geometric mean of ratios, and how sure it is.
struct Ratios {
  double sum_of_logs = 0;
  double least = 0, most = 0;
  std::uint64_t count = 0;
  // Of the differences of logarithms: the sum of their variances, and of the squared variances of the
  // points over their degrees of freedom (Welch and Satterthwaite).
  double variances = 0, squares = 0;
  std::size_t fewest_processes = SIZE_MAX;

  void add(double ratio) {
    least = count == 0 ? ratio : std::min(least, ratio);
    most = count == 0 ? ratio : std::max(most, ratio);
    sum_of_logs += std::log(ratio);
    ++count;
  }
  void add(const Centre& point) {
    variances += point.variance;
    squares += point.variance * point.variance / point.degrees;
    fewest_processes = std::min(fewest_processes, point.processes);
  }
  Interval bounds(double gap) const {
    // The variance of a point with one process is known only if the sweep lets expect one.
    if (fewest_processes == SIZE_MAX || !std::isfinite(variances)) return {0, HUGE_VAL};
    const auto sets = static_cast<double>(count);
    const double degrees = std::min(1000.0, variances * variances / squares);
    double half = students_t_bound(kAlpha, degrees) * std::sqrt(variances) / sets;
    if (fewest_processes < kRankProcessesLeast) half = std::max(half, gap / std::sqrt(sets));
    const double mean = sum_of_logs / sets;
    return exp_of(mean - half, mean + half);
  }
};

// Rows that agree in all columns but one: those of set s are rows[begins[s]] up to rows[begins[s + 1]].
struct MatchedSets {
  std::vector<std::size_t> begins;
  std::vector<std::uint32_t> rows;

  // For each set of two rows or more: use(first, end) of its rows.
  void each(const auto& use) const {
    for (std::size_t s = 0; s + 1 < begins.size(); ++s)
      if (begins[s + 1] - begins[s] > 1) use(&rows[begins[s]], rows.data() + begins[s + 1]);
  }
};

// Counted twice instead of sorted: the rows of a set stay in their order.
MatchedSets matched(const Observations& all, std::size_t column) {
  const std::size_t width = all.columns.size();
  RowNumbers numbers(width, column);
  std::vector<std::uint32_t> set_of;
  set_of.reserve(all.seconds.size());
  for (std::size_t row = 0; row < all.seconds.size(); ++row)
    set_of.push_back(numbers.number(&all.codes[row * width]));
  MatchedSets sets;
  if (numbers.size() == set_of.size()) return sets;  // every row is alone
  sets.begins.assign(numbers.size() + 1, 0);
  for (const std::uint32_t set : set_of) ++sets.begins[set + 1];
  for (std::size_t s = 1; s < sets.begins.size(); ++s) sets.begins[s] += sets.begins[s - 1];
  std::vector<std::size_t> next = sets.begins;
  sets.rows.resize(set_of.size());
  for (std::uint32_t row = 0; row < set_of.size(); ++row) sets.rows[next[set_of[row]]++] = row;
  return sets;
}

void effects_of(const Observations& all, std::size_t column, std::vector<Effect>& out) {
  const auto& values = all.values[column];
  if (values.size() < 2) return;
  const MatchedSets sets = matched(all, column);
  const auto unset = std::ranges::find(values, Value());
  const auto code_of = [&](std::uint32_t row) { return all.codes[row * all.columns.size() + column]; };
  // Which value is the baseline: "not set" where it competes with another, otherwise the first that
  // competes.
  std::vector<char> competes(values.size(), 0);
  sets.each([&](const std::uint32_t* from, const std::uint32_t* end) {
    for (; from != end; ++from) competes[code_of(*from)] = 1;
  });
  auto baseline = static_cast<std::size_t>(unset - values.begin());
  if (baseline == values.size() || !competes[baseline])
    baseline = static_cast<std::size_t>(std::ranges::find(competes, 1) - competes.begin());
  if (baseline == values.size()) return;
  std::vector<Ratios> ratios(values.size());
  sets.each([&](const std::uint32_t* from, const std::uint32_t* end) {
    const auto* base = std::find_if(from, end, [&](std::uint32_t row) { return code_of(row) == baseline; });
    if (base == end) return;
    for (; from != end; ++from) {
      if (code_of(*from) == baseline) continue;
      Ratios& of = ratios[code_of(*from)];
      of.add(all.seconds[*base] / all.seconds[*from]);
      if (all.centres.empty()) continue;
      of.add(all.centres[*base]);
      of.add(all.centres[*from]);
    }
  });
  for (std::size_t code = 0; code < ratios.size(); ++code)
    if (const Ratios& ratio = ratios[code]; ratio.count > 0)
      out.push_back({all.columns[column], values[baseline], values[code],
                     std::exp(ratio.sum_of_logs / static_cast<double>(ratio.count)), ratio.least,
                     ratio.most, ratio.count, ratio.bounds(all.gap)});
}

// Sizes are left out: that a larger problem takes longer says nothing about the machine. Types are of
// interest.
bool wanted(const SweepColumn& column, const std::vector<Value>& values) {
  if (!describes_problem(column)) return true;
  return std::ranges::all_of(values, [](const Value& v) { return v.is_null() || v.text(); });
}

// The sweep's points: cache and host are columns like any other, processes have become their median. What
// was measured by several pieces of software is held against points of the same software only.
Result<Observations> observed(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                              std::size_t columns, char worst_grade, bool& shortened) {
  const auto kept = [worst_grade](const SweepRows::Job& job) {
    return job.median_s > 0 && job.grade <= worst_grade;  // no grade counts as a good one
  };
  auto points = candidates_of(rows, kept);
  shortened = points.size() > kEffectsPointsMax;
  if (shortened) points.resize(kEffectsPointsMax);
  const auto evidence =
      BestEvidence::gather(reader, sweep, rows, points, std::vector<char>(points.size(), 0), {},
                           {.of = [](const SweepRows::Job& job) { return job.median_s; }, .kept = kept});
  if (!evidence) return tl::unexpected<Error>(evidence.error());
  Observations all;
  all.gap = evidence->spread().gap();
  const std::vector<char> several = of_several_software(rows, points);
  all.columns = {"cache", "host", "software"};
  all.is_setting = {0, 0, 0};
  all.values.resize(3);
  for (std::size_t c = 0; c < columns; ++c) {
    all.columns.push_back(rows.columns[c].name);
    all.values.push_back(rows.values[c].values());
    all.is_setting.push_back(wanted(rows.columns[c], all.values.back()) ? 1 : 0);
  }
  // Their effects are not asked for: a number for each spot, or place, tells them apart.
  all.codes.reserve(points.size() * all.columns.size());
  for (const Candidate& point : points) {
    const bool mixed = !several.empty() && several[static_cast<std::size_t>(&point - points.data())] != 0;
    all.codes.insert(all.codes.end(), 2, rows.places[point.place].spot);
    all.codes.push_back(mixed ? point.place + 1U : 0U);
    for (std::size_t c = 0; c < columns; ++c) all.codes.push_back(rows.code(point.point, c));
    all.seconds.push_back(point.median_s);
    all.centres.push_back(centre_of(evidence->way(static_cast<std::uint32_t>(&point - points.data()))));
  }
  return all;
}

}  // namespace

std::vector<Effect> effects(const Observations& observations) {
  std::vector<Effect> all;
  for (std::size_t column = 0; column < observations.columns.size(); ++column)
    if (observations.is_setting[column]) effects_of(observations, column, all);
  std::ranges::stable_sort(all, [](const Effect& a, const Effect& b) {
    return std::abs(std::log(a.speedup)) > std::abs(std::log(b.speedup));
  });
  return all;
}

Result<SweepEffects> sweep_effects(Reader& reader, const std::string& sweep, std::size_t rows_max,
                                   char worst_grade) {
  const sqlite::Snapshot snapshot(reader.connection());
  const auto stored = reader.find_sweep(sweep);
  if (!stored) return tl::unexpected<Error>(stored.error());
  auto columns = reader.columns(stored->id);
  if (!columns) return tl::unexpected<Error>(columns.error());
  std::erase_if(*columns, [](const SweepColumn& column) { return column.derived; });
  std::vector<SweepColumn> by;
  std::ranges::copy_if(*columns, std::back_inserter(by), describes_problem);
  const std::size_t count = columns->size();
  const auto rows = read_rows(reader, *stored, std::move(*columns));
  if (!rows) return tl::unexpected<Error>(rows.error());
  SweepEffects found;
  auto best = best_of(reader, *stored, *rows, by,
                      {.sweep = sweep, .worst_grade = worst_grade, .rows_max = rows_max});
  if (!best) return tl::unexpected<Error>(best.error());
  found.best = std::move(*best);
  found.all_ok = rows->not_ok == 0;
  if (found.best.left_out_grade + found.best.doubtful_jobs > 0) {
    auto cause = main_grade_cause(reader, stored->id, worst_grade);
    if (!cause) return tl::unexpected<Error>(cause.error());
    found.best.grade_cause = std::move(*cause);
  }
  const auto observations = observed(reader, *stored, *rows, count, worst_grade, found.shortened);
  if (!observations) return tl::unexpected<Error>(observations.error());
  found.effects = effects(*observations);
  return found;
}

bool is_clear(const Effect& effect) {
  constexpr double kClearly = 1.05;
  if (effect.bounds.low <= 1 && effect.bounds.high >= 1) return false;
  if (effect.least >= 1) return effect.speedup >= kClearly;
  return effect.most <= 1 && effect.speedup <= 1 / kClearly;
}

std::string sentence(const Effect& effect) {
  constexpr std::size_t kValueBytesMax = 60;
  const auto shown = [](const Value& value) {
    return value.is_null() ? std::string("not set") : one_line(value.to_text(), kValueBytesMax);
  };
  const bool faster = effect.speedup >= 1;
  // Told from the faster side, whichever that is.
  const double ratio = faster ? effect.speedup : 1 / effect.speedup;
  const double least = faster ? effect.least : 1 / effect.most;
  const double most = faster ? effect.most : 1 / effect.least;
  const double sure = faster ? effect.bounds.low : 1 / effect.bounds.high;
  const std::string at_least = sure > 1 ? fmt::format("at least {:.2f}x; ", sure) : "";
  const std::string range = effect.matched == 1 ? "in one pair"
                                                : fmt::format("{:.2f}x to {:.2f}x in {} matched sets",
                                                              least, most, effect.matched);
  return fmt::format("{}: {} is {:.2f}x as fast as {} ({}{})", effect.column,
                     shown(faster ? effect.value : effect.baseline), ratio,
                     shown(faster ? effect.baseline : effect.value), at_least, range);
}

RowSet rows_of(const std::vector<Effect>& effects) {
  RowSet rows;
  rows.columns = {"column", "value",   "baseline",    "speedup",     "least",
                  "most",   "matched", "speedup_low", "speedup_high"};
  for (const Effect& e : effects) {
    const bool known = std::isfinite(e.bounds.high);
    rows.rows.push_back({e.column, e.value, e.baseline, e.speedup, e.least, e.most,
                         Value(static_cast<std::int64_t>(e.matched)), known ? Value(e.bounds.low) : Value(),
                         known ? Value(e.bounds.high) : Value()});
  }
  return rows;
}

}  // namespace kernsweep
