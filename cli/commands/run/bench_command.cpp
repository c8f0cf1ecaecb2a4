// The command `bench`: a model file by every engine of kernsweep.engines that this host's Python has.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/commands/run/program_question.hpp"
#include "cli/commands/run/sweep_summary.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/show/output.hpp"
#include "results/report/json.hpp"
#include "shared/base/installation.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

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

std::optional<std::uint64_t> read_varint(std::istream& file) {
  std::uint64_t value = 0;
  for (int bits = 0; bits < 64; bits += 7) {
    const int byte = file.get();
    if (byte == std::istream::traits_type::eof()) return std::nullopt;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << bits;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// Whether the outermost fields of the file are those of a message of protobuf that ends with it, a graph
// among them (field 7 of ModelProto, onnx.proto). What they hold is read by the engines.
bool may_be_model(std::istream& file, std::uint64_t size) {
  bool has_graph = false;
  while (file.peek() != std::istream::traits_type::eof()) {
    const auto tag = read_varint(file);
    if (!tag || *tag >> 3 == 0) return false;
    const auto kind = *tag & 7;
    const auto number = kind == 0 || kind == 2 ? read_varint(file) : std::optional<std::uint64_t>(8);
    if (!number || kind == 3 || kind == 4 || kind > 5) return false;
    const std::uint64_t length = kind == 0 ? 0 : kind == 5 ? 4 : *number;
    if (length > size - static_cast<std::uint64_t>(file.tellg())) return false;
    file.seekg(static_cast<std::streamoff>(length), std::ios::cur);
    has_graph = has_graph || *tag == (7 << 3 | 2);
  }
  return has_graph;
}

// Empty: nothing can be said against it before an engine reads it.
std::string complaint_about_model(const std::string& model) {
  std::error_code error;
  if (!fs::exists(model, error)) return model + ": no such file";
  if (!fs::is_regular_file(model, error)) return model + " is no file; bench takes a model of ONNX";
  std::ifstream file(model, std::ios::binary);
  if (!file) return model + ": cannot be read";
  const std::uint64_t size = fs::file_size(model, error);
  if (size == 0) return model + " is empty";
  std::string begin(std::min<std::uint64_t>(size, 19), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin == "version https://git") return model + " is what Git LFS has in its place: git lfs pull";
  file.seekg(0);
  if (!may_be_model(file, size)) return model + " is no model of ONNX, or not the whole of one";
  return "";
}

// The numbers of threads that are tried: one, and all cores.
std::string sweep_of(const std::string& model, const std::vector<std::string>& inputs, std::size_t cores) {
  std::string said;
  for (const std::string& each : inputs) said += (said.empty() ? "" : ", ") + quoted(each);
  return fmt::format(R"(sweep: 1
name: {name}
python: kernsweep.engines:Model
depends: [{model}]
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
                     fmt::arg("inputs", said.empty() ? "" : "  inputs: [" + said + "]\n"),
                     fmt::arg("also", said.empty() ? "" : ", inputs"),
                     fmt::arg("threads", cores > 1 ? fmt::format("1, {}", cores) : "1"),
                     fmt::arg("folder", quoted(installation_folder() + "/share/kernsweep/python")));
}

class BenchCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("model", model_, "Model file, in the format of ONNX").required();
    to.option("--inputs", inputs_,
              "Sizes of inputs that the file leaves open, N being the batch, and values: "
              "x:Nx3x224x224,rate=16000; "
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
    if (const std::string complaint = complaint_about_model(model_); !complaint.empty())
      return report_error(complaint);
    const auto topology = read_topology();
    if (!topology) return report_error(topology.error().message);
    const std::string text = sweep_of(model_, inputs_, topology->cores.size());
    if (print_sweep_) {
      const Status alone = check_printed_alone(replacements_);
      return alone ? print_answer(text) : report_error(alone.error().message);
    }
    auto expansion = Expansion::parse(text, "", replacements_);
    if (!expansion) return report_error(expansion.error().message);
    if (const Status some = has_a_point(*expansion); !some) return report_error(some.error().message);
    if (const Status found = find_functions(*expansion); !found) return report_error(found.error().message);
    const std::string to = database_.empty() ? expansion->sweep().name + ".db" : database_;
    const SweepTask task{std::move(*expansion), replacements_, to};
    return run_and_tell(task, {given, memory_, patience_, again_of(again_), quiet_, json_});
  }

 private:
  std::string model_, database_, memory_, patience_, again_;
  std::vector<std::string> inputs_;
  Replacements replacements_;
  bool print_sweep_ = false, quiet_ = false, json_ = false;
};

}  // namespace

CommandEntry bench_command() {
  return {"bench", "Measure a model file by every engine that is here", kMeasureFooter,
          std::make_unique<BenchCommand>()};
}

}  // namespace kernsweep
