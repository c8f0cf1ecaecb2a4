// claims: what a sweep claims, judged from its database alone.
#include <cstdio>

#include "cli/arguments.hpp"
#include "cli/claims_of_sweep.hpp"
#include "coordinator/sweep/claims.hpp"

namespace kernsweep {
namespace {

constexpr int kExitConfirmed = 0;
constexpr int kExitRefuted = 1;
constexpr int kExitUndecided = 2;

}  // namespace

Result<std::optional<ClaimsAnswer>> claims_of_sweep(Reader& reader, const ClaimsQuestion& question) {
  const auto stored = reader.find_sweep(question.sweep);
  if (!stored) return tl::unexpected(stored.error());
  auto claims = claims_of_text(stored->record.text, stored->record.file);
  if (!claims)
    return failure("the claims of the stored sweep '" + stored->record.name +
                   "' cannot be read: " + claims.error().message);
  if (claims->empty()) return std::optional<ClaimsAnswer>();
  std::vector<ClaimTask> tasks;
  for (ReadClaim& read : *claims) {
    ClaimTask task{std::move(read.claim), {}, {}};
    if (read.where) {
      task.names = read.where->names();
      task.where = [expression = *read.where](std::span<const Value> values) {
        return expression.holds(values).value_or(false);
      };
    }
    tasks.push_back(std::move(task));
  }
  auto answer = judge(reader, tasks, question);
  if (!answer) return tl::unexpected(answer.error());
  return std::optional(std::move(*answer));
}

int claims_command(const Arguments& arguments) {
  auto reader = Reader::open(arguments.file);
  if (!reader) return report_error(reader.error().message);
  ClaimsQuestion question;
  question.sweep = arguments.sweep;
  question.worst_grade = arguments.all_grades ? 'C' : 'B';
  const auto answer = claims_of_sweep(*reader, question);
  if (!answer) return report_error(answer.error().message);
  if (!*answer)
    return report_error(
        "the sweep claims nothing; write what you expect under `claims:` and run it again: "
        "what was measured is not measured anew");
  const std::string text = arguments.json ? to_json(**answer) + "\n" : text_of(**answer, question);
  std::printf("%s", text.c_str());
  if (std::fflush(stdout) != 0) return report_error("the output could not be written");
  if ((*answer)->refuted > 0) return kExitRefuted;
  return (*answer)->undecided > 0 ? kExitUndecided : kExitConfirmed;
}

}  // namespace kernsweep
