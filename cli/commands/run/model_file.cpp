#include "cli/commands/run/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/commands/run/program_question.hpp"
#include "cli/commands/run/sweep_summary.hpp"
#include "language/sweep.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/programs.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNameMax = 4096;  // of a file with weights
constexpr int kDepthMax = 64;             // of graphs within graphs

// The messages of onnx.proto that lead to a tensor.
enum class Part { none, model, graph, node, attribute, tensor, sparse, function, entry };

Part part_at(Part within, std::uint64_t field) {
  switch (within) {
    case Part::model:
      return field == 7 ? Part::graph : field == 25 ? Part::function : Part::none;
    case Part::graph:
      return field == 1 ? Part::node : field == 5 ? Part::tensor : field == 15 ? Part::sparse : Part::none;
    case Part::function:
      return field == 7 ? Part::node : Part::none;
    case Part::node:
      return field == 5 ? Part::attribute : Part::none;
    case Part::attribute:
      if (field == 5 || field == 10) return Part::tensor;
      if (field == 6 || field == 11) return Part::graph;
      return field == 22 || field == 23 ? Part::sparse : Part::none;
    case Part::sparse:
      return field == 1 || field == 2 ? Part::tensor : Part::none;
    case Part::tensor:
      return field == 13 ? Part::entry : Part::none;
    case Part::none:
    case Part::entry:
      break;
  }
  return Part::none;
}

// Visits the messages of a protobuf file, and skips all that do not lead to a tensor.
class ModelWalk {
 public:
  explicit ModelWalk(std::istream& file) : file_(file) {}

  // Whether the outermost fields are those of a message that ends with the file, including a graph.
  bool is_model(std::uint64_t size) { return walk(Part::model, size, 0) && has_graph_; }

  // How many bytes the files with weights must have, by location.
  const std::map<std::string, std::uint64_t>& outside() const { return outside_; }

 private:
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (int bits = 0; bits < 64; bits += 7) {
      const int byte = file_.get();
      if (byte == std::istream::traits_type::eof()) return std::nullopt;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << bits;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::uint64_t here() { return static_cast<std::uint64_t>(file_.tellg()); }

  // False: these bytes are not such a message. Engines report malformed content further inside.
  bool walk(Part part, std::uint64_t end, int depth) {
    std::map<std::string, std::string> entries;
    bool is_outside = false;
    while (here() < end) {
      const auto tag = varint();
      if (!tag || *tag >> 3 == 0) return false;
      const auto kind = *tag & 7;
      const auto number = kind == 0 || kind == 2 ? varint() : std::optional<std::uint64_t>(8);
      if (!number || kind == 3 || kind == 4 || kind > 5) return false;
      const std::uint64_t length = kind == 0 ? 0 : kind == 5 ? 4 : *number;
      const std::uint64_t at = here();
      if (at > end || length > end - at) return false;
      const Part inner = kind == 2 ? part_at(part, *tag >> 3) : Part::none;
      if (inner == Part::entry) {
        read_entry(at + length, entries);
      } else if (inner != Part::none && depth < kDepthMax) {
        (void)walk(inner, at + length, depth + 1);
      }
      is_outside = is_outside || (part == Part::tensor && *tag == (14 << 3 | 0) && *number == 1);
      has_graph_ = has_graph_ || inner == Part::graph;
      file_.clear();
      file_.seekg(static_cast<std::streamoff>(at + length));
    }
    if (is_outside) add(entries);
    return true;
  }

  void read_entry(std::uint64_t end, std::map<std::string, std::string>& entries) {
    std::string texts[2];
    while (here() < end) {
      const auto tag = varint(), length = varint();
      if (!tag || !length || *length > kNameMax || (*tag != 10 && *tag != 18)) return;
      std::string& text = texts[*tag == 10 ? 0 : 1];
      text.resize(*length);
      if (!file_.read(text.data(), static_cast<std::streamsize>(*length))) return;
    }
    entries[texts[0]] = texts[1];
  }

  void add(const std::map<std::string, std::string>& entries) {
    const auto number = [&](const char* name) {
      std::uint64_t value = 0;
      if (const auto found = entries.find(name); found != entries.end())
        (void)std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
      return value;
    };
    if (const auto location = entries.find("location"); location != entries.end()) {
      std::uint64_t& bytes = outside_[location->second];
      bytes = std::max(bytes, number("offset") + number("length"));
    }
  }

  std::istream& file_;
  bool has_graph_ = false;
  std::map<std::string, std::uint64_t> outside_;
};

std::string complaint_of_git_lfs(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(19, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == "version https://git" ? path + " is what Git LFS has in its place: git lfs pull" : "";
}

std::string complaint_about_weights(const std::string& model, const std::string& path,
                                    std::uint64_t bytes) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return fmt::format("{}: its weights are in {}, which is not there; put that file next to the model",
                       model, path);
  if (std::string complaint = complaint_of_git_lfs(path); !complaint.empty()) return complaint;
  if (!std::ifstream(path)) return path + ": cannot be read";
  const std::uint64_t has = fs::file_size(path, error);
  return has >= bytes ? ""
                      : fmt::format(
                            "{} has {} bytes, and the weights of {} need {}: it is not the whole "
                            "file, or that of another model",
                            path, has, model, bytes);
}

}  // namespace

Result<std::vector<std::string>> files_of_model(const std::string& model) {
  std::error_code error;
  if (!fs::exists(model, error)) return failure(model + ": no such file");
  if (!fs::is_regular_file(model, error))
    return failure(model + " is not a file; bench takes an ONNX model");
  std::ifstream file(model, std::ios::binary);
  if (!file) return failure(model + ": cannot be read");
  const std::uint64_t size = fs::file_size(model, error);
  if (size == 0) return failure(model + " is empty");
  if (const std::string complaint = complaint_of_git_lfs(model); !complaint.empty())
    return failure(complaint);
  ModelWalk walk(file);
  if (!walk.is_model(size)) return failure(model + " is not an ONNX model, or not the whole of one");
  std::vector<std::string> files{model};
  for (const auto& [location, bytes] : walk.outside()) {
    std::string path = (fs::path(model).parent_path() / location).lexically_normal().string();
    if (const std::string complaint = complaint_about_weights(model, path, bytes); !complaint.empty())
      return failure(complaint);
    if (std::ranges::find(files, path) == files.end()) files.push_back(std::move(path));
  }
  if (files.size() > kDependsMax)
    return failure(
        fmt::format("{} has weights in {}, at most {} are possible; save them as one file "
                    "(onnx.save with save_as_external_data and all_tensors_to_one_file)",
                    model, counted(files.size() - 1, "file", "files"), kDependsMax - 1));
  return files;
}

namespace {

// Columns that determine what an engine computes: the problem, and the environment.
bool is_of_problem(std::string_view column) {
  return column == "model" || column == "batch" || column == "inputs" || is_environment(column);
}

// One problem in one environment, with the engines that are to compute it.
struct ModelProblem {
  std::vector<std::pair<std::string, Value>> values;  // of all columns, of its first point
  std::vector<Value> decisive;                        // of the columns with is_of_problem()
  std::vector<std::string> engines;
};

struct ModelProblems {
  std::vector<std::string> columns;  // of `decisive`
  std::vector<ModelProblem> all;
  bool complete = true;  // no point has another problem, or another function
};

ModelProblems problems_of(const Expansion& expansion) {
  constexpr std::uint64_t kPointsAsked = 10'000;
  constexpr std::size_t kProblemsAsked = 64;
  const std::vector<Column>& columns = expansion.sweep().columns;
  ModelProblems out;
  for (const Column& column : columns)
    if (is_of_problem(column.name)) out.columns.push_back(column.name);
  out.complete = expansion.raw_points() <= kPointsAsked;
  Point point;
  for (std::uint64_t at = 0; at < std::min(kPointsAsked, expansion.raw_points()); ++at) {
    expansion.point_at(at, point);
    if (expansion.rejection(at, point)) continue;
    ModelProblem problem;
    std::string function, engine;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& name = columns[c].name;
      problem.values.emplace_back(name, point.values[c]);
      if (is_of_problem(name)) problem.decisive.push_back(point.values[c]);
      if (name == expansion.sweep().kernel) function = point.values[c].to_text();
      if (name == "engine" && !point.values[c].is_null()) engine = point.values[c].to_text();
    }
    auto known = std::ranges::find(out.all, problem.decisive, &ModelProblem::decisive);
    const bool is_asked = function == "kernsweep.engines:Model" && !is_distrusted(expansion, point) &&
                          (known != out.all.end() || out.all.size() < kProblemsAsked);
    out.complete = out.complete && is_asked;
    if (!is_asked) continue;
    if (known == out.all.end()) known = out.all.insert(known, std::move(problem));
    if (std::ranges::find(known->engines, engine) == known->engines.end()) known->engines.push_back(engine);
  }
  return out;
}

std::string text_in(const ModelProblem& problem, std::string_view column) {
  for (const auto& [name, value] : problem.values)
    if (name == column && !value.is_null()) return value.to_text();
  return "";
}

// Runs a module with the package of this installation, which is searched last, as slots do.
constexpr const char* kModelFiles =
    "import runpy, sys\n"
    "sys.path.append(sys.argv.pop(1))\n"
    "runpy.run_module('kernsweep.engines.model_files', run_name='__main__', alter_sys=True)";

// The lines of kernsweep.engines.model_files for problems of one environment; fewer than there are problems
// if it did not answer in time.
std::string answers_of(const std::vector<const ModelProblem*>& problems, std::uint64_t seed,
                       Duration limit) {
  Launch start;
  start.environment = environment_of_point(problems.front()->values, "");
  start.program = find_interpreter(start.environment);
  const std::string package = installation_folder() + "/share/kernsweep/python";
  start.arguments = {"-B", "-W", "ignore", "-c", kModelFiles, package, std::to_string(seed)};
  for (const ModelProblem* problem : problems) {
    const std::string batch = text_in(*problem, "batch");
    std::string engines;
    for (const std::string& engine : problem->engines) engines += (engines.empty() ? "" : ",") + engine;
    start.arguments.insert(start.arguments.end(), {text_in(*problem, "model"), batch.empty() ? "1" : batch,
                                                   text_in(*problem, "inputs"), engines});
  }
  start.capture_output = true;
  auto asked = launch(start);
  return asked ? run_to_exit(*asked, limit).output : std::string();  // the jobs report the reason
}

// The answers about problems, as rules.
class ModelAnswers {
 public:
  explicit ModelAnswers(const ModelProblems& problems) : problems_(problems) {
    for (std::size_t c = 0; c < problems.columns.size(); ++c) {
      const bool varies = std::ranges::any_of(problems.all, [&](const ModelProblem& problem) {
        return !(problem.decisive[c] == problems.all.front().decisive[c]);
      });
      if (varies || !problems.complete) named_.push_back(c);
    }
  }

  void read(const std::vector<const ModelProblem*>& problems, const std::string& answers) {
    constexpr std::string_view kRefused = "refused ", kLacks = "lacks ", kBatch = "batch ";
    std::istringstream lines(answers);
    std::string line;
    for (const ModelProblem* problem : problems) {
      for (bool at_end = false; !at_end && std::getline(lines, line);) {
        line = as_utf8(line);
        std::ranges::replace(line, '\t', ' ');
        at_end = line == "good" || line.starts_with(kRefused);
        if (line.starts_with(kRefused)) refused_.emplace_back(line.substr(kRefused.size()), problem);
        if (line.starts_with(kBatch)) fixed_batch_ = line.substr(kBatch.size());
        if (!line.starts_with(kLacks)) continue;
        const std::size_t blank = line.find(' ', kLacks.size());
        if (blank == std::string::npos) continue;
        lacks_[{line.substr(kLacks.size(), blank - kLacks.size()), line.substr(blank + 1)}].push_back(
            problem);
      }
    }
  }

  const std::string& fixed_batch() const { return fixed_batch_; }  // "": no model has one

  std::vector<LeftOut> rules() const {
    LeftOutRules out;
    for (const auto& [why, problem] : refused_) out.add(why, condition_of(*problem));
    for (const auto& [about, lacking] : lacks_) {
      const std::string& engine = about.first;
      const auto asked = std::ranges::count_if(problems_.all, [&](const ModelProblem& problem) {
        const bool is_refused =
            std::ranges::any_of(refused_, [&](const auto& refused) { return refused.second == &problem; });
        return !is_refused && std::ranges::find(problem.engines, engine) != problem.engines.end();
      });
      const bool all = problems_.complete && std::cmp_equal(lacking.size(), asked);
      for (const ModelProblem* problem : lacking) {
        PointCondition condition = all ? PointCondition() : condition_of(*problem);
        condition.insert(condition.begin(), {"engine", Value(engine)});
        out.add(about.second, std::move(condition));
        if (all) break;
      }
    }
    return out.rules();
  }

 private:
  PointCondition condition_of(const ModelProblem& problem) const {
    PointCondition out;
    for (const std::size_t c : named_) out.emplace_back(problems_.columns[c], problem.decisive[c]);
    if (out.empty()) out.emplace_back("model", Value(text_in(problem, "model")));
    return out;
  }

  const ModelProblems& problems_;
  std::string fixed_batch_;
  std::vector<std::size_t> named_;  // columns by which problems differ
  std::vector<std::pair<std::string, const ModelProblem*>> refused_;
  std::map<std::pair<std::string, std::string>, std::vector<const ModelProblem*>> lacks_;
};

}  // namespace

Result<Expansion> without_hopeless_models(const Expansion& expansion, Replacements& replacements,
                                          std::string* fixed_batch) {
  constexpr Duration kAnswerLimit = std::chrono::minutes(1);
  const Sweep& sweep = expansion.sweep();
  if (sweep.kind != KernelKind::python) return expansion;
  const ModelProblems problems = problems_of(expansion);
  std::map<std::string, std::vector<const ModelProblem*>> by_environment;
  for (const ModelProblem& problem : problems.all) {
    std::string environment;
    for (std::size_t c = 0; c < problems.columns.size(); ++c)
      if (is_environment(problems.columns[c])) environment += problem.decisive[c].to_text() + "\n";
    by_environment[environment].push_back(&problem);
  }
  ModelAnswers answers(problems);
  const Instant begin = monotonic_now();
  for (const auto& [environment, some] : by_environment) {
    const Duration left = kAnswerLimit - (monotonic_now() - begin);
    if (left > Duration::zero()) answers.read(some, answers_of(some, sweep.seed, left));
  }
  if (fixed_batch != nullptr) *fixed_batch = answers.fixed_batch();
  std::vector<LeftOut> rules = answers.rules();
  if (rules.empty()) return expansion;
  std::string reasons;
  for (const LeftOut& each : rules) reasons += (reasons.empty() ? "" : "\n") + each.why;
  Replacements more = replacements;
  more.left_out = std::move(rules);
  KS_ASSIGN_OR_RETURN(auto rest, Expansion::parse(sweep.text, sweep.file, more, &sweep.tables));
  if (!has_a_point(rest)) return failure(reasons);
  replacements = std::move(more);
  return rest;
}

}  // namespace kernsweep
