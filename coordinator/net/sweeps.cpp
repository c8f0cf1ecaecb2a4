// The coordinator's shell: sweeps that start, end, are submitted and cancelled.
#include <algorithm>

#include "coordinator/net/catalogue.hpp"
#include "coordinator/net/lock_watch.hpp"
#include "coordinator/net/shell.hpp"
#include "language/check/catalogue_check.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/base/try.hpp"
#include "shared/text/moment.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr std::size_t kPastMax = 1000;
// More submissions than these are rejected while the disk does not respond.
constexpr std::size_t kSubmissionsMax = 256;
constexpr std::size_t kSubmittedBytesMax = std::size_t{256} << 20;

std::vector<LogField> fields_of(const EventRow& event) {
  std::vector<LogField> fields;
  if (event.record.attempt) {
    fields = fields_of(*event.record.attempt);
  } else if (event.record.sweep.value != 0) {
    fields.push_back({"sweep", std::uint64_t{event.record.sweep.value}});
  }
  if (event.record.session != 0) fields.push_back({"worker", std::uint64_t{event.record.session}});
  if (event.record.host.value != 0) fields.push_back({"host", std::uint64_t{event.record.host.value}});
  if (!event.reason.empty()) fields.push_back({"reason", event.reason});
  return fields;
}

// How the end of a sweep is stored.
SweepState state_of(Ending ending, const RunningSweep& sweep) {
  if (sweep.superseded) return SweepState::superseded;
  if (sweep.cancelled) return SweepState::cancelled;
  return is_whole(ending) ? SweepState::finished : SweepState::stopped;
}

}  // namespace

// `hello`: of the worker that `run` has started; null: no worker is connected yet.
Status Shell::open(const wire::Hello* hello) {
  SweepOrder order;
  if (own_ && hello) {
    // Checked before the database is created, so that a wrong sweep leaves no file behind.
    order.catalogues.push_back(std::make_shared<Catalogue>(catalogue_of(hello->catalogue())));
    KS_RETURN_IF_ERROR(check_against(own_->sweep(), *own_, *order.catalogues.back()));
  }
  // No heartbeat is sent meanwhile, so this process seems to be stopped to the workers.
  LockWatch locks(
      config_.database, [this](const std::string& line) { watcher_.warning(line); },
      [this] { return stop_.count() == 0; });
  Store::Options options;
  options.while_locked = locks.while_locked();
  KS_ASSIGN_OR_RETURN(auto store, Store::open_for_writing(config_.database, options));
  KS_ASSIGN_OR_RETURN(const auto identity, store.identity());
  database_identity_ = identity.view();
  KS_ASSIGN_OR_RETURN(const auto last, store.last_session());
  next_worker_ = last + 1;
  std::optional<SweepBegun> first;
  if (own_) {
    order.expansion = own_;
    order.replacements = config_.replacements;
    order.again = config_.again;
    KS_ASSIGN_OR_RETURN(first, begin_sweep(store, order));
  }
  KS_ASSIGN_OR_RETURN(auto unfinished, store.to_be_continued());
  KS_ASSIGN_OR_RETURN(const auto over, store.over());
  locks.done();
  KS_ASSIGN_OR_RETURN(auto committed, WakeUp::make());
  store_.emplace(std::move(store), "kernsweep " + version_text(), std::move(committed));
  if (first) {
    own_sweep_ = first->id;
    store_->know(first->id, first->expansion);
    begin(std::move(*first));
  }
  if (!config_.local_worker) resume(over, std::move(unfinished));
  return Done{};
}

// Sweeps of an earlier coordinator of this database: submitted ones are resumed; the outcomes of ended ones
// (`over`) that workers still hold may be discarded.
void Shell::resume(const std::vector<SweepId>& over, std::vector<StoredSweep> unfinished) {
  for (const SweepId id : over) {
    if (id != own_sweep_) apply(SweepOver{id});
  }
  for (StoredSweep& each : unfinished) {
    if (each.id == own_sweep_) continue;
    SweepOrder order;
    order.text = std::move(each.record.text);
    order.file = std::move(each.record.file);
    order.tables = std::move(each.record.files);
    order.replacements = std::move(each.record.replacements);
    order.priority = each.record.priority;
    order.submitted = true;
    watcher_.note("continuing " + each.record.name + "@" + std::to_string(each.id.value) +
                  ", which was not finished");
    post_begin(std::move(order), {});
  }
}

void Shell::post_begin(SweepOrder order, Submission submission) {
  for (const auto& [worker, session] : sessions_) order.catalogues.push_back(session->catalogue);
  submissions_[next_submission_] = std::move(submission);
  store_->post_begin(next_submission_++, std::move(order));
}

void Shell::begin(SweepBegun begun, Submission submission, wire::Answer reply) {
  const auto sweep = std::make_shared<RunningSweep>(begun, hosts_, keys_, now_);
  sweep->held_against_catalogue = config_.local_worker != nullptr;  // checked before it started
  std::erase_if(ended_sweeps_, [&](const EndedSweep& over) { return over.id == begun.id; });
  sweeps_[begun.id] = sweep;
  if (own_sweep_ && begun.supersedes == *own_sweep_) own_sweep_ = begun.id;
  const bool waits = begun.others || !begun.origins.empty();
  SweepSubmitted event = std::move(begun.event);
  event.space = std::shared_ptr<const JobSpace>(sweep, &sweep->space);
  event.held = waits;
  event.asked = sweep->space.asked();
  event.may_ask = !sweep->nothing_more;
  for (auto& [fingerprint, jobs] : begun.measured_on)
    event.measured_on[hardware_number(fingerprint)] = std::move(jobs);
  if (waits) {
    hold(begun, std::move(submission), std::move(reply));
  } else if (!submission.peer.empty()) {
    answer(submission.peer, reply);
  }
  apply(event);
}

void Shell::submit(const std::string& peer, std::uint64_t request, const wire::Submit& submit) {
  std::size_t waiting = 0;
  for (const auto& [tag, submission] : submissions_) waiting += submission.bytes;
  if (submissions_.size() >= kSubmissionsMax || waiting > kSubmittedBytesMax) {
    wire::Answer reply;
    reply.set_number(request);
    reply.set_error("the queue is full (" + std::to_string(submissions_.size()) +
                    " sweeps); submit this one later");
    return answer(peer, reply);
  }
  SweepOrder order;
  order.text = submit.text();
  order.file = submit.file();
  for (const auto& table : submit.tables()) order.tables.push_back({table.path(), table.content()});
  order.replacements = submit.replacements();
  order.priority = submit.priority();
  if (submit.again()) order.again = submit.only_doubtful() ? Again::doubtful : Again::all;
  order.submitted = true;
  post_begin(std::move(order), {peer, request, submit.ByteSizeLong()});
}

void Shell::on_begun(std::uint32_t tag, Result<SweepBegun> begun) {
  const Submission submission = std::move(submissions_[tag]);
  submissions_.erase(tag);
  const bool has_client = !submission.peer.empty();
  wire::Answer reply;
  reply.set_number(submission.request);
  if (!begun) {
    reply.set_error(begun.error().message);
    if (!has_client) watcher_.note("cannot continue: " + begun.error().message);
  } else if (const RunningSweep* const runs = running_sweep(begun->id);
             runs && core_.is_stopping(begun->id)) {
    store_->post_begun_twice(begun->id);
    reply.set_error(runs->name() + (runs->cancelled ? " is being cancelled" : " is being stopped") +
                    "; submit it again when kernsweep status shows that it has ended");
  } else {
    wire::Submitted& submitted = *reply.mutable_submitted();
    submitted.set_sweep(begun->id.value);
    submitted.set_name(begun->expansion->sweep().name);
    submitted.set_jobs(begun->expansion->raw_jobs());
    submitted.set_earlier(begun->earlier);
    submitted.set_ran_already(running_sweep(begun->id) != nullptr);
    if (has_client && !submitted.ran_already() && begun->supersedes.value == 0) {
      watcher_.note("submitted: " + submitted.name() + "@" + std::to_string(begun->id.value));
      note(EventKind::submitted, begun->id);
    }
    if (!submitted.ran_already()) {
      begin(std::move(*begun), submission, std::move(reply));
      return end_if_idle();
    }
    store_->post_begun_twice(begun->id);
  }
  if (has_client) answer(submission.peer, reply);
  end_if_idle();
}

void Shell::end_if_idle() {
  if (ends_when_idle_ && sweeps_.empty() && submissions_.empty()) all_over_ = true;
}

void Shell::cancel(SweepId sweep) {
  running_sweep(sweep)->cancelled = true;
  note(EventKind::cancelled, sweep);
  apply(SweepCancelled{sweep});
}

// The first worker with the sweep's family is used to check the sweep.
void Shell::hold_against(const Session& session) {
  std::vector<std::pair<SweepId, std::string>> wrong;
  for (const auto& [id, sweep] : sweeps_) {
    if (sweep->held_against_catalogue) continue;
    if (!can_judge(*sweep->expansion, *session.catalogue)) continue;
    sweep->held_against_catalogue = true;
    const Status known = check_against_first(*sweep->expansion, {session.catalogue});
    const auto problem = problem_by_first(*sweep->expansion, {session.catalogue});
    sweep->space.know_problem(problem);
    store_->post_problem(id, problem);
    if (!known) wrong.emplace_back(id, known.error().message);
  }
  for (const auto& [id, why] : wrong) {
    if (!running_sweep(id)) continue;
    if (id == own_sweep_ && !config_.stay && sweeps_.size() == 1) {
      refused_ = Error{why};
      wrong_from_the_start_ = true;
    } else {
      watcher_.note(running_sweep(id)->name() + "@" + std::to_string(id.value) + " is cancelled: " + why);
      cancel(id);
    }
  }
}

void Shell::ended(RunningSweep& sweep, Ending ending) {
  if (!sweep.superseded) {
    ended_sweeps_.push_back({sweep.id, sweep.name(), ending, sweep.expansion->sweep().hosts,
                             sweep.cancelled, sweep.expansion->raw_points(), sweep.expansion->raw_jobs(),
                             sweep.expansion->filters().size(), sweep.space.blocks(), sweep.decided,
                             sweep.space.further_jobs(), sweep.taken_over, sweep.again,
                             now_ - sweep.since});
    if (ended_sweeps_.size() > kPastMax) ended_sweeps_.erase(ended_sweeps_.begin());
  }
  if (const auto held = held_.find(sweep.id); held != held_.end()) {
    answer_submission(held->second);
    held_.erase(held);
  }
  store_->post_end(sweep.id, state_of(ending, sweep));
  std::erase_if(sent_, [&](const auto& entry) { return entry.first.job.sweep == sweep.id; });
  sweeps_.erase(sweep.id);
}

RunningSweep* Shell::running_sweep(SweepId id) {
  const auto found = sweeps_.find(id);
  return found == sweeps_.end() ? nullptr : found->second.get();
}

const EndedSweep* Shell::ended_sweep(SweepId id) const {
  const auto found = std::ranges::find(ended_sweeps_, id, &EndedSweep::id);
  return found == ended_sweeps_.end() ? nullptr : &*found;
}

void Shell::note(EventKind what, const AttemptId& attempt, const Session& session) {
  EventRow event;
  event.record = {what, kUnknown, attempt, {}, session.id.value, session.host, {}};
  note(std::move(event));
}

void Shell::note(EventKind what, const Session& session, const std::string& reason) {
  EventRow event;
  event.record = {what, kUnknown, std::nullopt, {}, session.id.value, session.host, {}};
  event.reason = reason;
  note(std::move(event));
}

void Shell::note(EventKind what, SweepId sweep) {
  EventRow event;
  event.record = {what, kUnknown, std::nullopt, sweep, 0, {}, {}};
  note(std::move(event));
}

void Shell::note(EventRow event) {
  ++happened_[event.record.what];
  if (log_file_is_open()) log_event(name_of(event.record.what), fields_of(event));
  if (!store_) return;
  event.record.unix_s = unix_now();
  store_->post_event(std::move(event));
}

}  // namespace kernsweep::coordinator
