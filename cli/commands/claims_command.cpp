// claims: what a sweep claims, judged from its database alone.
#include <algorithm>

#include "cli/commands/claims_of_sweep.hpp"
#include "cli/commands/stored_point.hpp"
#include "cli/grammar/arguments.hpp"
#include "language/check/explain.hpp"
#include "language/claims.hpp"

namespace kernsweep {
namespace {

constexpr int kExitConfirmed = 0;
constexpr int kExitRefuted = 1;
constexpr int kExitUndecided = 2;

// The states of the caches, among those of the sweep, in which a side's points are meant.
std::uint64_t caches_of(const std::vector<ClaimChoice>& side, const std::vector<Cache>& caches) {
  std::uint64_t count = 0;
  for (const Cache cache : caches) {
    const Value name = cache == Cache::cold ? "cold" : "hot";
    const auto fits = [&](const ClaimChoice& choice) {
      const auto meant = [&](const WrittenValue& written) { return means(written, name); };
      return choice.axis != "cache" || choice.values.empty() || std::ranges::any_of(choice.values, meant);
    };
    count += std::ranges::all_of(side, fits) ? 1 : 0;
  }
  return count;
}

// How many points a sweep that has not ended has for each of its claims; where that cannot be found out in
// a second or two, it is only known that some may be missing.
void count_points(const StoredSweep& stored, std::vector<ClaimTask>& tasks) {
  for (ClaimTask& task : tasks) task.unfinished = true;
  const auto task = task_of(stored);
  if (!task || task->expansion.claims() != tasks.size()) return;
  CheckReport report;
  count_claims(task->expansion, {.time = std::chrono::seconds(2)}, report);
  if (!report.claims_exact) return;
  const std::vector<Cache>& caches = task->expansion.sweep().caches;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Claim& claim = tasks[i].claim;
    tasks[i].points = report.claims[i].first * caches_of(claim.side, caches) +
                      report.claims[i].second * caches_of(claim.than, caches);
  }
}

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
    ClaimTask task{std::move(read.claim), {}, {}, {}, false};
    if (read.where) {
      task.names = read.where->names();
      task.where = [expression = *read.where](std::span<const Value> values) {
        return expression.holds(values).value_or(false);
      };
    }
    tasks.push_back(std::move(task));
  }
  if (stored->state != SweepState::finished) count_points(*stored, tasks);
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
  const int verdict = (*answer)->undecided > 0 ? kExitUndecided : kExitConfirmed;
  return print_answer(text, (*answer)->refuted > 0 ? kExitRefuted : verdict);
}

}  // namespace kernsweep
