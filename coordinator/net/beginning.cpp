#include "coordinator/net/beginning.hpp"

#include <algorithm>
#include <random>

#include "coordinator/net/space.hpp"
#include "language/check/catalogue_check.hpp"
#include "language/check/problem.hpp"
#include "language/check/rejections.hpp"
#include "language/file/replacements_text.hpp"
#include "shared/base/try.hpp"
#include "shared/text/home_path.hpp"
#include "shared/text/moment.hpp"

namespace kernsweep::coordinator {
namespace {

SweepRecord record_of(const SweepOrder& order, const Expansion& expansion) {
  const Sweep& sweep = expansion.sweep();
  SweepRecord record;
  record.name = sweep.name;
  record.kernel = sweep.program.empty() ? sweep.kernel : sweep.program;
  record.file = without_home(sweep.file);
  record.text = sweep.text;
  record.replacements = order.replacements;
  record.tags = sweep.tags;
  record.parameter_count = 0;
  for (const Column& column : sweep.columns) {
    record.columns.push_back(column.name);
    record.stands_for.push_back(column.truths      ? StandsFor::truth
                                : !column.as_text  ? StandsFor::itself
                                : column.as_floats ? StandsFor::real_number
                                                   : StandsFor::whole_number);
    if (!column.is_computed()) record.parameter_count = record.columns.size();
  }
  record.problem = problem_by_first(expansion, order.catalogues);
  record.seed = sweep.seed;
  record.raw_points = expansion.raw_points();
  record.raw_jobs = expansion.raw_jobs();
  record.processes = sweep.processes;
  if (decides(sweep)) record.processes_least = sweep.processes_least;
  record.quick = sweep.quick;
  record.outputs_ignored = sweep.outputs == OutputsRule::ignore;
  record.files = sweep.tables;
  record.priority = order.priority;
  record.submitted = order.submitted;
  // The identity of a sweep: replacements, number of jobs, text, keys of the jobs that are first and last
  // before the order is drawn, and tables.
  std::string content = sweep.name + "\n" + as_asked(order.replacements) + "\n" +
                        std::to_string(record.raw_jobs) + "\n" + sweep.text;
  Point point;
  const Expansion undrawn = expansion.ordered_by(0);
  for (const std::uint64_t index : {std::uint64_t{0}, record.raw_jobs ? record.raw_jobs - 1 : 0}) {
    if (index >= record.raw_jobs) continue;
    const Expansion::Job job = undrawn.job_at(index);
    expansion.point_at(job.position, point);
    content += expansion.key_of(point, job).hex();
  }
  for (const TextFile& table : sweep.tables)
    content += "\n" + table.path + " " + digest_of(table.content).hex();
  // If an earlier version passed other spellings, it is another sweep; equal jobs are reused by key.
  if (sweep.respelled) content += "\nwords";
  record.identity = digest_of(content);
  record.started_unix_s = unix_now();
  return record;
}

// The replacements as they are stored: with the seed of the order, which is drawn here unless it is known.
std::string with_order_seed(const SweepOrder& order, const Sweep& sweep) {
  Replacements stored = replacements_of(order.replacements);
  if (sweep.order != Order::shuffle || sweep.order_seed != 0 || stored.order_seed != 0)
    return order.replacements;
  stored.order_seed = std::uint64_t{std::random_device{}()} + 1;
  return text_of(stored);
}

// Records which kinds of hosts have measured this sweep. A single kind has no list of jobs.
void note_hardware(SweepBegun& begun, const std::map<HostId, std::string>& fingerprints,
                   const Store::AnsweredRun& run) {
  const auto found = fingerprints.find(run.measured_on);
  if (found == fingerprints.end()) return;  // no host has measured these jobs
  auto& by_hardware = begun.measured_on;
  const auto [at, fresh] = by_hardware.try_emplace(found->second);
  if (by_hardware.size() == 1) return;
  if (fresh && by_hardware.size() == 2) {
    for (auto& [hardware, jobs] : by_hardware) {
      if (hardware != found->second) jobs = begun.event.answered;
    }
  }
  at->second.add_run(run.first, run.last, run.host);
}

}  // namespace

Status check_against_first(const Expansion& expansion,
                           const std::vector<std::shared_ptr<const Catalogue>>& catalogues) {
  for (const auto& catalogue : catalogues) {
    if (can_judge(expansion, *catalogue)) return check_against(expansion.sweep(), expansion, *catalogue);
  }
  return Done{};
}

std::vector<std::optional<bool>> problem_by_first(
    const Expansion& expansion, const std::vector<std::shared_ptr<const Catalogue>>& catalogues) {
  for (const auto& catalogue : catalogues)
    if (can_judge(expansion, *catalogue)) return problem_columns(expansion.sweep(), *catalogue);
  return problem_columns(expansion.sweep(), {});
}

Result<SweepBegun> begin_sweep(Store& store, SweepOrder& order) {
  if (!order.expansion) {
    KS_ASSIGN_OR_RETURN(auto parsed, Expansion::parse(std::move(order.text), order.file,
                                                      replacements_of(order.replacements), &order.tables));
    order.expansion = std::make_shared<const Expansion>(std::move(parsed));
  }
  KS_RETURN_IF_ERROR(check_against_first(*order.expansion, order.catalogues));
  CheckLimits looked_at;  // short, because workers get no messages meanwhile
  looked_at.time = std::chrono::milliseconds(500);
  KS_RETURN_IF_ERROR(leaves_a_point(*order.expansion, looked_at));
  const bool adds = order.again != Again::no || order.supersedes.value != 0;
  SweepBegun begun;
  const Sweep& sweep = order.expansion->sweep();
  SweepRecord record = record_of(order, *order.expansion);
  record.replacements = with_order_seed(order, sweep);
  KS_ASSIGN_OR_RETURN(const auto id, store.begin_sweep(record, adds));
  begun.id = id.id;
  begun.finished = id.finished;
  begun.replacements = id.replacements;
  const std::uint64_t order_seed = replacements_of(id.replacements).order_seed;
  begun.expansion = std::make_shared<const Expansion>(
      order.expansion->ordered_by(order_seed != 0 ? order_seed : sweep.order_seed));
  begun.priority = order.priority;
  begun.submitted = order.submitted;
  begun.supersedes = order.supersedes;
  SweepSubmitted& event = begun.event;
  event.sweep = begun.id;
  event.hosts = sweep.hosts;
  event.time_limit = sweep.rules.timeout.sweep;
  event.priority = order.priority;
  KS_ASSIGN_OR_RETURN(const auto fingerprints, store.fingerprints());
  const bool binds = ExpansionSpace::has_points(*begun.expansion);
  std::uint32_t blocks = 0;
  const auto has_row = [&](std::uint64_t job) {
    blocks = std::max(blocks, begun.expansion->job_at(job).process + 1);
  };
  KS_ASSIGN_OR_RETURN(const auto earlier, store.earlier(
                                              begun.id,
                                              [&](const Store::AnsweredRun& run) {
                                                if (binds) note_hardware(begun, fingerprints, run);
                                                has_row(run.last);
                                                event.answered.add_run(run.first, run.last, run.host);
                                              },
                                              [&](const AttemptId& attempt, bool outcome) {
                                                has_row(attempt.job.index);
                                                outcome ? event.stored_attempts.add_outcome(attempt)
                                                        : event.stored_attempts.add_tried(attempt);
                                              }));
  std::uint32_t asked = sweep.processes_least;
  if (decides(sweep)) {
    KS_ASSIGN_OR_RETURN(begun.rounds, store.asked(begun.id));
    for (const AskedRound& round : begun.rounds) asked = std::max(asked, round.until);
  }
  if (begun.finished && sweep.ends_by_point_time && blocks > 0 && blocks < asked) begun.blocks = blocks;
  begun.earlier = earlier.answered;
  event.first_attempt = earlier.next_attempt;
  begun.origins = earlier.origins;
  if (order.again != Again::all) {
    KS_ASSIGN_OR_RETURN(const auto others, store.has_other_sweeps(record.kernel, begun.id));
    begun.others = others;
  }
  return begun;
}

}  // namespace kernsweep::coordinator
