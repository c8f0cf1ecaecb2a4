// Cache files of Kernel Tuner (foreign_results.hpp). Their form is defined by its process_cache() and
// read_cache(): kernel_tuner/util.py, versions 0.3 to 1.5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "results/read/foreign_json.hpp"

#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr double kMillisecond = 1e-3;
// Versions before 1.0 use this time, in ms, for a failed configuration.
constexpr double kFailedTime = 1e20;

constexpr std::array<std::pair<std::string_view, Outcome>, 4> kTunerFailures = {{
    {"InvalidConfig", Outcome::unsupported},
    {"CompilationFailedConfig", Outcome::failed_setup},
    {"RuntimeFailedConfig", Outcome::failed_run},
    {"ErrorConfig", Outcome::failed_run},
}};
// Members that are the tuner's own time, in ms, or are read elsewhere.
constexpr std::array<std::string_view, 7> kNoMetrics = {
    "time",           "times",         "compile_time",   "verification_time",
    "benchmark_time", "strategy_time", "framework_time",
};

struct CacheHeader {
  std::vector<std::string> parameters;
  std::optional<Value> problem_size;
};

// 100, [48, 64] as 48x64; nothing if a function computes it from the parameters.
std::optional<Value> problem_size_of(const ForeignJson& top) {
  const auto size = top.find("problem_size");
  if (size == top.end() || size->is_null() || *size == "callable") return std::nullopt;
  if (!size->is_array()) return value_of(*size);
  if (size->size() == 1) return value_of(size->front());
  std::string text;
  for (const ForeignJson& each : *size) text += (text.empty() ? "" : "x") + value_of(each).to_text();
  return Value(text);
}

Result<CacheHeader> header_of(const ForeignJson& top) {
  CacheHeader header;
  const auto keys = top.find("tune_params_keys");
  if (keys == top.end() || !keys->is_array()) return failure("has no list `tune_params_keys`");
  KS_RETURN_IF_ERROR(few_columns(keys->size()));
  for (std::size_t i = 0; i < keys->size(); ++i) {
    const std::string path = fmt::format("tune_params_keys[{}]", i);
    if (!(*keys)[i].is_string()) return failure(path + " is not text");
    const auto name = (*keys)[i].get<std::string>();
    if (std::ranges::find(header.parameters, name) != header.parameters.end())
      return failure(fmt::format("{}: there is a second {}", path, name));
    header.parameters.push_back(name);
  }
  if (std::ranges::find(header.parameters, "problem_size") == header.parameters.end())
    header.problem_size = problem_size_of(top);
  return header;
}

// Why it failed, if it did. Since version 1.4 `__error__` has it, before that the objective.
std::optional<std::pair<std::string, Outcome>> failure_of(const ForeignJson& entry,
                                                          const CacheHeader& header) {
  for (const auto& [name, value] : entry.items()) {
    if (!value.is_string() || std::ranges::find(header.parameters, name) != header.parameters.end())
      continue;
    const auto text = value.get<std::string>();
    const auto known =
        std::ranges::find(kTunerFailures, text, &decltype(kTunerFailures)::value_type::first);
    if (known != kTunerFailures.end()) return std::pair(text, known->second);
    if (name == "__error__") return std::pair(text.empty() ? name : text, Outcome::failed_run);
  }
  const auto time = entry.find("time");
  if (time != entry.end() && time->is_number() && time->get<double>() == kFailedTime)
    return std::pair(std::string("its time is 1e20"), Outcome::failed_run);
  return std::nullopt;
}

Status add_cached_times(const ForeignJson& entry, const std::string& path, ForeignRuns::Run& run) {
  const auto mean = entry.contains("time") ? positive(entry["time"], path + ".time", kMillisecond)
                                           : failure(path + " has neither `times` nor `time`");
  if (mean) run.instead = {*mean};
  const auto times = entry.find("times");
  if (times != entry.end() && !times->is_array()) return failure(path + ".times is not a list");
  if (times == entry.end() || times->empty())
    return mean ? Status(Done{}) : tl::unexpected<Error>(mean.error());
  for (std::size_t i = 0; i < times->size(); ++i) {
    KS_ASSIGN_OR_RETURN(const auto seconds,
                        positive((*times)[i], fmt::format("{}.times[{}]", path, i), kMillisecond));
    run.samples.push_back(seconds);
  }
  return Done{};
}

// Error: it does not name its configuration.
Result<ForeignRuns::Run> cached_run(const ForeignJson& entry, const std::string& path,
                                    const CacheHeader& header) {
  ForeignRuns::Run run;
  if (header.problem_size) run.values.push_back(*header.problem_size);
  for (const std::string& name : header.parameters) {
    const auto found = entry.find(name);
    if (found == entry.end()) return failure(fmt::format("{} has no member `{}`", path, name));
    run.values.push_back(value_of(*found));
  }
  if (const auto failed = failure_of(entry, header)) {
    std::tie(run.failure, run.outcome) = *failed;
    return run;
  }
  if (const Status added = add_cached_times(entry, path, run); !added) {
    run.spoil(added.error().message);
    return run;
  }
  for (const auto& [name, value] : entry.items())
    if (std::ranges::find(kNoMetrics, name) == kNoMetrics.end() &&
        std::ranges::find(header.parameters, name) == header.parameters.end())
      run.add_number(name, value, "");
  return run;
}

}  // namespace

Result<ForeignSweep> read_kernel_tuner(const ForeignFile& file) {
  ForeignSweep sweep;
  sweep.tool = "kernel tuner";
  KS_ASSIGN_OR_RETURN(const auto header, header_of(file.top));
  const auto text = [&](const char* name) {
    const auto found = file.top.find(name);
    return found != file.top.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  sweep.host = text("device_name");
  sweep.variant = text("kernel_name");
  if (header.problem_size) sweep.columns = {"problem_size"};
  sweep.problem.assign(sweep.columns.size(), true);
  sweep.columns.insert(sweep.columns.end(), header.parameters.begin(), header.parameters.end());
  sweep.problem.resize(sweep.columns.size(), false);
  const auto path = [](const std::string& key) {
    return fmt::format("cache[{}]", ForeignJson(key).dump());
  };
  for (const auto& [key, entry] : file.top["cache"].items())
    sweep.left_out.push_back(path(key) + " is not an object");
  ForeignRuns runs;
  for (const auto& [key, entry] : file.cache) {
    auto run = cached_run(entry, path(key), header);
    if (run)
      runs.add(std::move(*run));
    else
      sweep.left_out.push_back(run.error().message);
  }
  sweep.lacks = tuner_lacks(runs);
  if (!sweep.variant.empty() && std::ranges::find(header.parameters, "variant") != header.parameters.end())
    sweep.lacks += fmt::format(
        "\nits parameter `variant` is the variant here, in place of the kernel's name, {}", sweep.variant);
  if (const std::string objective = text("objective"); !objective.empty() && objective != "time")
    sweep.no_times = fmt::format(
        "the objective of this file is {}, which is not a time; `import` reads times: tune with the "
        "objective "
        "time, or keep `time` among what is measured",
        objective);
  runs.fill(sweep);
  return sweep;
}

}  // namespace kernsweep
