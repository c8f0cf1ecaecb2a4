#include "results/read/foreign_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "shared/stats/statistics.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/metric_name.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

// The names of rates in tuners, and their units; the first unit is the default.
constexpr std::array<std::string_view, 4> kFlopNames = {"gflops", "GFLOP/s", "GFLOPS", "GFLOPs"};
constexpr std::array<std::string_view, 2> kByteNames = {"gbps", "GB/s"};
constexpr std::array<std::pair<std::string_view, double>, 6> kFlopUnits = {
    {{"GFLOP/s", 1}, {"GFLOPS", 1}, {"GFLOPs", 1}, {"gflops", 1}, {"TFLOP/s", 1e3}, {"MFLOP/s", 1e-3}}};
constexpr std::array<std::pair<std::string_view, double>, 5> kByteUnits = {
    {{"GB/s", 1}, {"gbps", 1}, {"GiB/s", 1.073741824}, {"MB/s", 1e-3}, {"Gbit/s", 0.125}}};

}  // namespace

Result<double> positive(const ForeignJson& value, const std::string& path, double unit) {
  const double number = value.is_number() ? value.get<double>() * unit : 0;
  if (number > 0 && std::isfinite(number)) return number;
  const auto* text = value.get_ptr<const std::string*>();  // of a number that JSON does not have
  const std::string found = text && !value_of_scalar(*text).number() ? *text : value.dump();
  return failure(fmt::format("{} is {}, which is not a number above zero", path, one_line(found, 40)));
}

Result<std::string> text_member(const ForeignJson& object, const char* name, const std::string& path) {
  if (!object.is_object()) return failure(path + " is not an object");
  const auto found = object.find(name);
  if (found != object.end() && found->is_string()) return found->get<std::string>();
  return failure(fmt::format("{} has no text `{}`", path, name));
}

Status few_columns(std::size_t columns) {
  constexpr std::size_t kForeignColumnsMax = 1000;  // a table of SQLite cannot have many more
  if (columns <= kForeignColumnsMax) return Done{};
  return failure(fmt::format("has {} parameters; at most {} are read", columns, kForeignColumnsMax));
}

Value value_of(const ForeignJson& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_structured()) return json.dump();
  return value_of_scalar(json.dump());
}

void ForeignRuns::Run::add_number(const std::string& name, const ForeignJson& json,
                                  const std::string& unit) {
  if (json.is_null()) return;
  const double value = json.is_number() ? json.get<double>() : 0;
  const auto of_rate = [&](const auto& names, const auto& units) -> std::optional<double> {
    if (std::ranges::find(names, name) == std::end(names)) return std::nullopt;
    for (const auto& [word, times] : units)
      if (unit.empty() || unit == word) return value * times;
    return std::nullopt;
  };
  constexpr double kRateMax = 1e18;  // beyond any computer
  for (const auto& [rate, to] : {std::pair(of_rate(kFlopNames, kFlopUnits), &gflops),
                                 std::pair(of_rate(kByteNames, kByteUnits), &gbps)})
    if (rate) {
      if (*rate > 0 && *rate < kRateMax)
        *to = *rate;
      else
        odd_rate = fmt::format("{} is {}", name, one_line(json.dump(), 40));
      return;
    }
  if (json.is_number() && is_metric_name(name) &&
      std::ranges::find(metrics, name, &ForeignMetric::name) == metrics.end())
    metrics.push_back({name, value, unit.size() <= kMetricUnitMax ? unit : ""});
}

void ForeignRuns::Run::spoil(const std::string& why) {
  odd = true;
  outcome = Outcome::failed_run;
  failure = why;
  samples.clear();
  instead.clear();
  metrics.clear();
  gflops = gbps = 0;
}

std::pair<ForeignRuns::Run&, bool> ForeignRuns::of(const std::string& key) {
  const auto [at, fresh] = numbers_.try_emplace(key, runs_.size());
  if (fresh) runs_.emplace_back();
  return {runs_[at->second], fresh};
}

void ForeignRuns::add(Run configuration) {
  std::string key;
  for (const Value& value : configuration.values)
    (value.boolean() ? Value(*value.boolean() ? 1 : 0) : value).append_canonical(key);  // as it is stored
  auto [run, fresh] = of(key);
  if (fresh) {
    run = std::move(configuration);
    return;
  }
  ++twice_;
  std::string failure = run.failure.empty() ? configuration.failure : run.failure;
  if (run.samples.empty() && run.instead.empty()) {  // it failed then
    configuration.odd = configuration.odd && run.odd;
    run = std::move(configuration);
    run.failure = std::move(failure);
    return;
  }
  run.failure = std::move(failure);
  if (configuration.samples.empty() && configuration.instead.empty()) return;
  if (run.gflops == 0) run.gflops = configuration.gflops;
  if (run.gbps == 0) run.gbps = configuration.gbps;
  for (const ForeignMetric& metric : configuration.metrics)
    if (std::ranges::find(run.metrics, metric.name, &ForeignMetric::name) == run.metrics.end())
      run.metrics.push_back(metric);
  for (const auto& [to, from] :
       {std::pair(&run.samples, &configuration.samples), {&run.instead, &configuration.instead}})
    if (std::search(to->begin(), to->end(), from->begin(), from->end()) == to->end())
      to->insert(to->end(), from->begin(), from->end());
}

void ForeignRuns::fill(ForeignSweep& sweep) {
  for (Run& run : runs_) {
    ForeignJob job{.point = sweep.points.size(), .calls_per_sample = run.calls, .outcome = run.outcome};
    if (!run.samples.empty() || !run.instead.empty()) {
      const double seconds = run.instead.empty() ? summarise(run.samples).median : run.instead.front();
      job.flops = run.gflops * 1e9 * seconds;
      job.bytes = run.gbps * 1e9 * seconds;
    }
    job.seconds = std::move(run.samples.empty() ? run.instead : run.samples);
    if (job.seconds.empty()) job.failure = run.failure.empty() ? "no time in the file" : run.failure;
    job.odd = run.odd && job.seconds.empty();
    job.metrics = std::move(run.metrics);
    sweep.points.push_back(std::move(run.values));
    sweep.jobs.push_back(std::move(job));
  }
}

std::string ForeignRuns::failed_too_in_words() const {
  const auto both = [](const Run& run) {
    return !run.failure.empty() && !(run.samples.empty() && run.instead.empty());
  };
  const auto points = static_cast<std::size_t>(std::ranges::count_if(runs_, both));
  if (points == 0) return "";
  return fmt::format("\n{} in some of their runs: only the others count; the first: {}",
                     counted(points, "point failed", "points failed"),
                     std::ranges::find_if(runs_, both)->failure);
}

std::string ForeignRuns::odd_rates_in_words() const {
  const auto points = std::ranges::count_if(runs_, [](const Run& run) { return !run.odd_rate.empty(); });
  if (points == 0) return "";
  return fmt::format(
      "\n{} left out, because a rate is a number between 0 and 1e18; the first: {}",
      counted(static_cast<std::size_t>(points), "rate is", "rates are"),
      std::ranges::find_if(runs_, [](const Run& run) { return !run.odd_rate.empty(); })->odd_rate);
}

std::string tuner_lacks(const ForeignRuns& runs) {
  std::string lacks =
      "all times of a configuration are of one process, so that nothing is decided between configurations; "
      "measure the best ones again, in several processes, by `command:`";
  if (runs.twice() > 0)
    lacks += fmt::format("\n{} repeated: equal times count once",
                         counted(runs.twice(), "configuration", "configurations"));
  lacks += runs.failed_too_in_words() + runs.odd_rates_in_words();
  return lacks;
}

}  // namespace kernsweep
