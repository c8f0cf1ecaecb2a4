#include "results/read/foreign_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::string_view kFunctions =
    "measure its functions by `python: FILE:FUNCTION` in a sweep file (kernsweep example python)";
constexpr std::string_view kPrograms =
    "measure its program by `command:` in a sweep file (kernsweep example command)";
constexpr std::string_view kHyperfine = "let hyperfine write JSON: hyperfine --export-json FILE";
constexpr std::string_view kGoogle =
    "let the program write JSON: --benchmark_out=FILE --benchmark_out_format=json";
constexpr std::string_view kTuner =
    "import the cache file, which tune_kernel writes where `cache=` names one";
constexpr std::string_view kOurs = "it needs no import: kernsweep best FILE";
constexpr std::string_view kOurAnswer = "ask the database that it came from: kernsweep best DB";
constexpr std::string_view kSweepFile = "run it: kernsweep run FILE";
constexpr std::string_view kPacked = "unpack it, and import the file within";
constexpr std::string_view kPlain = "save it as UTF-8";
constexpr std::string_view kNothing = "let the program that should have written it run again";
constexpr std::string_view kNoTable = "import the file that the tool itself wrote as JSON";

// The JSON of a program: it has all of these places.
struct JsonShape {
  std::string_view looks, advice;
  std::array<const char*, 2> places;  // JSON pointers; the second may be null
};
constexpr std::array kJsonShapes = {
    JsonShape{"results of pytest-benchmark", kFunctions, {"/benchmarks/0/stats", nullptr}},
    JsonShape{"results of mitata", kPrograms, {"/benchmarks/0/runs/0/stats", nullptr}},
    JsonShape{"results of pyperf", kFunctions, {"/benchmarks/0/runs", nullptr}},
    JsonShape{"results of NVBench", kPrograms, {"/benchmarks/0/states", nullptr}},
    JsonShape{"results of BenchmarkDotNet", kPrograms, {"/Benchmarks", "/HostEnvironmentInfo"}},
    JsonShape{"results of JMH", kPrograms, {"/0/primaryMetric", nullptr}},
    JsonShape{"results of asv (airspeed velocity)", kFunctions, {"/commit_hash", "/results"}},
    JsonShape{"results of llama-bench",
              "measure it by `command:` with `metrics: llama-bench`",
              {"/0/avg_ts", nullptr}},
    JsonShape{
        "results of fio", "measure it by `command:` with `metrics: fio`", {"/jobs/0/jobname", nullptr}},
    JsonShape{"results of nanobench", kPrograms, {"/results/0/median(elapsed)", nullptr}},
    JsonShape{"estimates of Criterion", kPrograms, {"/mean/point_estimate", nullptr}},
    JsonShape{"samples of Criterion", kPrograms, {"/sampling_mode", "/times"}},
    JsonShape{"results of BenchmarkTools of Julia", kPrograms, {"/0/Julia", nullptr}},
    JsonShape{"results of Vitest", kPrograms, {"/files/0/groups", nullptr}},
    JsonShape{"results of KTT", "let the tuner write T4 results", {"/Results", "/Metadata"}},
    JsonShape{
        "the metadata file of T4 results", "import the results file", {"/hardware", "/schema_version"}},
    JsonShape{"a cache file of Kernel Tuner without `cache`", kTuner, {"/tune_params_keys", nullptr}},
    JsonShape{"the list that tune_kernel returns", kTuner, {"/0/time", "/0/compile_time"}},
    JsonShape{"the list that tune_kernel returns", kTuner, {"/0/times", "/0/benchmark_time"}},
    JsonShape{"the list `results` of a file of hyperfine", kHyperfine, {"/0/command", "/0/mean"}},
    JsonShape{"the list `results` of a file of hyperfine", kHyperfine, {"/0/command", "/0/measurements"}},
    JsonShape{"the list `benchmarks` of a file of Google Benchmark", kGoogle, {"/0/name", "/0/real_time"}},
    JsonShape{"a time line (Perfetto, Chrome)", kPrograms, {"/traceEvents", nullptr}},
    JsonShape{"an answer or an export of kernsweep", kOurAnswer, {"/sweep", "/sweep_id"}},
    JsonShape{"a sweep file", kSweepFile, {"/sweep", nullptr}},
};

// The form of a text that is not JSON: it begins with this, or has it near its start, where blanks and line
// breaks are one blank.
struct TextShape {
  std::string_view looks, advice, start, part;
};
constexpr std::array kTextShapes = {
    TextShape{"a database of SQLite", kOurs, "SQLite format 3", ""},
    TextShape{"a file that gzip made", kPacked, "\x1f\x8b", ""},
    TextShape{"a file that zstd made", kPacked, "\x28\xb5\x2f\xfd", ""},
    TextShape{"a file that xz made", kPacked, "\xfd\x37zXZ", ""},
    TextShape{"a file that bzip2 made", kPacked, "BZh", ""},
    TextShape{"an array of NumPy", kNoTable, "\x93NUMPY", ""},
    TextShape{"a pointer of Git LFS", "get the file itself: git lfs pull", "version https://git-lfs", ""},
    TextShape{"a zip file", kPacked, "PK\x03\x04", ""},
    TextShape{"UTF-16", kPlain, "\xff\xfe", ""},
    TextShape{"UTF-16", kPlain, "\xfe\xff", ""},
    TextShape{"a program", kPrograms,
              "\x7f"
              "ELF",
              ""},
    TextShape{"CSV of hyperfine", kHyperfine, "command,mean,", ""},
    TextShape{"a table of hyperfine", kHyperfine, "[cols=", ""},
    TextShape{"a table of hyperfine", kHyperfine, "", "| Command | Mean"},
    TextShape{"what hyperfine shows on a terminal", kHyperfine, "", "Time (mean"},
    TextShape{"CSV of Google Benchmark", kGoogle, "", "name,iterations,real_time"},
    TextShape{"what Google Benchmark shows on a terminal", kGoogle, "", "Benchmark Time CPU Iterations"},
    TextShape{"what JMH shows on a terminal", kPrograms, "", " Mode Cnt Score "},
    TextShape{"CSV of JMH", kPrograms, "\"Benchmark\",\"Mode\"", ""},
    TextShape{"what benchdnn shows", "measure it by `command:` with `metrics: benchdnn`", "",
              "Output template: perf,"},
    TextShape{"a table of llama-bench", "measure it by `command:` with `metrics: llama-bench`", "",
              "| model | size | params |"},
    TextShape{"results of `go test -bench`", kPrograms, "", " ns/op"},
    TextShape{"what `perf stat` shows", kPrograms, "", "Performance counter stats"},
    TextShape{"a sweep file", kSweepFile, "", "sweep: 1"},
    TextShape{"XML or HTML", kNoTable, "<", ""},
};
constexpr std::size_t kSearched = 4096;  // bytes

// Whether the pointer finds a value. "/0" is any element of a list, because the first one may be invalid.
bool has_place(const ForeignJson& json, std::string_view place) {
  if (place.empty()) return true;
  const std::size_t end = std::min(place.find('/', 1), place.size());
  const std::string_view name = place.substr(1, end - 1), rest = place.substr(end);
  if (json.is_array() && name == "0")
    return std::ranges::any_of(json, [&](const ForeignJson& each) { return has_place(each, rest); });
  const auto found = json.is_object() ? json.find(std::string(name)) : json.end();
  return found != json.end() && has_place(*found, rest);
}

std::string in_words(std::string_view looks, std::string_view advice) {
  return fmt::format("looks like {}, which `import` does not read: {}", looks, advice);
}

// Two rows with the same number of commas, semicolons or tabs, without those within quotes.
bool is_csv(std::string_view text) {
  return std::ranges::any_of(std::string_view(",;\t"), [&](char separator) {
    std::array<std::size_t, 2> counts{};
    std::size_t row = 0;
    bool in_quotes = false;
    for (std::size_t at = 0; at < text.size() && row < counts.size(); ++at) {
      if (text[at] == '"') in_quotes = !in_quotes;
      if (in_quotes) continue;
      if (text[at] == separator) ++counts[row];
      if (text[at] == '\n') ++row;
    }
    return counts[0] > 0 && counts[0] == counts[1];
  });
}

// With one blank for blanks and line breaks.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_blank || !line.ends_with(' ')) line += is_blank ? ' ' : c;
  }
  return line;
}

// Of rows of JSON, one on each line, the first one; nothing: they are not that.
std::optional<ForeignJson> first_of_json_lines(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  auto row = ForeignJson::parse(line, nullptr, false);
  if (row.is_discarded()) return std::nullopt;
  return row;
}

}  // namespace

std::string guess_of_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return fmt::format("is empty: {}", kNothing);
  const std::string_view start = text.substr(first, kSearched);
  const bool may_be_json = start.front() == '{' || start.front() == '[';
  const std::string line = on_one_line(may_be_json ? "" : start);
  for (const TextShape& shape : kTextShapes)
    if (start.starts_with(shape.start) && line.find(shape.part) != line.npos)
      return in_words(shape.looks, shape.advice);
  if (may_be_json) {  // with an error in it, or several
    const auto row = first_of_json_lines(text.substr(first));
    return row ? guess_of_json(*row) : "";
  }
  return is_csv(start) ? in_words("CSV", kNoTable) : "";
}

std::string guess_of_json(const ForeignJson& top) {
  for (const JsonShape& shape : kJsonShapes)
    if (std::ranges::all_of(shape.places,
                            [&](const char* place) { return !place || has_place(top, place); }))
      return in_words(shape.looks, shape.advice);
  return "";
}

std::string outline_of(const ForeignJson& top) {
  constexpr std::size_t kNamesMax = 8;
  if (top.is_array() && !top.empty()) return "a list, first " + outline_of(top.front());
  if (!top.is_object()) return top.is_array() ? "an empty list" : std::string("a ") + top.type_name();
  std::string names;
  std::size_t count = 0;
  for (const auto& [name, value] : top.items())
    if (count++ < kNamesMax) names += (names.empty() ? "" : ", ") + one_line(name, 40);
  if (count == 0) return "an object without members";
  return fmt::format("an object with the member{} {}{}", count == 1 ? "" : "s", names,
                     count > kNamesMax ? ", ..." : "");
}

}  // namespace kernsweep
