#include "results/read/foreign_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/read/foreign_json.hpp"

namespace kernsweep {

namespace {

Result<ForeignSweep> by_form(const ForeignFile& file) {
  const ForeignJson& top = file.top;
  const auto has_list = [&](const char* name) {
    return top.is_object() && top.contains(name) && top[name].is_array();
  };
  if (has_list("benchmarks")) return read_google_benchmark(top);
  if (top.is_object() && top.contains("cache") && top["cache"].is_object()) return read_kernel_tuner(file);
  if (!has_list("results"))
    return failure(
        "has neither a list `benchmarks`, as Google Benchmark writes it (--benchmark_format=json), nor a "
        "list `results`, as hyperfine (--export-json) and tuners (T4) do, nor an object `cache`, as cache "
        "files of Kernel Tuner do");
  const ForeignJson& results = top["results"];
  const bool is_t4 = top.contains("schema_version") ||
                     (!results.empty() && results[0].is_object() && results[0].contains("configuration"));
  return is_t4 ? read_t4(top) : read_hyperfine(results);
}

}  // namespace

Result<ForeignSweep> read_foreign_results(std::string_view text) {
  const auto file = parse_foreign(text);
  if (!file) return tl::unexpected<Error>(file.error());
  auto sweep = by_form(*file);
  if (!sweep) return sweep;
  if (sweep->jobs.empty()) return failure("has no result");
  if (Status few = few_columns(sweep->columns.size()); !few) return tl::unexpected<Error>(few.error());
  // SQL ends there.
  if (std::ranges::any_of(sweep->columns, [](const auto& name) { return name.find('\0') != name.npos; }))
    return failure("has a parameter whose name holds a zero byte (\\u0000); rename it");
  return sweep;
}

}  // namespace kernsweep
