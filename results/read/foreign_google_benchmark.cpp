// The JSON of programs of Google Benchmark (foreign_results.hpp).
#include <fmt/format.h>

#include "results/read/foreign_json.hpp"

namespace kernsweep {

namespace {

Result<double> seconds_of_unit(const ForeignJson& benchmark, const std::string& path) {
  const std::map<std::string, double> units = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const auto unit = benchmark.find("time_unit");
  if (unit == benchmark.end()) return 1e-9;
  const auto known = unit->is_string() ? units.find(unit->get<std::string>()) : units.end();
  if (known == units.end()) return failure(path + ".time_unit is none of ns, us, ms, s");
  return known->second;
}

// "BM_copy/64/8" is the benchmark BM_copy, which computes 64/8.
std::vector<Value> values_of_name(const std::string& name) {
  const auto slash = name.find('/');
  return {Value(name.substr(0, slash)),
          slash == std::string::npos ? Value() : Value(name.substr(slash + 1))};
}

Status add_benchmark(const ForeignJson& benchmark, const std::string& path, ForeignRuns& runs) {
  auto name = text_member(
      benchmark, benchmark.is_object() && benchmark.contains("run_name") ? "run_name" : "name", path);
  if (!name) return tl::unexpected<Error>(name.error());
  auto [run, fresh] = runs.of(*name);
  if (fresh) run.values = values_of_name(*name);
  const auto text = [&](const char* member) {
    const auto found = benchmark.find(member);
    return found != benchmark.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (benchmark.contains("error_occurred") && benchmark["error_occurred"] == true) {
    run.failure = text("error_message").empty() ? "error_occurred" : text("error_message");
    return Done{};
  }
  if (benchmark.contains("skipped") && benchmark["skipped"] == true) {
    run.failure = text("skip_message").empty() ? "skipped" : "skipped: " + text("skip_message");
    return Done{};
  }
  const bool aggregate = text("run_type") == "aggregate";
  if (aggregate && text("aggregate_name") != "median") return Done{};
  if (!benchmark.contains("real_time")) return failure(path + " has no number `real_time`");
  const auto unit = seconds_of_unit(benchmark, path);
  if (!unit) return tl::unexpected<Error>(unit.error());
  const auto time = positive(benchmark["real_time"], path + ".real_time", *unit);
  if (!time) return tl::unexpected<Error>(time.error());
  (aggregate ? run.instead : run.samples).push_back(*time);
  const auto calls = benchmark.find("iterations");
  if (!aggregate && calls != benchmark.end() && calls->is_number_unsigned() && *calls > 0)
    run.calls = calls->get<std::uint64_t>();
  return Done{};
}

}  // namespace

Result<ForeignSweep> read_google_benchmark(const ForeignJson& file) {
  ForeignSweep sweep;
  sweep.tool = "google benchmark";
  if (const auto context = file.find("context"); context != file.end() && context->is_object()) {
    if (context->contains("host_name") && (*context)["host_name"].is_string())
      sweep.host = (*context)["host_name"].get<std::string>();
    if (context->contains("num_cpus") && (*context)["num_cpus"].is_number_unsigned())
      sweep.host_threads = (*context)["num_cpus"].get<std::uint32_t>();
  }
  sweep.columns = {"variant", "arguments"};
  sweep.problem = {false, true};
  ForeignRuns runs;
  for (std::size_t i = 0; i < file["benchmarks"].size(); ++i)
    if (const Status added = add_benchmark(file["benchmarks"][i], fmt::format("benchmarks[{}]", i), runs);
        !added)
      return tl::unexpected<Error>(added.error());
  sweep.lacks =
      "all repetitions of a benchmark ran in one process, so that nothing is decided between benchmarks; "
      "run "
      "the program several times and compare by hand, or measure it by `kernel: command`" +
      runs.failed_too_in_words();
  runs.fill(sweep);
  return sweep;
}

}  // namespace kernsweep
