#include "results/read/foreign_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/read/foreign_guess.hpp"
#include "results/read/foreign_json.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::string_view kFormsThatAreRead =
    "`import` reads JSON with a list `benchmarks` (Google Benchmark, --benchmark_format=json), a list "
    "`results` (hyperfine, --export-json; tuners, T4) or an object `cache` (Kernel Tuner, cache=)";

Result<ForeignSweep> by_form(const ForeignFile& file) {
  const ForeignJson& top = file.top;
  const auto has_list = [&](const char* name) {
    return top.is_object() && top.contains(name) && top[name].is_array();
  };
  if (const std::string guess = guess_of_json(top); !guess.empty() && !top.contains("cache"))
    return failure(guess);
  if (has_list("benchmarks")) return read_google_benchmark(top);
  if (top.is_object() && top.contains("cache") && top["cache"].is_object()) return read_kernel_tuner(file);
  if (!has_list("results")) return failure(fmt::format("is {}; {}", outline_of(top), kFormsThatAreRead));
  const ForeignJson& results = top["results"];
  const auto is_of_tuner = [](const ForeignJson& row) {
    return row.is_object() && row.contains("configuration");
  };
  // Any row, because the first one may be invalid.
  const bool is_t4 = !is_of_hyperfine_2(top) &&
                     (top.contains("schema_version") || std::ranges::any_of(results, is_of_tuner));
  return is_t4 ? read_t4(top) : read_hyperfine(top);
}

// Error: it has no row, or none that is valid in its form.
Status has_usable_row(const ForeignSweep& sweep) {
  if (std::ranges::any_of(sweep.jobs, [](const ForeignJob& job) { return !job.odd; })) return Done{};
  const std::size_t rows = sweep.jobs.size() + sweep.left_out.size();
  if (rows == 0) return failure("has no result");
  std::string why = sweep.jobs.empty() ? sweep.left_out.front() : sweep.jobs.front().failure;
  if (rows > 1) why = fmt::format("has no usable row among {}; the first: {}", rows, why);
  return failure(why + (sweep.no_times.empty() ? "" : "; " + sweep.no_times));
}

// Lines after line breaks.
std::string what_is_odd(const ForeignSweep& sweep, const ForeignFile& file) {
  std::string lines;
  const auto failed = [](const ForeignJob& job) { return job.seconds.empty(); };
  if (const auto count = std::ranges::count_if(sweep.jobs, failed); count > 0)
    lines +=
        fmt::format("\n{} of {} failed; the first: {}", count, counted(sweep.jobs.size(), "run", "runs"),
                    std::ranges::find_if(sweep.jobs, failed)->failure);
  if (!sweep.left_out.empty())
    lines += fmt::format("\n{} left out; the first: {}",
                         counted(sweep.left_out.size(), "row is", "rows are"), sweep.left_out.front());
  if (!file.closed)
    lines +=
        "\nthe file has no end: its program was still writing it, was stopped, or the file was cut off";
  if (file.row_lost) lines += "; what follows the last whole row is left out";
  if (file.repaired > 0)
    lines += fmt::format(
        "\n{} bytes that are not UTF-8, control characters or unknown escapes, which are replaced; the "
        "first: {}",
        counted(file.repaired, "text has", "texts have"), one_line(file.first_repaired, 60));
  if (!file.around.empty())
    lines += fmt::format("\nwhat is before or behind the results is left out: {}", file.around);
  return lines;
}

}  // namespace

Result<ForeignSweep> read_foreign_results(std::string_view text) {
  const auto file = parse_foreign(text);
  if (!file) {
    const std::string guess = guess_of_text(text);
    const bool is_json = text.find_first_of("{[") == text.find_first_not_of(" \t\r\n");
    if (!guess.empty()) return failure(guess);
    if (is_json) return failure(file.error().message);
    return failure(fmt::format("is no file that `import` knows; {}", kFormsThatAreRead));
  }
  auto sweep = by_form(*file);
  if (!sweep) return sweep;
  KS_RETURN_IF_ERROR(has_usable_row(*sweep));
  KS_RETURN_IF_ERROR(few_columns(sweep->columns.size()));
  // A NUL byte ends the text of SQL.
  if (std::ranges::any_of(sweep->columns, [](const auto& name) { return name.find('\0') != name.npos; }))
    return failure("has a parameter whose name holds a zero byte (\\u0000); rename it");
  sweep->lacks += what_is_odd(*sweep, *file);
  return sweep;
}

}  // namespace kernsweep
