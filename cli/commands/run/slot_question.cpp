#include "cli/commands/run/slot_question.hpp"

#include "shared/base/installation.hpp"
#include "shared/text/utf8.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

constexpr Duration kAnswerLimit = std::chrono::seconds(20);

SlotAnswer no(std::string reason) {
  return {.reason = std::move(reason)};
}

// The rest of the last line that begins with `word`; a library may have printed other lines before it.
std::string last_line(const std::string& text, const std::string& word) {
  const auto at = text.rfind("\n" + word + " ");
  if (at == std::string::npos) return "";
  const auto begin = at + word.size() + 2;
  return as_utf8(text.substr(begin, text.find('\n', begin) - begin));
}

}  // namespace

Result<Child> ask_slot(std::vector<std::string> arguments, std::vector<std::string> environment) {
  Launch start;
  start.program = slot_program();
  start.arguments = std::move(arguments);
  start.environment = std::move(environment);
  start.capture_output = true;
  return launch(start);
}

SlotAnswer answer_of(Result<Child>& child) {
  if (!child) return no(child.error().message);
  const ExitedProcess exited = run_to_exit(*child, kAnswerLimit);
  const auto& ending = exited.ending;
  if (!exited.in_time) return {.late = true, .reason = "no answer within 20 s"};
  if (!ending) return no("its process does not end");
  if (ending->signalled) return no(describe(*ending) + " while it was opened");
  if (ending->number == 0) return {.good = true, .runtime = last_line(exited.output, "runtime")};
  const std::string reason = last_line(exited.output, "reason");
  return no(reason.empty() ? "its process " + describe(*ending) : reason);
}

}  // namespace kernsweep
