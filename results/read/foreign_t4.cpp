// T4 results (foreign_results.hpp), a form of several tuners:
// kernel_tuner/schema/T4/1.0.0/results-schema.json of Kernel Tuner, whose store_output_file() writes it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "results/read/foreign_json.hpp"

#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr std::array<std::pair<std::string_view, Outcome>, 6> kInvalidities = {{
    {"timeout", Outcome::timeout_run},
    {"compile", Outcome::failed_setup},
    {"runtime", Outcome::failed_run},
    {"correctness", Outcome::wrong_result},
    {"constraints", Outcome::unsupported},
    {"correct", Outcome::ok},
}};
constexpr std::array<std::tuple<std::string_view, std::string_view, double>, 4> kTimeUnits = {{
    {"nanoseconds", "ns", 1e-9},
    {"microseconds", "us", 1e-6},
    {"milliseconds", "ms", 1e-3},
    {"seconds", "s", 1},
}};

// The unit of `times.runtimes`. Kernel Tuner before version 1.2 wrote none, and used milliseconds.
Result<double> unit_of_runtimes(const ForeignJson& file) {
  const auto metadata = file.find("metadata");
  if (metadata == file.end() || !metadata->is_object() || !metadata->contains("timeunit")) return 1e-3;
  for (const auto& [name, symbol, seconds] : kTimeUnits)
    if ((*metadata)["timeunit"] == std::string(name)) return seconds;
  return failure("metadata.timeunit is none of nanoseconds, microseconds, milliseconds, seconds");
}

// The names of the settings of all results, in the order of first use.
std::vector<std::string> settings_in(const ForeignJson& results) {
  std::vector<std::string> names;
  std::map<std::string, bool> met;
  for (const ForeignJson& result : results) {
    const auto all = result.is_object() ? result.find("configuration") : result.end();
    if (all == result.end() || !all->is_object()) continue;
    for (const auto& [name, value] : all->items())
      if (met.try_emplace(name, true).second) names.push_back(name);
  }
  return names;
}

// Numbers become metrics; a measurement `time` with a known unit becomes the time if there are no runtimes;
// a text named `reason` or `__error__` is the reason of a failure.
void add_measurements(const ForeignJson& result, ForeignRuns::Run& run) {
  const auto all = result.find("measurements");
  if (all == result.end() || !all->is_array()) return;
  for (const ForeignJson& each : *all) {
    if (!each.is_object() || !each.contains("name") || !each["name"].is_string() || !each.contains("value"))
      continue;
    const auto name = each["name"].get<std::string>();
    const ForeignJson& value = each["value"];
    const auto has_unit = each.contains("unit") && each["unit"].is_string();
    const std::string unit = has_unit ? each["unit"].get<std::string>() : "";
    if ((name == "reason" || name == "__error__") && value.is_string())
      if (auto reason = value.get<std::string>(); !reason.empty()) run.failure = std::move(reason);
    if (name == "time") {
      for (const auto& [word, symbol, seconds] : kTimeUnits)
        if (const auto time = positive(value, "", seconds); symbol == unit && time) run.instead = {*time};
    } else {
      run.add_number(name, value, unit);
    }
  }
}

Status add_runtimes(const ForeignJson& result, const std::string& path, double unit,
                    ForeignRuns::Run& run) {
  const auto times = result.find("times");
  if (times != result.end() && times->is_object() && times->contains("runtimes")) {
    const ForeignJson& runtimes = (*times)["runtimes"];
    if (!runtimes.is_array()) return failure(path + ".times.runtimes is not a list");
    for (std::size_t i = 0; i < runtimes.size(); ++i) {
      KS_ASSIGN_OR_RETURN(const auto seconds,
                          positive(runtimes[i], fmt::format("{}.times.runtimes[{}]", path, i), unit));
      run.samples.push_back(seconds);
    }
  }
  if (!run.samples.empty() || !run.instead.empty()) return Done{};
  return failure(path + " has neither `times.runtimes` nor a measurement `time` in ns, us, ms or s");
}

// Error: it does not name its configuration.
Result<ForeignRuns::Run> t4_run(const ForeignJson& result, const std::string& path, double unit) {
  ForeignRuns::Run run;
  if (!result.is_object()) return failure(path + " is not an object");
  if (!result.contains("configuration") || !result["configuration"].is_object())
    return failure(path + " has no object `configuration`");
  const auto word = text_member(result, "invalidity", path);
  const auto known =
      !word ? kInvalidities.end()
            : std::ranges::find(kInvalidities, *word, &decltype(kInvalidities)::value_type::first);
  if (known == kInvalidities.end()) {
    run.spoil(!word ? word.error().message
                    : path +
                          ".invalidity is none of timeout, compile, runtime, correctness, constraints, "
                          "correct");
    return run;
  }
  run.outcome = known->second;
  run.failure = *word;
  add_measurements(result, run);
  if (run.outcome != Outcome::ok) {
    run.instead.clear();
    run.gflops = run.gbps = 0;
    return run;
  }
  run.failure.clear();
  if (const Status added = add_runtimes(result, path, unit, run); !added) run.spoil(added.error().message);
  return run;
}

}  // namespace

Result<ForeignSweep> read_t4(const ForeignJson& file) {
  ForeignSweep sweep;
  sweep.tool = "T4";
  const auto version = file.find("schema_version");
  if (version != file.end() && (!version->is_string() || !version->get<std::string>().starts_with("1.")))
    return failure("schema_version is not 1.x.y: T4 of that version is not known here");
  KS_ASSIGN_OR_RETURN(const auto unit, unit_of_runtimes(file));
  const ForeignJson& results = file["results"];
  sweep.columns = settings_in(results);
  KS_RETURN_IF_ERROR(few_columns(sweep.columns.size()));
  sweep.problem.assign(sweep.columns.size(), false);
  ForeignRuns runs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto run = t4_run(results[i], fmt::format("results[{}]", i), unit);
    if (!run) {
      sweep.left_out.push_back(run.error().message);
      continue;
    }
    const ForeignJson& settings = results[i]["configuration"];
    for (const std::string& name : sweep.columns) {
      const auto found = settings.find(name);
      run->values.push_back(found == settings.end() ? Value() : value_of(*found));
    }
    runs.add(std::move(*run));
  }
  sweep.lacks = tuner_lacks(runs) + "\nT4 says nothing of the kernel, its problem and the machine";
  if (!file.contains("/metadata/timeunit"_json_pointer))
    sweep.lacks += "\nits times are read as milliseconds: it does not say their unit";
  runs.fill(sweep);
  return sweep;
}

}  // namespace kernsweep
