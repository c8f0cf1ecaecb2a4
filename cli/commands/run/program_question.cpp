#include "cli/commands/run/program_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "cli/commands/run/local_catalogue.hpp"
#include "cli/commands/run/slot_question.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/environment_column.hpp"
#include "worker/catalogue.hpp"
#include "worker/process/environment.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kPointsAsked = 10'000;
constexpr std::size_t kFunctionsAsked = 16;
constexpr std::string_view kOperand = "operand.";

// The names that a function gets at a point, as the pack makes them of columns, each after a ','.
std::string keywords_of(const Sweep& sweep, const NamedValues& values) {
  std::string out;
  for (const auto& [name, value] : values) {
    const auto column = std::ranges::find(sweep.columns, name, &Column::name);
    const bool is_derived = column != sweep.columns.end() && column->origin == Column::Origin::derived;
    const bool is_operand = name.starts_with(kOperand);
    if (value.is_null() || name == sweep.program_column || is_derived || is_kept_from_kernels(name))
      continue;
    std::string keyword = is_operand ? name.substr(kOperand.size()) : name;
    if (!is_operand) std::ranges::replace(keyword, '.', '_');
    out += "," + keyword;
  }
  return out;
}

// A slot that tries to prepare the program or function of a point.
Result<Child> asked_slot(const std::string& pack, const Sweep& sweep, const NamedValues& values,
                         const std::string& text, const std::string& gpus) {
  std::vector<std::string> words{"--prepare", pack, sweep.kernel, sweep.kernel, sweep.kernel + "=" + text};
  if (sweep.kind == KernelKind::python) words.push_back("python.keywords=" + keywords_of(sweep, values));
  return ask_slot(std::move(words), environment_of_point(values, gpus));
}

// "": it can, or said nothing in time.
std::string why_not(const Sweep& sweep, const std::string& text, Result<Child>& asked) {
  const SlotAnswer answer = answer_of(asked);
  if (answer.good || answer.late) return "";
  if (sweep.kind == KernelKind::command) return fmt::format("the program of '{}': {}", text, answer.reason);
  const bool is_not_found = answer.reason.find("No module named") != std::string::npos;
  const std::string from =
      is_not_found ? " (looked for from " + std::filesystem::current_path().string() + ")" : "";
  return fmt::format("the function '{}': {}{}", text, answer.reason, from);
}

std::string text_in(const NamedValues& values, std::string_view column) {
  const auto found = std::ranges::find(values, column, &NamedValues::value_type::first);
  return found == values.end() || found->second.is_null() ? "" : found->second.to_text();
}

bool has_gpus(const NamedValues& values) {
  const std::string gpus = text_in(values, "gpus");
  return text_in(values, "device") == "gpu" || (!gpus.empty() && gpus != "0");
}

NamedValues values_of(const Expansion& expansion, const Point& point) {
  NamedValues out;
  const std::vector<Column>& columns = expansion.sweep().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) out.emplace_back(columns[c].name, point.values[c]);
  return out;
}

// What tells one question from another: the function, its environment, the names of its parameters.
std::string question_of(const Sweep& sweep, const NamedValues& values) {
  std::string out = keywords_of(sweep, values);
  for (const auto& [name, value] : values)
    if (name == sweep.program_column || is_environment(name)) out += "\n" + name + "=" + value.to_text();
  return out;
}

}  // namespace

std::vector<std::string> environment_of_point(const NamedValues& values, const std::string& gpus) {
  std::map<std::string, std::string> environment;
  unsigned threads = 1;
  for (const auto& [name, value] : values) {
    if (is_environment(name) && !value.is_null())
      environment[std::string(environment_variable_of(name))] = value.to_text();
    if (name == "threads" && value.integer()) threads = static_cast<unsigned>(*value.integer());
  }
  return slot_environment(environment, threads, gpus);
}

bool is_distrusted(const Expansion& expansion, const Point& point) {
  return expansion.rules(expansion.rules_of(point)).measure.verify.distrust;
}

std::string why_no_program(const Sweep& sweep, const NamedValues& values, const std::string& gpus) {
  if (sweep.kind == KernelKind::family) return "";
  const auto pack = first_pack_with(pack_folders(), sweep.kernel);
  if (!pack) return "";  // which is reported elsewhere
  const std::string text = text_in(values, sweep.program_column);
  if (text.find(kBuildPlace) != std::string::npos) return "";  // a build finds what it lacks
  auto asked = asked_slot(*pack, sweep, values, text, gpus);
  return why_not(sweep, text, asked);
}

MissingFunctions missing_functions(const Expansion& expansion) {
  struct Question {
    std::string text, point;
    Result<Child> asked;
  };
  const Sweep& sweep = expansion.sweep();
  if (sweep.kind != KernelKind::python) return {};
  const auto pack = first_pack_with(pack_folders(), sweep.kernel);
  if (!pack) return {};  // which is reported elsewhere
  std::set<std::string> known;
  std::vector<Question> questions;
  Point point;
  bool all_asked = expansion.raw_points() <= kPointsAsked;
  for (std::uint64_t at = 0; at < std::min(kPointsAsked, expansion.raw_points()); ++at) {
    expansion.point_at(at, point);
    if (expansion.rejection(at, point)) continue;
    const NamedValues values = values_of(expansion, point);
    const bool may_ask = !is_distrusted(expansion, point) && !has_gpus(values);
    if (may_ask && !known.insert(question_of(sweep, values)).second) continue;
    const std::string text = text_in(values, sweep.program_column);
    const bool asks = may_ask && questions.size() < kFunctionsAsked;
    all_asked = all_asked && asks;
    if (asks)
      questions.push_back({text, expansion.label_of(point), asked_slot(*pack, sweep, values, text, "")});
  }
  MissingFunctions out;
  for (Question& question : questions)
    if (std::string why = why_not(sweep, question.text, question.asked); !why.empty())
      out.reasons.push_back({std::move(why), question.point});
  out.all = all_asked && !questions.empty() && out.reasons.size() == questions.size();
  return out;
}

void tell(const MissingFunctions& missing) {
  for (const auto& [why, point] : missing.reasons)
    complain(
        fmt::format("cannot be measured on this machine: {}{}{}", point, point.empty() ? "" : ": ", why));
}

Status find_functions(const Expansion& expansion) {
  const MissingFunctions missing = missing_functions(expansion);
  if (missing.all)
    return failure(place_text(expansion.sweep(), expansion.sweep().kernel_place) + ": " +
                   missing.reasons.front().why + "; nothing was measured");
  tell(missing);
  return Done{};
}

}  // namespace kernsweep
