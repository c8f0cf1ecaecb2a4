// The command `bench`: measures a model file with every engine of kernsweep.engines that this host's Python
// has.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/commands/run/model_file.hpp"
#include "cli/commands/run/program_question.hpp"
#include "cli/commands/run/sweep_summary.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/show/output.hpp"
#include "results/report/json.hpp"
#include "shared/base/log.hpp"
#include "shared/base/try.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string out;
  append_json(Value(text), out);
  return out;
}

// The name of the sweep: "bench-resnet50_v2" for "models/resnet50 v2.onnx".
std::string name_of(const std::string& model) {
  std::string name = fs::path(model).stem().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return c >= 0x80 || std::isalnum(c) == 0; }, '_');
  return "bench-" + name;
}

// The sweep, with two numbers of threads: one, and all cores.
std::string sweep_of(const std::vector<std::string>& files, const std::vector<std::string>& inputs,
                     std::size_t cores, const std::string& batch) {
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
  batch: [{batch}]
{inputs}  threads: [{threads}]
  mode: {{values: [inference, traced, compiled], when: 'engine == "torch"'}}
  optimisation: {{values: [all, extended], when: 'engine == "onnxruntime"'}}
problem: [model, batch{also}]
measure:
  processes: 5
  warmup: {{min_runs: 1, min_time: 50ms, max_time: 500ms}}
  samples: {{min: 5, max: 200, min_time: 100ms, max_time: 1s}}
verify: {{reference: {{python: 'kernsweep.engines:Model'}}, tolerance: {{f16: 1e-2, f32: 1e-3, f64: 1e-3}}}}
timeout: {{setup: 300s}}
)",
                     fmt::arg("name", name_of(model)), fmt::arg("model", quoted(model)),
                     fmt::arg("batch", batch), fmt::arg("depends", depends),
                     fmt::arg("inputs", said.empty() ? "" : "  inputs: [" + said + "]\n"),
                     fmt::arg("also", said.empty() ? "" : ", inputs"),
                     fmt::arg("threads", cores > 1 ? fmt::format("1, {}", cores) : "1"));
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
    const auto text_for = [&](const std::string& batch) {
      return sweep_of(*files, inputs_, topology->cores.size(), batch);
    };
    const std::string text = text_for("1");
    if (print_sweep_) {
      const Status alone = check_printed_alone(replacements_);
      return alone ? print_answer(text) : report_error(alone.error().message);
    }
    std::string fixed_batch;
    auto rest = measurable(text, fixed_batch);
    if (!rest && !fixed_batch.empty() && !names_batch()) {
      complain(fmt::format("{} fixes its batch; it is measured with batch={}", model_, fixed_batch));
      rest = measurable(text_for(fixed_batch), fixed_batch);
    }
    if (!rest) return report_error(rest.error().message);
    const std::string to = database_.empty() ? rest->sweep().name + ".db" : database_;
    const SweepTask task{std::move(*rest), replacements_, to};
    return run_and_tell(
        task, {given, memory_, patience_, again_of(again_), quiet_, json_, Suffices::every_problem});
  }

 private:
  // The sweep without the points that cannot be measured. Error: there are no other points. `fixed_batch`:
  // as for without_hopeless_models().
  Result<Expansion> measurable(const std::string& text, std::string& fixed_batch) {
    KS_ASSIGN_OR_RETURN(const auto expansion, Expansion::parse(text, "", replacements_));
    KS_RETURN_IF_ERROR(has_a_point(expansion));
    KS_RETURN_IF_ERROR(find_programs(expansion));
    auto rest = without_hopeless_models(expansion, replacements_, &fixed_batch);
    return rest ? std::move(rest) : failure(rest.error().message + "; nothing was measured");
  }

  // Whether the options set the batch.
  bool names_batch() const {
    return std::ranges::any_of(replacements_.axes,
                               [](const std::string& axis) { return axis.starts_with("batch"); });
  }

  std::string model_, database_, memory_, patience_, again_;
  std::vector<std::string> inputs_;
  Replacements replacements_;
  bool print_sweep_ = false, quiet_ = false, json_ = false;
};

}  // namespace

CommandEntry bench_command() {
  return {"bench", "Measure a model file with every engine that is installed",
          "Exit status: 0 each problem (batch, inputs) has a result of an engine, 1 finished but one has "
          "none,\n"
          "2 bad input or usage, 3 stopped and resumable.",
          std::make_unique<BenchCommand>()};
}

}  // namespace kernsweep
