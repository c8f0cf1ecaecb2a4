// The command `claims`: evaluates the claims of a sweep with the results in its database.
#include <algorithm>

#include "cli/commands/again/stored_point.hpp"
#include "cli/commands/ask/check_output.hpp"
#include "cli/commands/ask/claims_of_sweep.hpp"
#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "coordinator/net/claim_tasks.hpp"
#include "language/check/explain.hpp"
#include "language/file/claims.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// How many of the sweep's cache states belong to a side of a claim.
std::uint64_t caches_of(const std::vector<ClaimChoice>& side, const std::vector<Cache>& caches) {
  std::uint64_t count = 0;
  for (const Cache cache : caches) {
    const Value name = cache == Cache::cold ? "cold" : "hot";
    const auto fits = [&](const ClaimChoice& choice) {
      return choice.axis != "cache" || includes(choice.values, name);
    };
    count += std::ranges::all_of(side, fits) ? 1 : 0;
  }
  return count;
}

// For an unfinished sweep: sets how many points each claim has. If counting takes longer than 2 s, the
// number stays unset, and the claims are only marked as unfinished.
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
  KS_ASSIGN_OR_RETURN(const auto stored, reader.find_sweep(question.sweep));
  if (!imported_from(stored.record).empty()) return std::optional<ClaimsAnswer>();
  auto claims = claims_of_text(stored.record.text, stored.record.file);
  if (!claims)
    return failure("the claims of the stored sweep '" + stored.record.name +
                   "' cannot be read: " + claims.error().message);
  if (claims->empty()) return std::optional<ClaimsAnswer>();
  auto tasks = tasks_of(std::move(*claims));
  if (stored.state != SweepState::finished) count_points(stored, tasks);
  KS_ASSIGN_OR_RETURN(auto answer, judge(reader, tasks, question));
  return std::optional(std::move(answer));
}

namespace {

class ClaimsCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, sweep_);
    add_margin(to, margin_);
    add_all_grades(to, all_grades_);
    add_json(to, json_);
    checks_.declare(to);
  }
  int run(const Invocation& given) override;

 private:
  std::string database_, sweep_, margin_ = "1%";
  bool all_grades_ = false, json_ = false;
  CheckOutput checks_;
};

int ClaimsCommand::run(const Invocation&) {
  const auto rules = comparison_rules(margin_);
  if (!rules) return report_error(rules.error().message);
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  ClaimsQuestion question;
  question.rules = *rules;
  question.sweep = sweep_;
  question.worst_grade = all_grades_ ? 'C' : 'B';
  const auto answer = claims_of_sweep(*reader, question);
  if (!answer) return report_error(answer.error().message);
  if (!*answer) {
    const auto stored = reader->find_sweep(sweep_);
    const std::string tool = stored ? imported_from(stored->record) : "";
    return report_error(
        tool.empty() ? "the sweep claims nothing; write what you expect under `claims:` and run it again: "
                       "what was measured is not re-measured"
                     : "what was imported from " + tool +
                           " claims nothing; use `kernsweep compare` for two of its points");
  }
  const std::string text = json_ ? to_json(**answer) + "\n" : text_of(**answer, question);
  const int status = (*answer)->refuted > 0     ? kExitNotAsHoped
                     : (*answer)->undecided > 0 ? kExitUndecided
                                                : kExitAsHoped;
  return checks_.print(text, status, checks_of(**answer), json_);
}

}  // namespace

CommandEntry claims_command() {
  return {
      "claims", "Judge the claims of a sweep file by its results",
      "docs/guides/claims.md has the rules.\n"
      "Exit status: 0 all are confirmed, 1 one is refuted, 2 bad usage or a sweep without claims, 4 none "
      "is\nrefuted but one is undecided.",
      std::make_unique<ClaimsCommand>()};
}

}  // namespace kernsweep
