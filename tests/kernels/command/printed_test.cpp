// Numbers out of what programs print, as `metrics` of a sweep file asks for them; presets on what the
// programs have printed (printed/, 2026-11-29).
#include "kernels/command/printed.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>

#include "language/file/metrics.hpp"
#include "shared/text/command_line.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"

namespace kernsweep::command {
namespace {

Result<ReadMetrics> metrics_of(const std::string& yaml) {
  const auto source = std::make_shared<const TextSource>(TextSource{"s.yaml", true});
  const auto root = parse_yaml("metrics: " + yaml, source);
  if (!root) return tl::unexpected(root.error());
  return read_metrics(root->entries.front().value);
}

std::string column(const ReadMetrics& metrics, std::string_view name) {
  for (const BesideCommand& each : metrics.columns)
    if (each.column == name)
      return each.text.command ? each.text.command->fill({}, {}) : each.text.node.scalar;
  return "";
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// "seconds 0.5 of 3 samples, other 3 pieces larger", or what is wrong.
std::string read_by(const std::string& yaml, const std::string& text) {
  const auto metrics = metrics_of(yaml);
  if (!metrics) return metrics.error().message;
  WantedRow row;
  const auto words = command_words(column(*metrics, kMetricsRowColumn));
  for (const std::string& word : *words)
    row.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  const PrintedValues printed = printed_values_of(column(*metrics, kMetricsColumn));
  Report report;
  std::vector<double> samples;
  const std::string wrong =
      read_printed(printed, text, "stdout", row, column(*metrics, kMetricsHintColumn), report, samples);
  if (!wrong.empty()) return wrong;
  std::string out = report.seconds ? "seconds " + number(*report.seconds) : "no time";
  if (!samples.empty()) out += " of " + std::to_string(samples.size()) + " samples";
  if (report.bytes) out += ", bytes " + number(*report.bytes);
  if (report.flops) out += ", flops " + number(*report.flops);
  for (const Report::Metric& metric : report.metrics)
    out += ", " + metric.name + " " + number(*metric.value) +
           (metric.unit.empty() ? "" : " " + metric.unit) +
           (metric.better == KS_LARGER_IS_BETTER    ? " larger"
            : metric.better == KS_SMALLER_IS_BETTER ? " smaller"
                                                    : "");
  return out;
}

std::string file(const std::string& name) {
  std::ifstream in(source_folder() + "/tests/kernels/command/printed/" + name + ".txt");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Printed, PatternsFindTheNumberAndItsUnit) {
  const std::string took = "{values: {seconds: {regex: 'took (?<value>[0-9.,e+-]+) *(?<unit>\\w*)'}}}";
  EXPECT_EQ(read_by(took, "a\ntook 2.5 ms\nb"), "seconds 0.0025");
  EXPECT_EQ(read_by(took, "took 1,234.5us"), "seconds 0.0012345");
  EXPECT_EQ(read_by(took, "took 1e-3"), "seconds 0.001");
  EXPECT_EQ(read_by(took, "took 2 min"), "seconds 120");
  EXPECT_EQ(read_by("{values: {seconds: {regex: '(?P<value>\\d+)', unit: ms}}}", "7"), "seconds 0.007");
  EXPECT_EQ(read_by("{values: {seconds: {regex: '^(?<value>\\d+)$', samples: true}}}", "3\n1\n2\n"),
            "seconds 2 of 3 samples");
  EXPECT_EQ(read_by("{row: {f: b}, values: {seconds: {regex: '(?<f>\\w)=(?<value>\\d+)'}}}", "a=1 b=2"),
            "seconds 2");
  EXPECT_EQ(read_by("{values: {loss: {regex: 'loss (?<value>\\S+)', better: smaller, unit: nats}, "
                    "gone: {regex: 'x(?<value>y)', optional: true}}}",
                    "loss -0.25"),
            "no time, loss -0.25 nats smaller");
  EXPECT_EQ(
      read_by(
          "{values: {flops: {regex: 'F(?<value>\\d+)'}, peak: {regex: '(?<value>\\d+) (?<unit>[GM]iB)'}}}",
          "F5 2 MiB"),
      "no time, flops 5, peak 2.09715e+06 B");
}

TEST(Printed, ARateIsATimeWhateverItsPrefix) {
  const auto rate = [](const std::string& unit) {
    return "{values: {seconds: {regex: '(?<value>[0-9.]+)', unit: " + unit + "}}}";
  };
  EXPECT_EQ(read_by(rate("MB/s"), "200"), "seconds 0.005, bytes 1e+06");
  EXPECT_EQ(read_by(rate("kB/s"), "200000"), "seconds 0.005, bytes 1e+06");
  EXPECT_EQ(read_by(rate("GFLOP/s"), "4"), "seconds 0.25, flops 1e+09");
  const std::string printed = "{values: {seconds: {regex: '(?<value>[0-9.]+) (?<unit>\\S+)', unit: MB/s}}}";
  EXPECT_EQ(read_by(printed, "2 GB/s"), "seconds 0.0005, bytes 1e+06");
  EXPECT_EQ(read_by(rate("GFLOPS"), "4"), "seconds 0.25, flops 1e+09");
  EXPECT_EQ(read_by(rate("tokens/s"), "50"), "seconds 0.02");
  EXPECT_EQ(read_by(rate("GBytes/s"), "0.2"), "seconds 0.005, bytes 1e+06");
}

TEST(Printed, UnitsOfAnotherKindThanTheSweepsAreRefused) {
  const auto unit = [](const std::string& said) {
    return "{values: {seconds: {regex: 'rate (?<value>[0-9.]+) (?<unit>\\S+)'" + said + "}}}";
  };
  EXPECT_EQ(read_by(unit(""), "rate 5 ms"), "seconds 0.005");
  EXPECT_EQ(read_by(unit(", unit: tokens/s"), "rate 5 tokens/s"), "seconds 0.2");
  for (const auto& [said, text] :
       std::vector<std::pair<std::string, std::string>>{{"", "rate 5 MB/s"},
                                                        {", unit: GB/s", "rate 5 ms"},
                                                        {", unit: GB/s", "rate 5 GFLOP/s"},
                                                        {", unit: GB/s", "rate 5 Gbit/s"},
                                                        {", unit: tokens/s", "rate 5 words/s"}})
    EXPECT_THAT(read_by(unit(said), text), IsGolden()) << said << text;
  const std::string json = R"({"t": 5, "u": "MB/s"})";
  EXPECT_THAT(read_by("{values: {seconds: {json: /t, unit: {json: /u}}}}", json), IsGolden());
  EXPECT_EQ(read_by("{values: {seconds: {json: /t, unit: {json: /u, like: GB/s}}}}", json),
            "seconds 0.2, bytes 1e+06");
  EXPECT_THAT(read_by("{values: {x: {regex: '(?<value>\\d) (?<unit>\\w+)', unit: MiB}}}", "5 ms"),
              IsGolden());
}

TEST(Printed, APartOfANumberIsRefused) {
  const auto took = [](const std::string& pattern) {
    return "{values: {seconds: {regex: '" + pattern + "'}}}";
  };
  EXPECT_THAT(read_by(took("took (?<value>[0-9.]+)"), "took 9.84e+03"), IsGolden());
  for (const auto& [pattern, text] :
       std::vector<std::pair<std::string, std::string>>{{"(?<value>[0-9.]+) s", "took 9.84e+03 s"},
                                                        {".*(?<value>\\d+)", "took 123"},
                                                        {"took (?<value>\\d+)", "took 12.5"},
                                                        {"(?<value>\\d+)$", "took 12.5"}})
    EXPECT_NE(read_by(took(pattern), text).find("a part of a number"), std::string::npos) << pattern;
  for (const char* text : {"took 3", "v1.took 3 s", "took 3.", "took 3, 4", "took 3eggs", "3-took 3-4"})
    EXPECT_EQ(read_by(took("took (?<value>\\d+)"), text), "seconds 3") << text;
}

TEST(Printed, JsonHasRowsAndSamples) {
  const std::string text =
      "warning: x\n"
      R"({"b": [{"n": "a", "t": 2, "u": "ms"}, {"n": "b", "t": [1, 3, 2],
    "k": 8, "u": "us"}, {"n": "c", "t": 5, "u": "s"}, {"n": "c", "t": 6, "u": "s"}]})";
  const auto row = [](const std::string& name) {
    return "{rows: /b, row: {n: " + name +
           "}, samples_of: n, values: {seconds: {json: /t, unit: {json: u}}}}";
  };
  EXPECT_EQ(read_by(row("a"), text), "seconds 0.002");
  EXPECT_EQ(read_by(row("b"), text), "seconds 2e-06 of 3 samples");
  EXPECT_EQ(read_by(row("c"), text), "seconds 5.5 of 2 samples");
  EXPECT_EQ(read_by("{rows: /b, row: {k: 8.0}, values: {k: {json: k}}}", text), "no time, k 8");
  EXPECT_EQ(read_by("{values: {seconds: {json: /b/0/t}}}", text), "seconds 2");
  for (const char* yaml :
       {"{rows: /b, row: {n: x}, values: {seconds: {json: /t}}}",
        "{rows: /b, row: {n: c}, values: {seconds: {json: /t}}}",
        "{rows: /b, samples_of: n, values: {seconds: {json: /t}}}",
        "{rows: /c, values: {seconds: {json: /t}}}", "{values: {seconds: {json: /t}}}",
        "{values: {seconds: {json: /b/1/n}}}", "{values: {seconds: {json: /b/0/t, unit: {json: /b/0/n}}}}",
        "{values: {other: {json: /b/1/t}}}"})
    EXPECT_THAT(read_by(yaml, text), IsGolden());
  EXPECT_THAT(read_by("{values: {seconds: {json: /t}}}", "a table\n{of 3}"), IsGolden());
}

TEST(Printed, SeveralDocumentsOfJsonAreRows) {
  const std::string lines = "warming up\n{\"n\": 1, \"t\": 3}\n{\"n\": 2, \"t\": 5}\n";
  EXPECT_THAT(read_by("{values: {seconds: {json: /t}}}", lines), IsGolden());
  EXPECT_EQ(read_by("{rows: '', row: {n: 2}, values: {seconds: {json: /t}}}", lines), "seconds 5");
  EXPECT_EQ(read_by("{rows: '', row: {n: 1}, values: {seconds: {json: /t}}}", "{\"n\": 1, \"t\": 3}"),
            "seconds 3");
  EXPECT_EQ(read_by("{values: {seconds: {json: /t}}}", "{\"config\": 1}\n[0.5] a log\n{\n \"t\": 5}\n"),
            "seconds 5");
  EXPECT_THAT(read_by("{rows: '', row: {n: 1}, values: {seconds: {json: /t}}}", lines + "{\"n\": 3, \"t\n"),
              IsGolden());
  EXPECT_THAT(read_by("{values: {seconds: {json: /t}}}", "{\"t\": 3}\ndone\n"), IsGolden());
}

TEST(Printed, JsonOfOtherWritersIsReadAsFarAsItIsAsked) {
  const auto read = [](const char* text) { return read_by("{values: {seconds: {json: /t}}}", text); };
  EXPECT_EQ(read(R"({"t": 2, "a": [NaN, -Infinity, inf, 1e400], "s": "NaN \" nan"})"), "seconds 2");
  for (const char* text : {R"({"t": NaN})", R"({"t": 1e400})", R"({"t": 2, "a": {"t": 3, "t": 4}})",
                           "x\n{\"a\": NaN,\n \"t\": 2,,}\n", R"({"a": NaN, "b": NaN "t": 2})",
                           R"({"t": 2, "a": nought})", R"({"t": 2)"})
    EXPECT_THAT(read(text), IsGolden()) << text;
  EXPECT_EQ(read(R"({"t": 2, "a": {"b": 3, "b": 4}, "c": {"b": 1}})"), "seconds 2");
}

TEST(Printed, TablesHaveColumns) {
  const std::string text = "name,time,unit\r\n\"a, b\",1.5,ms\nc,2,s\n";
  const auto row = [](const std::string& name) {
    return "{row: {name: '" + name + "'}, values: {seconds: {csv: time, unit: {csv: unit}}}}";
  };
  EXPECT_EQ(read_by(row("a, b"), text), "seconds 0.0015");
  EXPECT_EQ(read_by(row("c"), text), "seconds 2");
  for (const std::string& yaml : {row("d"), std::string("{values: {seconds: {csv: time}}}"),
                                  std::string("{row: {name: c}, values: {seconds: {csv: tim}}}")})
    EXPECT_THAT(read_by(yaml, text), IsGolden());
  EXPECT_THAT(read_by(row("c"), "a,b\n1\n"), IsGolden());
  EXPECT_THAT(read_by(row("c"), ""), IsGolden());
  EXPECT_THAT(read_by("{values: {seconds: {csv: time}}}", "name,time,time\na,5,7\n"), IsGolden());
  EXPECT_EQ(read_by("{values: {seconds: {csv: time}}}", "x,time,x\na,5,7\n"), "seconds 5");
}

TEST(Printed, RowsHaveKeys) {
  const auto keys = [](const std::string& yaml, const std::string& text, const std::string& key,
                       const WantedRow& row = {}) {
    const auto metrics = metrics_of(yaml);
    if (!metrics) return std::vector<std::string>{metrics.error().message};
    const PrintedValues printed = printed_values_of(column(*metrics, kMetricsColumn));
    const auto found = row_keys({text, printed, row}, key);
    if (!found) return std::vector<std::string>{found.error().message};
    auto out = found->keys;
    if (found->without > 0) out.push_back(std::to_string(found->without) + " lack it");
    return out;
  };
  using testing::ElementsAre;
  EXPECT_THAT(
      keys("{rows: /b, values: {seconds: {json: /t}}}", R"({"b": [{"n": 2}, {"n": 2}]})", "n").front(),
      IsGolden());
  EXPECT_THAT(keys("{rows: /b, samples_of: n, values: {seconds: {json: /t}}}",
                   R"({"b": [{"n": 2}, {"n": 1}, {"n": 2}, {}]})", "n"),
              ElementsAre("2", "1", "1 lack it"));
  EXPECT_THAT(keys("{values: {seconds: {csv: t}}}", "n,t\na,1\nb,1\n", "n"), ElementsAre("a", "b"));
  EXPECT_THAT(keys("{values: {x: {regex: '(?<f>\\w)=(?<value>\\d)'}}}", "a=1 b=2", "f"),
              ElementsAre("a", "b"));
  EXPECT_THAT(keys("{rows: /b, values: {seconds: {json: /t}}}", R"({"b": [{"m": 2}]})", "n"),
              ElementsAre("no row has 'n'"));
  const std::string each = "{values: {seconds: {regex: '(?<r>\\w+) (?<m>\\w+) (?<value>\\d+)'}}}",
                    text = "0 COPY 3\nAVG COPY 4\n0 DUMB 5\nAVG DUMB 6\n";
  EXPECT_THAT(keys(each, text, "m", {{"r", "AVG"}}), ElementsAre("COPY", "DUMB"));
  EXPECT_THAT(keys(each, text, "m").front(), IsGolden());
}

TEST(Printed, WhatIsWrongNamesTheValueAndWhatToDo) {
  const auto pattern = [](const std::string& text) {
    return "{values: {seconds: {regex: '" + text + "'}}}";
  };
  for (const auto& [yaml, text] : std::vector<std::pair<std::string, std::string>>{
           {pattern("took (?<value>\\d+)"), "nothing\nof it\n\n"},
           {pattern("took (?<value>\\d+)"), ""},
           {pattern("(?<value>\\d+)"), "1 2 3"},
           {pattern("took (?<value>\\S+)"), "took nan"},
           {pattern("took (?<value>\\S+)"), "took inf"},
           {pattern("took (?<value>\\S+)"), "took 1,23"},
           {pattern("took (?<value>\\S+)"), "took 0"},
           {pattern("took (?<value>\\S+)"), "took -1"},
           {pattern("(?<value>\\d+) (?<unit>\\w+)"), "3 parsecs"},
           {pattern("(?<value>\\d+) (?<unit>\\w+)"), "3 MB"},
           {"{row: {f: c}, values: {seconds: {regex: '(?<f>\\w)=(?<value>\\d+)'}}}", "a=1 b=2"},
           {"{row: {f: a}, values: {seconds: {regex: '(?<f>\\w)=(?<value>\\d+)'}}}", "a=1 a=2"}})
    EXPECT_THAT(read_by(yaml, text), IsGolden());
}

TEST(Printed, AHostilePatternTakesLinearTime) {
  const std::string text(1 << 20, 'a');
  EXPECT_THAT(read_by("{values: {seconds: {regex: '(?<value>(a+)+)+$b'}}}", text), IsGolden());
}

TEST(Printed, PresetsReadWhatTheProgramsPrint) {
  const std::map<std::string, std::string> rows = {{"benchdnn", "{problem: --matmul --mode=P 64x64:64x64}"},
                                                   {"fftw-bench", "{problem: irf4096}"},
                                                   {"google-benchmark", "{name: sort/1000}"},
                                                   {"hyperfine", "{command: sleep 0.003}"},
                                                   {"llama-bench", "{n_prompt: 0, n_gen: 8}"}};
  for (const MetricPreset& preset : metric_presets()) {
    const std::string name(preset.name);
    const auto row = rows.find(name);
    const std::string which = row == rows.end() ? "" : ", row: " + row->second;
    EXPECT_THAT(read_by("{preset: " + name + which + "}", file(name)), IsGolden()) << name;
  }
}

std::string job_of_fio(int read, int write) {
  const auto side = [](const char* name, int rate) {
    return std::string("\"") + name + "\" : {\n\"io_bytes\" : 9,\n\"bw_bytes\" : " + std::to_string(rate) +
           ",\n\"iops\" : " + std::to_string(rate / 100) + (rate == 0 ? ".000000" : ".500000") +
           ",\n\"slat_ns\" : {\n\"min\" : 0\n}\n}";
  };
  return "{\n\"jobs\" : [\n{\n" + side("read", read) + ",\n" + side("write", write) + "\n}\n]\n}\n";
}

TEST(Printed, FiosRateIsOfTheSideThatRan) {
  const std::string writes = job_of_fio(0, 4'000'000), both = job_of_fio(2'000'000, 4'000'000);
  EXPECT_EQ(read_by("fio", writes), "seconds 0.25, bytes 1e+06, iops 40000.5 larger");
  EXPECT_THAT(read_by("fio", both), IsGolden());
  EXPECT_EQ(read_by("{preset: fio, row: {direction: read}}", both),
            "seconds 0.5, bytes 1e+06, iops 20000.5 larger");
  EXPECT_THAT(read_by("fio", writes + writes), IsGolden());
}

TEST(Printed, AValueInPlaceOfAPresetsKeepsItsUnit) {
  EXPECT_EQ(read_by("{preset: fio, values: {seconds: {json: /write/bw_bytes}, iops: {json: /write/iops}}}",
                    job_of_fio(2'000'000, 4'000'000)),
            "seconds 0.25, bytes 1e+06, iops 40000.5 larger");
  EXPECT_EQ(
      read_by("{preset: hyperfine, values: {seconds: {json: /t, unit: ms}}}", R"({"results": [{"t": 2}]})"),
      "seconds 0.002");
  EXPECT_EQ(
      read_by("{preset: google-benchmark, row: {name: sort/1000}, values: {seconds: {json: /cpu_time}}}",
              file("google-benchmark"))
          .substr(0, 11),
      "seconds 7.5");
}

TEST(Printed, ARowThatGoogleBenchmarkSkippedHasItsError) {
  EXPECT_THAT(read_by("google-benchmark", R"({"benchmarks": [{"name": "a", "run_type": "iteration",
    "error_occurred": true, "error_message": "no device", "real_time": 0.0, "time_unit": "ns"}]})"),
              IsGolden());
}

TEST(Printed, EachLevelOfZstdIsARow) {
  std::string text;
  for (const char* level : {"1", "3"})
    text += std::string(
                "Loading x...\r     \r -x :  100 ->  46 (x2.1), 300.0 MB/s \r -x :  100 ->  46 (x2.1), ") +
            level + "00.0 MB/s, 700.0 MB/s\r " + level + "#\n";
  EXPECT_THAT(read_by("zstd", text), IsGolden());
  EXPECT_EQ(read_by("{preset: zstd, row: {level: 1}}", text),
            "seconds 0.01, bytes 1e+06, decompressed_mb_per_s 700 larger");
}

TEST(Printed, TimeitsNumbersMayHaveExponents) {
  EXPECT_EQ(read_by("timeit", "100 loops, best of 5: 9.84e+03 nsec per loop\n"), "seconds 9.84e-06");
}

TEST(Printed, BenchdnnsTimeIsThatOfEachPrimitive) {
  EXPECT_THAT(read_by("benchdnn", file("benchdnn-eltwise")), IsGolden());
  const std::string newer = "perf,cpu,jit:avx2,--mode=P --eltwise --alg=relu 64x64,0.25,0.5,0.75\n";
  EXPECT_EQ(read_by("benchdnn", newer), "seconds 0.0005");
}

TEST(Printed, APresetOnOtherOutputSaysWhatItReads) {
  for (const MetricPreset& preset : metric_presets())
    EXPECT_THAT(read_by(std::string(preset.name), "total: 12 widgets\n"), IsGolden()) << preset.name;
  EXPECT_THAT(read_by("google-benchmark", file("google-benchmark")), IsGolden());
}

TEST(Printed, WhatASweepFileCannotSayIsRefusedWhereItIs) {
  for (const char* yaml : {"[a]",
                           "hyperfin",
                           "{}",
                           "{values: {}}",
                           "{values: {Seconds: {regex: a}}}",
                           "{values: {seconds: a}}",
                           "{values: {seconds: {}}}",
                           "{values: {seconds: {regex: '(?<value>a', json: /a}}}",
                           "{values: {seconds: {regex: '(?<value>a'}}}",
                           "{values: {seconds: {regex: 'a'}}}",
                           "{values: {seconds: {regex: '(?<value>a)(?=b)'}}}",
                           "{values: {seconds: {json: a/b}}}",
                           "{values: {seconds: {json: /a, unit: parsecs}}}",
                           "{values: {seconds: {json: /a, unit: MB}}}",
                           "{values: {seconds: {json: /a, optional: true}}}",
                           "{values: {seconds: {json: /a, better: larger}}}",
                           "{values: {x: {json: /a, better: big}}}",
                           "{values: {x: {json: /a, samples: true}}}",
                           "{values: {flops: {json: /a, unit: flop}}}",
                           "{values: {x: {regex: '(?<value>a)', unit: {json: /u}}}}",
                           "{row: {a: 1}, values: {x: {json: /a}}}",
                           "{row: {a: 1}, values: {x: {regex: '(?<value>a)'}}}",
                           "{row: {a: 1}, values: {x: {regex: '(?<value>a)(?<b>b)'}}}",
                           "{row: a, values: {x: {json: /a}}}",
                           "{rows: a/b, values: {x: {json: /a}}}",
                           "{from: '{a', values: {x: {json: /a}}}",
                           "{rows: /b, rows_by: command, values: {x: {json: /a}}}",
                           "{form: stdout, values: {x: {json: /a}}}"}) {
    const auto metrics = metrics_of(yaml);
    EXPECT_FALSE(metrics) << yaml;
    EXPECT_THAT(metrics ? "" : metrics.error().message, IsGolden());
  }
}

TEST(Printed, WhatIsPassedIsReadBack) {
  PrintedValues printed;
  printed.rows = "";
  printed.samples_of = "a b";
  printed.values = {{"seconds", PrintedValue::Form::json, "/two\nlines \\n", "ms", "", "", false, false},
                    {"x", PrintedValue::Form::csv, "a b", "", "u", "larger", true, false},
                    {"y", PrintedValue::Form::regex, "\\d", "", "", "", false, true}};
  const std::string text = text_of(printed);
  EXPECT_EQ(text_of(printed_values_of(text)), text);
  EXPECT_EQ(printed_values_of(text).rows, "");
}

}  // namespace
}  // namespace kernsweep::command
