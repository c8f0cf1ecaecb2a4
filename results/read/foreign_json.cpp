#include "results/read/foreign_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "shared/stats/statistics.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/metric_name.hpp"

namespace kernsweep {

namespace {

// How tuners call rates, and units that are said of them; the first one where none is.
constexpr std::array<std::string_view, 4> kFlopNames = {"gflops", "GFLOP/s", "GFLOPS", "GFLOPs"};
constexpr std::array<std::string_view, 2> kByteNames = {"gbps", "GB/s"};
constexpr std::array<std::pair<std::string_view, double>, 6> kFlopUnits = {
    {{"GFLOP/s", 1}, {"GFLOPS", 1}, {"GFLOPs", 1}, {"gflops", 1}, {"TFLOP/s", 1e3}, {"MFLOP/s", 1e-3}}};
constexpr std::array<std::pair<std::string_view, double>, 5> kByteUnits = {
    {{"GB/s", 1}, {"gbps", 1}, {"GiB/s", 1.073741824}, {"MB/s", 1e-3}, {"Gbit/s", 0.125}}};

constexpr std::string_view kMarkOfCaches = "\"tune_params_keys\"";
constexpr int kDepthMax = 64;  // none of the forms is deeper than 6; what is read is written by recursion

// A cache file to which Kernel Tuner has not written the end: it stops behind an entry and its comma.
// Nothing: it is none.
std::optional<std::string> closed_cache(std::string_view text) {
  if (text.find(kMarkOfCaches) == std::string_view::npos) return std::nullopt;
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (text.ends_with(',')) text.remove_suffix(1);
  return std::string(text) + "}}";
}

bool is_too_deep(std::string_view text) {
  bool in_text = false;
  int depth = 0;
  for (std::size_t at = 0; at < text.size() && depth <= kDepthMax; ++at) {
    const char c = text[at];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++at;
    if (!in_text && (c == '[' || c == '{')) ++depth;
    if (!in_text && (c == ']' || c == '}')) --depth;
  }
  return depth > kDepthMax;
}

// Other files are parsed without a callback: with one, the parser looks through a list behind each object
// in it.
Result<ForeignFile> parsed_file(std::string_view text) {
  using Event = ForeignJson::parse_event_t;
  ForeignFile file;
  if (is_too_deep(text)) return failure(fmt::format("is nested deeper than {} levels", kDepthMax));
  if (text.find(kMarkOfCaches) == std::string_view::npos) {
    file.top = ForeignJson::parse(text);
    return file;
  }
  std::string member, entry;
  file.top = ForeignJson::parse(text, [&](int depth, Event event, ForeignJson& found) {
    if (event == Event::key && depth < 3) (depth == 1 ? member : entry) = found.get<std::string>();
    if (event != Event::object_end || depth != 2 || member != "cache") return true;
    file.cache.emplace_back(entry, std::move(found));
    return false;
  });
  return file;
}

// Python writes numbers that are none as NaN, Infinity and -Infinity, which no JSON has: as null each is
// refused where a number is needed, with its place, and harmless elsewhere.
std::string without_non_numbers(std::string_view text) {
  std::string json;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\' && at + 1 < text.size()) json += text[at++];
    std::size_t length = 0;
    if (!in_text && (c == 'N' || c == 'I' || c == '-'))
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
        if (text.substr(at, word.size()) == word) length = word.size();
    if (length > 0)
      json += "null";
    else
      json += text[at];
    at += length > 0 ? length - 1 : 0;
  }
  return json;
}

// `byte`: counted from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte - 1);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, byte - start);
}

std::string what_is_wrong(std::string_view text, const ForeignJson::exception& error) {
  const std::string why = error.what();
  const auto at = why.find("] ");
  std::string wrong = "is no JSON: " + (at == std::string::npos ? why : why.substr(at + 2));
  // Of a number beyond all numbers only the number is told: "number overflow parsing '1e400'".
  const auto number = wrong.find('\'');
  if (!dynamic_cast<const ForeignJson::out_of_range*>(&error) || number == std::string::npos) return wrong;
  const auto byte = text.find(wrong.substr(number + 1, wrong.size() - number - 2));
  return byte == std::string_view::npos ? wrong : wrong + " at " + line_and_column(text, byte + 1);
}

struct Tried {
  Result<ForeignFile> file;
  bool is_json = true;
  bool ends_early = false;  // the fault is at its end
};

Tried try_to_parse(std::string_view text) {
  try {
    return {parsed_file(text), true, false};
  } catch (const ForeignJson::exception& error) {
    const auto* place = dynamic_cast<const ForeignJson::parse_error*>(&error);
    return {failure(what_is_wrong(text, error)), false,
            place && place->byte > text.find_last_not_of(" \t\r\n")};
  }
}

}  // namespace

Result<ForeignFile> parse_foreign(std::string_view text) {
  Tried tried = try_to_parse(text);
  if (tried.is_json) return std::move(tried.file);
  const std::string json = without_non_numbers(text);
  if (json != text) tried = try_to_parse(json);
  if (tried.is_json) return std::move(tried.file);
  const auto closed = closed_cache(json);
  if (!closed) return std::move(tried.file);
  Tried whole = try_to_parse(*closed);
  if (whole.is_json) {
    if (whole.file) whole.file->closed = false;
    return std::move(whole.file);
  }
  if (tried.ends_early)
    return failure(tried.file.error().message +
                   "; the last entry of this cache file is not whole: delete its line");
  return std::move(tried.file);
}

Result<double> positive(const ForeignJson& value, const std::string& path, double unit) {
  const double number = value.is_number() ? value.get<double>() * unit : 0;
  if (number > 0 && std::isfinite(number)) return number;
  return failure(path + " is no number above zero");
}

Result<std::string> text_member(const ForeignJson& object, const char* name, const std::string& path) {
  if (!object.is_object()) return failure(path + " is no object");
  const auto found = object.find(name);
  if (found != object.end() && found->is_string()) return found->get<std::string>();
  return failure(fmt::format("{} has no text `{}`", path, name));
}

Status few_columns(std::size_t columns) {
  constexpr std::size_t kForeignColumnsMax = 1000;  // a table of SQLite has no room for many more
  if (columns <= kForeignColumnsMax) return Done{};
  return failure(fmt::format("has {} parameters; at most {} are read", columns, kForeignColumnsMax));
}

Value value_of(const ForeignJson& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_structured()) return json.dump();
  return value_of_scalar(json.dump());
}

void ForeignRuns::Run::add_number(const std::string& name, double value, const std::string& unit) {
  const auto of_rate = [&](const auto& names, const auto& units) -> std::optional<double> {
    if (std::ranges::find(names, name) == std::end(names)) return std::nullopt;
    for (const auto& [word, times] : units)
      if (unit.empty() || unit == word) return value * times;
    return std::nullopt;
  };
  constexpr double kRateMax = 1e18;  // of which no computer knows
  for (const auto& [rate, to] : {std::pair(of_rate(kFlopNames, kFlopUnits), &gflops),
                                 std::pair(of_rate(kByteNames, kByteUnits), &gbps)})
    if (rate) {
      if (*rate < kRateMax) *to = *rate;
      return;
    }
  if (is_metric_name(name) && std::ranges::find(metrics, name, &ForeignMetric::name) == metrics.end())
    metrics.push_back({name, value, unit.size() <= kMetricUnitMax ? unit : ""});
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
  return points == 0 ? ""
                     : fmt::format("\n{} in some of their runs: only the others count",
                                   counted(points, "point failed", "points failed"));
}

std::string tuner_lacks(const ForeignRuns& runs) {
  std::string lacks =
      "all times of a configuration are of one process, so that nothing is decided between configurations; "
      "measure the best ones again, in several processes, by `kernel: command`";
  if (runs.twice() > 0)
    lacks += fmt::format("\n{} stood there again: equal times count once",
                         counted(runs.twice(), "configuration", "configurations"));
  lacks += runs.failed_too_in_words();
  return lacks;
}

}  // namespace kernsweep
