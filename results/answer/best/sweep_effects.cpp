#include "results/answer/best/sweep_effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "results/answer/best/best_evidence.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "results/read/same_builds.hpp"
#include "results/read/sweep_rows.hpp"
#include "results/roofs/implausible.hpp"
#include "results/text/table.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/mean_ratio.hpp"

namespace kernsweep {

namespace {

// Running geometric mean of ratios, and how sure it is.
struct Ratios {
  double sum_of_logs = 0;
  double least = 0, most = 0;
  std::uint64_t count = 0;
  WeightedCentres centres;  // of the points, each with weight 1 in the sum of logarithms

  void add(double ratio) {
    least = count == 0 ? ratio : std::min(least, ratio);
    most = count == 0 ? ratio : std::max(most, ratio);
    sum_of_logs += std::log(ratio);
    ++count;
  }
  MeanRatio mean(double gap, double alpha) const {
    const auto sets = static_cast<double>(count);
    return centres.mean(sum_of_logs / sets, sets, gap, alpha);
  }
  bool agree() const { return least >= 1 || most <= 1; }
};

// Sets of rows that agree in all columns but one.
RowGroups matched(const Observations& all, std::size_t column) {
  RowNumbers numbers(all.columns.size(), column);
  const auto set_of = numbers.numbers(all.codes);
  return RowGroups(set_of, numbers.size());
}

// use(rows) for each set of two rows or more.
void each_set(const RowGroups& sets, const auto& use) {
  for (std::uint32_t set = 0; set < sets.size(); ++set)
    if (sets.of(set).size() > 1) use(sets.of(set));
}

// Compares numbers that were computed from rates; false if one is not known.
bool same_operations(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::min(a, b);
}

// The code of the value that the others are compared with: "not set" where it competes with another,
// otherwise the first that competes. As many as there are values: none does.
std::size_t baseline_of(const Observations& all, std::size_t column, const RowGroups& sets) {
  const auto& values = all.values[column];
  std::vector<char> competes(values.size(), 0);
  each_set(sets, [&](std::span<const std::uint32_t> rows) {
    for (const std::uint32_t row : rows) competes[all.codes[row * all.columns.size() + column]] = 1;
  });
  const auto unset = static_cast<std::size_t>(std::ranges::find(values, Value()) - values.begin());
  if (unset < values.size() && competes[unset]) return unset;
  return static_cast<std::size_t>(std::ranges::find(competes, 1) - competes.begin());
}

// Whether rows a and b run one built file in one way, so that neither is faster.
bool is_same_build(const Observations& all, std::uint32_t a, std::uint32_t b) {
  return !all.runs.empty() && all.runs[a] != 0 && all.runs[a] == all.runs[b];
}

// What each pair of points shows on its own, if the sets agree and the mean does not show it.
struct PairsShow {
  bool asked = false, each = true;
  Interval bounds{0, HUGE_VAL};  // of the last pair
};

void effects_of(const Observations& all, std::size_t column, std::vector<Effect>& out) {
  const auto& values = all.values[column];
  if (values.size() < 2) return;
  const RowGroups sets = matched(all, column);
  const auto code_of = [&](std::uint32_t row) { return all.codes[row * all.columns.size() + column]; };
  const std::size_t baseline = baseline_of(all, column, sets);
  if (baseline == values.size()) return;
  const bool only_equal_work = !all.is_problem.empty() && all.is_problem[column] != 0;
  const auto each_pair = [&](const auto& use) {
    each_set(sets, [&](std::span<const std::uint32_t> rows) {
      const auto base =
          std::ranges::find_if(rows, [&](std::uint32_t row) { return code_of(row) == baseline; });
      if (base == rows.end()) return;
      for (const std::uint32_t row : rows) {
        if (code_of(row) == baseline) continue;
        if (only_equal_work && (all.flops.empty() || !same_operations(all.flops[*base], all.flops[row])))
          continue;
        use(code_of(row), *base, row);
      }
    });
  };
  std::vector<Ratios> ratios(values.size());
  std::vector<std::uint64_t> other(values.size(), 0);
  each_pair([&](std::uint32_t code, std::uint32_t base, std::uint32_t row) {
    Ratios& of = ratios[code];
    of.add(is_same_build(all, base, row) ? 1 : all.seconds[base] / all.seconds[row]);
    if (!all.other_output.empty() && (all.other_output[base] != 0 || all.other_output[row] != 0))
      ++other[code];
    if (all.centres.empty()) return;
    of.centres.add(1, all.centres[base]);
    of.centres.add(1, all.centres[row]);
  });
  std::vector<MeanRatio> means(values.size());
  std::vector<char> by_mean(values.size(), 0);
  std::vector<PairsShow> pairs(values.size());
  for (std::size_t code = 0; code < ratios.size(); ++code) {
    if (ratios[code].count == 0) continue;
    means[code] = ratios[code].mean(all.gap, all.rules.alpha);
    const bool shown = means[code].shown_above(1, all.rules) || means[code].shown_below(1, all.rules);
    by_mean[code] = shown && ratios[code].count > 1 ? 1 : 0;
    pairs[code].asked = all.weigh && !by_mean[code] && (ratios[code].count == 1 || ratios[code].agree());
  }
  if (std::ranges::any_of(pairs, &PairsShow::asked))
    each_pair([&](std::uint32_t code, std::uint32_t base, std::uint32_t row) {
      PairsShow& of = pairs[code];
      if (!of.asked || !of.each) return;
      const PairEvidence found = all.weigh(row, base);
      const auto ahead = means[code].ratio > 1 ? PairVerdict::first_faster : PairVerdict::second_faster;
      of.each = found.verdict == ahead;
      of.bounds = found.ratio;
    });
  for (std::size_t code = 0; code < ratios.size(); ++code) {
    const Ratios& of = ratios[code];
    if (of.count == 0) continue;
    const bool one = of.count == 1 && pairs[code].asked;
    const Interval bounds = one ? pairs[code].bounds : means[code].bounds;
    const double speedup = means[code].ratio;
    out.push_back({all.columns[column],
                   values[baseline],
                   values[code],
                   speedup,
                   of.least,
                   of.most,
                   of.count,
                   {std::min(bounds.low, speedup), std::max(bounds.high, speedup)},
                   by_mean[code] != 0 || (pairs[code].asked && pairs[code].each),
                   other[code]});
  }
}

// The sweep's points: cache and host are columns like any other, and the number of a point is the median of
// its processes. Points of different software are not compared.
Result<Observations> observed(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                              std::size_t columns, char worst_grade, const ComparedOutputs& outputs,
                              bool& shortened) {
  const auto good = [worst_grade](const SweepRows::Job& job) {
    return job.grade <= worst_grade;  // no grade counts as a good one
  };
  DisturbedResults disturbed;
  if (!std::ranges::all_of(rows.jobs, good)) {
    KS_ASSIGN_OR_RETURN(disturbed, read_disturbed(reader, sweep.id));
  }
  const auto kept = [&](const SweepRows::Job& job) {
    return job.median_s > 0 && counts_by_grade(job, worst_grade, disturbed);
  };
  std::vector<std::uint32_t> of_job;
  auto points = candidates_of(rows, kept, of_job);
  shortened = points.size() > kEffectsPointsMax;
  if (shortened) points.resize(kEffectsPointsMax);
  KS_ASSIGN_OR_RETURN(auto evidence,
                      BestEvidence::gather(reader, sweep, rows, points, of_job, disturbed,
                                           {.of = [](const SweepRows::Job& job) { return job.median_s; }}));
  Observations all;
  std::size_t fewest = kTrimmedProcessesLeast;
  for (const Candidate& point : points) fewest = std::min<std::size_t>(fewest, point.processes);
  all.gap = gap_of(evidence.spread(), fewest, {});
  KS_ASSIGN_OR_RETURN(const auto builds, SameBuilds::of(reader, sweep));
  const std::vector<char> several = of_several_software(rows, points);
  all.columns = {"cache", "host", "software"};
  all.is_setting = all.is_problem = {0, 0, 0};
  all.values.resize(3);
  for (std::size_t c = 0; c < columns; ++c) {
    all.columns.push_back(rows.columns[c].name);
    all.values.push_back(rows.values[c].values());
    all.is_setting.push_back(1);
    all.is_problem.push_back(rows.columns[c].problem ? 1 : 0);
  }
  std::vector<double> flops(rows.positions.size(), kUnknown);
  for (const SweepRows::Job& job : rows.jobs)
    if (job.gflops > 0 && job.median_s > 0) flops[job.point] = 1e9 * job.gflops * job.median_s;
  // Their effects are not computed: a number for each spot, or place, distinguishes them.
  all.codes.reserve(points.size() * all.columns.size());
  for (const Candidate& point : points) {
    const bool mixed = !several.empty() && several[static_cast<std::size_t>(&point - points.data())] != 0;
    all.codes.insert(all.codes.end(), 2, rows.places[point.place].spot);
    all.codes.push_back(mixed ? point.place + 1U : 0U);
    for (std::size_t c = 0; c < columns; ++c) all.codes.push_back(rows.code(point.point, c));
    all.seconds.push_back(point.median_s);
    all.other_output.push_back(outputs.warns_of(point.result) ? 1 : 0);
    all.flops.push_back(flops[point.point]);
    if (!builds.empty()) all.runs.push_back(builds.run_of(point.result));
    const WayTimes way = evidence.way(static_cast<std::uint32_t>(&point - points.data()));
    all.centres.push_back(centre_of(way));
    // The time that a disturbance added is not known: a mean of several ratios must exceed the gap.
    all.centres.back().steady = all.centres.back().steady && !way.disturbed();
  }
  all.rules = rules_for(sweep.record, EvidenceRules());
  all.weigh = [held = std::make_shared<BestEvidence>(std::move(evidence)), rules = all.rules,
               runs = all.runs](std::uint32_t first, std::uint32_t second) {
    if (!runs.empty() && runs[first] != 0 && runs[first] == runs[second])
      return PairEvidence{.ratio = {1, 1}};
    return kernsweep::weigh(held->way(first), held->way(second), held->spread(), rules);
  };
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
  KS_ASSIGN_OR_RETURN(const auto stored, reader.find_sweep(sweep));
  KS_ASSIGN_OR_RETURN(auto columns, reader.columns(stored.id));
  std::erase_if(columns, [](const SweepColumn& column) { return column.derived && !column.problem; });
  std::vector<SweepColumn> by;
  std::ranges::copy_if(columns, std::back_inserter(by), &SweepColumn::problem);
  const std::size_t count = columns.size();
  KS_ASSIGN_OR_RETURN(const auto rows, read_graded_rows(reader, stored, std::move(columns)));
  SweepEffects found;
  KS_ASSIGN_OR_RETURN(auto best, best_of(reader, stored, rows, by,
                                         {.sweep = sweep,
                                          .worst_grade = worst_grade,
                                          .rows_max = rows_max,
                                          .rules = rules_for(stored.record, EvidenceRules())}));
  found.best = std::move(best);
  KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader, stored));
  note_outputs(found.best, outputs);
  found.all_ok = rows.not_ok == 0;
  if (found.best.left_out_grade + found.best.disturbed_jobs > 0) {
    KS_ASSIGN_OR_RETURN(found.best.grade_cause, main_grade_cause(reader, stored.id, worst_grade));
  }
  KS_ASSIGN_OR_RETURN(const auto observations,
                      observed(reader, stored, rows, count, worst_grade, outputs, found.shortened));
  found.effects = effects(observations);
  return found;
}

bool is_clear(const Effect& effect) {
  constexpr double kClearly = 1.05;
  if (!effect.shown) return false;
  if (effect.least >= 1) return effect.speedup >= kClearly;
  return effect.most <= 1 && effect.speedup <= 1 / kClearly;
}

namespace {

// "variant: blas is 4.90x as fast as naive", with the faster one first.
std::string as_measured(const Effect& effect) {
  constexpr std::size_t kValueColumnsMax = 60;
  const auto text = [](const Value& value) { return value.is_null() ? "not set" : value.to_text(); };
  const bool faster = effect.speedup >= 1;
  const std::vector<std::string> shown = shortened_apart(
      {text(faster ? effect.value : effect.baseline), text(faster ? effect.baseline : effect.value)},
      kValueColumnsMax);
  return fmt::format("{}: {} is {:.2f}x as fast as {}", effect.column, shown[0],
                     faster ? effect.speedup : 1 / effect.speedup, shown[1]);
}

}  // namespace

std::string sentence(const Effect& effect) {
  const bool faster = effect.speedup >= 1;
  const double least = faster ? effect.least : 1 / effect.most;
  const double most = faster ? effect.most : 1 / effect.least;
  const double sure = faster ? effect.bounds.low : 1 / effect.bounds.high;
  const std::string at_least = sure > 1 ? fmt::format("at least {:.2f}x; ", sure) : "";
  const std::string range = effect.matched == 1 ? "in one pair"
                                                : fmt::format("{:.2f}x to {:.2f}x in {} matched sets",
                                                              least, most, effect.matched);
  const std::string other = effect.other_outputs == 0 ? ""
                            : effect.matched == 1
                                ? "; their outputs differ"
                                : fmt::format("; outputs differ in {} of them", effect.other_outputs);
  return fmt::format("{} ({}{}{})", as_measured(effect), at_least, range, other);
}

double equal_bound(const Effect& effect) {
  if (!std::isfinite(effect.bounds.high) || !(effect.bounds.low > 0)) return HUGE_VAL;
  return std::max(effect.bounds.high, 1 / effect.bounds.low) - 1;
}

std::string open_sentence(const Effect& effect) {
  const bool faster = effect.speedup >= 1;
  if (effect.matched > 1 && effect.least < 1 && effect.most > 1)
    return fmt::format("{} ({:.2f}x to {:.2f}x in {} matched sets)", as_measured(effect),
                       faster ? effect.least : 1 / effect.most, faster ? effect.most : 1 / effect.least,
                       effect.matched);
  if (!std::isfinite(effect.bounds.high)) return as_measured(effect);
  return fmt::format("{} (99 % interval: {:.2f}x to {:.2f}x)", as_measured(effect),
                     faster ? effect.bounds.low : 1 / effect.bounds.high,
                     faster ? effect.bounds.high : 1 / effect.bounds.low);
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
