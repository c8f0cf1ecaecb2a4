// The command `bench`: a model file by every engine of kernsweep.engines that this host's Python has.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "cli/commands/run/model_file.hpp"
#include "cli/commands/run/program_question.hpp"
#include "cli/commands/run/sweep_summary.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/show/output.hpp"
#include "results/report/json.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/programs.hpp"
#include "worker/host/topology.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRefused = "refused ";  // begins a line of kernsweep.engines.model_files

std::string quoted(const std::string& text) {
  std::string out;
  append_json(Value(text), out);
  return out;
}

// What a sweep may be called: "bench-resnet50_v2" of "models/resnet50 v2.onnx".
std::string name_of(const std::string& model) {
  std::string name = fs::path(model).stem().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return c >= 0x80 || std::isalnum(c) == 0; }, '_');
  return "bench-" + name;
}

// The numbers of threads that are tried: one, and all cores.
std::string sweep_of(const std::vector<std::string>& files, const std::vector<std::string>& inputs,
                     std::size_t cores) {
  const std::string& model = files.front();
  std::string said, depends;
  for (const std::string& file : files) depends += (depends.empty() ? "" : ", ") + quoted(file);
  for (const std::string& each : inputs) said += (said.empty() ? "" : ", ") + quoted(each);
  return fmt::format(R"(sweep: 1
name: {name}
python: kernsweep.engines:Model
depends: [{depends}]
axes:
  model: {model}
  engine: [onnxruntime, openvino, torch]
  batch: [1]
{inputs}  threads: [{threads}]
  mode: {{values: [inference, traced, compiled], when: 'engine == "torch"'}}
  optimisation: {{values: [all, extended], when: 'engine == "onnxruntime"'}}
  env.PYTHONPATH: {folder}
problem: [model, batch{also}]
measure:
  processes: 5
  warmup: {{min_runs: 1, min_time: 50ms, max_time: 500ms}}
  samples: {{min: 5, max: 200, min_time: 100ms, max_time: 1s}}
verify: {{reference: {{python: 'kernsweep.engines:Model'}}, tolerance: {{f16: 1e-2, f32: 1e-3, f64: 1e-3}}}}
timeout: {{setup: 300s}}
)",
                     fmt::arg("name", name_of(model)), fmt::arg("model", quoted(model)),
                     fmt::arg("depends", depends),
                     fmt::arg("inputs", said.empty() ? "" : "  inputs: [" + said + "]\n"),
                     fmt::arg("also", said.empty() ? "" : ", inputs"),
                     fmt::arg("threads", cores > 1 ? fmt::format("1, {}", cores) : "1"),
                     fmt::arg("folder", quoted(installation_folder() + "/share/kernsweep/python")));
}

// The problems of the sweep that may be asked about, by the words that do: model, batch, inputs. At
// most 64.
std::vector<std::vector<std::string>> problems_of(const Expansion& expansion) {
  constexpr std::uint64_t kPointsAsked = 10'000;
  constexpr std::size_t kProblemsAsked = 64;
  const std::vector<Column>& columns = expansion.sweep().columns;
  std::vector<std::vector<std::string>> out;
  Point point;
  for (std::uint64_t at = 0; at < std::min(kPointsAsked, expansion.raw_points()); ++at) {
    expansion.point_at(at, point);
    if (expansion.rejection(at, point) || is_distrusted(expansion, point)) continue;
    std::vector<std::string> words{"", "1", ""};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& name = columns[c].name;
      const std::size_t place = name == "model" ? 0 : name == "batch" ? 1 : name == "inputs" ? 2 : 3;
      if (place < words.size() && !point.values[c].is_null()) words[place] = point.values[c].to_text();
    }
    if (std::ranges::find(out, words) == out.end()) out.push_back(std::move(words));
    if (out.size() == kProblemsAsked) break;
  }
  return out;
}

// Asks the Python that measures whether each problem can be computed at all, with the inputs that it draws.
// Error: none can. What some lack is printed. Without an answer within a minute the jobs say it.
Status check_problems(const Expansion& expansion) {
  constexpr Duration kAnswerLimit = std::chrono::minutes(1);
  const auto problems = problems_of(expansion);
  if (problems.empty()) return Done{};
  Point first;
  expansion.point_at(0, first);
  NamedValues values;
  for (std::size_t c = 0; c < expansion.sweep().columns.size(); ++c)
    values.emplace_back(expansion.sweep().columns[c].name, first.values[c]);
  Launch start;
  start.environment = environment_of_point(values, "");
  start.program = find_interpreter(start.environment);
  start.arguments = {
      "-B", "-W", "ignore", "-m", "kernsweep.engines.model_files", std::to_string(expansion.sweep().seed)};
  for (const auto& words : problems)
    start.arguments.insert(start.arguments.end(), words.begin(), words.end());
  start.capture_output = true;
  auto asked = launch(start);
  if (!asked) return Done{};  // the jobs say why
  std::istringstream lines(run_to_exit(*asked, kAnswerLimit).output);
  std::vector<std::string> reasons;
  std::size_t refused = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kRefused)) continue;
    ++refused;
    std::string why = as_utf8(line.substr(kRefused.size()));
    if (std::ranges::find(reasons, why) == reasons.end()) reasons.push_back(std::move(why));
  }
  if (refused == problems.size()) {
    std::string text;
    for (const std::string& reason : reasons) text += (text.empty() ? "" : "\n") + reason;
    return failure(text + "; nothing was measured");
  }
  for (const std::string& reason : reasons) complain("cannot be measured: " + reason);
  return Done{};
}

class BenchCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("model", model_, "Model file, in the format of ONNX").required();
    to.option("--inputs", inputs_,
              "Sizes of inputs that the file leaves open, N being the batch, and values: "
              "x:Nx3x224x224, seq=128 (a size by its name), rate=16000, shape=Nx4 (each element), "
              "ids=0..99 (what is drawn), separated by commas; "
              "may be given several times, each a problem of its own");
    add_replacements(to, replacements_);
    add_new_database(to, database_);
    add_again(to, again_);
    to.flag("--print-sweep", print_sweep_, "Print the sweep file that it runs, and measure nothing");
    add_quiet(to, quiet_);
    add_json(to, json_);
    add_worker_memory(to, memory_);
    add_patience(to, patience_);
  }

  int run(const Invocation& given) override {
    const auto files = files_of_model(model_);
    if (!files) return report_error(files.error().message);
    const auto topology = read_topology();
    if (!topology) return report_error(topology.error().message);
    const std::string text = sweep_of(*files, inputs_, topology->cores.size());
    if (print_sweep_) {
      const Status alone = check_printed_alone(replacements_);
      return alone ? print_answer(text) : report_error(alone.error().message);
    }
    auto expansion = Expansion::parse(text, "", replacements_);
    if (!expansion) return report_error(expansion.error().message);
    if (const Status some = has_a_point(*expansion); !some) return report_error(some.error().message);
    if (const Status found = find_functions(*expansion); !found) return report_error(found.error().message);
    if (const Status fit = check_problems(*expansion); !fit) return report_error(fit.error().message);
    const std::string to = database_.empty() ? expansion->sweep().name + ".db" : database_;
    const SweepTask task{std::move(*expansion), replacements_, to};
    return run_and_tell(
        task, {given, memory_, patience_, again_of(again_), quiet_, json_, Suffices::every_problem});
  }

 private:
  std::string model_, database_, memory_, patience_, again_;
  std::vector<std::string> inputs_;
  Replacements replacements_;
  bool print_sweep_ = false, quiet_ = false, json_ = false;
};

}  // namespace

CommandEntry bench_command() {
  return {"bench", "Measure a model file by every engine that is here",
          "Exit status: 0 each problem (batch, inputs) has a result of an engine, 1 finished but one has "
          "none,\n"
          "2 bad input or usage, 3 stopped and resumable.",
          std::make_unique<BenchCommand>()};
}

}  // namespace kernsweep
