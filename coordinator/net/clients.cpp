// The coordinator's shell: requests of clients, and the answers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "coordinator/net/shell.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/number_text.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep::coordinator {
namespace {

void count(const Tally& tally, bool unfiltered, wire::SweepStatus& out) {
  out.set_jobs(tally.size - std::min(tally.unwanted, tally.size) + tally.restarted);
  out.set_exact(tally.scanned || unfiltered);
  out.set_ok(tally.earlier + tally.ok);
  out.set_failed(tally.failed);
  out.set_in_flight(tally.in_flight);
  out.set_waiting_for_host(tally.parked);
  out.set_retried(tally.retried);
}

}  // namespace

void Shell::on_request(const std::string& peer, const wire::Request& request) {
  if (!config_.token.empty()) return;  // a coordinator of `run` accepts no requests
  wire::Answer reply;
  reply.set_number(request.number());
  const auto tell = [&](const Result<std::string>& text) {
    if (text) {
      reply.mutable_done()->set_text(*text);
    } else {
      reply.set_error(text.error().message);
    }
  };
  using Asked = wire::Request;
  switch (request.what_case()) {
    case Asked::kSubmit:
      return submit(peer, request.number(), request.submit());
    case Asked::kStatus:
      fill(*reply.mutable_status());
      break;
    case Asked::kWorkers:
      fill(*reply.mutable_workers());
      break;
    case Asked::kCancel:
      tell(cancel_named(request.cancel().sweep()));
      break;
    case Asked::kDrain:
      tell(drain_named(request.drain()));
      break;
    case Asked::kReadmit:
      tell(readmit_named(request.readmit().host()));
      break;
    case Asked::kWhy:
      if (const auto text = why(request.why().job())) {
        reply.mutable_why()->set_text(*text);
      } else {
        reply.set_error(text.error().message);
      }
      break;
    case Asked::WHAT_NOT_SET:
      reply.set_error("this coordinator (version " + version_text() +
                      ") does not know that request; install the same version on both");
      break;
  }
  answer(peer, reply);
}

void Shell::answer(const std::string& peer, wire::Answer& reply) {
  wire::ToWorker message;
  *message.mutable_answer() = std::move(reply);
  socket_.send_to(peer, message.SerializeAsString());
}

void Shell::fill(wire::Status& out) {
  for (const SweepProgress& each : core_.sweeps()) {
    const RunningSweep* const sweep = running_sweep(each.sweep);
    const EndedSweep* const over = ended_sweep(each.sweep);
    if (!sweep && !over) continue;  // started by an earlier coordinator
    wire::SweepStatus& status = *out.add_sweeps();
    status.set_number(each.sweep.value);
    status.set_name(sweep ? sweep->name() : over->name);
    status.set_priority(each.priority);
    if (sweep) {
      status.set_state(core_.is_stopping(each.sweep) ? "stopping"
                       : each.tally.in_flight > 0    ? "running"
                                                     : "waiting");
    } else {
      status.set_state(over->cancelled ? "cancelled" : std::string(name_of(over->ending)));
    }
    status.set_seconds(seconds(sweep ? now_ - sweep->since : over->took));
    count(each.tally, sweep && sweep->expansion->unfiltered(), status);
    if (sweep && !sweep->nothing_more) status.set_most_jobs(sweep->space.size());
  }
  std::sort(out.mutable_sweeps()->begin(), out.mutable_sweeps()->end(),
            [](const auto& a, const auto& b) { return a.number() < b.number(); });
  out.set_workers(static_cast<std::uint32_t>(sessions_.size()));
  if (pace_.size() > 1) {
    const double over = seconds(pace_.back().first - pace_.front().first);
    if (over > 0) out.set_jobs_per_s(static_cast<double>(stored_ - pace_.front().second) / over);
  }
  out.set_database(config_.database);
  out.set_version(version_text());
  out.set_store_failure(store_failure_);
}

std::string_view Shell::standing_of(const Session& session) const {
  if (!session.joined) return "joining";
  const auto state = core_.worker(session.id);
  if (!state) return "leaving";
  if (state->draining) return "draining";
  if (state->held > 0) return "working";
  return state->resting ? "resting" : "idle";
}

void Shell::fill(wire::Workers& out) {
  for (const auto& [number, session] : sessions_) {
    wire::WorkerStatus& status = *out.add_workers();
    const KnownHost& host = hosts_[session->facts.facts];
    status.set_number(number);
    status.set_name(host.name);
    status.set_cores(session->facts.cores);
    for (const auto& [name, value] : host.facts) {
      (*status.mutable_facts())[name] = value.to_text();
      if (name == "cpu") status.set_cpu(value.to_text());
    }
    for (const AttemptId& attempt : session->active) {
      RunningSweep* const sweep = running_sweep(attempt.job.sweep);
      if (sweep && attempt.job.index < sweep->space.size())
        status.add_active(sweep->name() + "/" + std::to_string(attempt.job.index) + " " +
                          sweep->space.label(attempt.job.index));
    }
    const auto state = core_.worker(session->id);
    status.set_state(std::string(standing_of(*session)));
    status.set_heard_ago_s(seconds(now_ - session->last_message));
    if (state) {
      status.set_held(state->held);
      status.set_reason(state->reason);
      status.set_ok(state->ok);
      status.set_failed(state->failed);
    }
    status.set_version(session->version);
    status.set_key(session->key);
    *status.mutable_gpus() = session->gpus;
    for (const wire::LostCores& lost : session->lost_cores) *status.add_lost_cores() = lost;
  }
  std::sort(out.mutable_workers()->begin(), out.mutable_workers()->end(),
            [](const auto& a, const auto& b) { return a.number() < b.number(); });
}

// `which`: a number, a name, or name@number. A name alone means its newest sweep.
Result<SweepId> Shell::sweep_named(const std::string& which) const {
  const auto at = which.rfind('@');
  const auto number = number_of<std::uint32_t>(at == std::string::npos ? which : which.substr(at + 1));
  std::optional<SweepId> found;
  std::vector<std::string> names;
  const auto look = [&](SweepId id, const std::string& name) {
    names.push_back(name);
    if ((number && id.value == *number) || name == which) found = std::max(found.value_or(id), id);
  };
  for (const EndedSweep& each : ended_sweeps_) look(each.id, each.name);
  for (const auto& [id, each] : sweeps_) look(id, each->name());
  if (found) return *found;
  if (names.empty()) return failure("this coordinator has no sweep yet; add one with kernsweep submit");
  return failure("there is no sweep '" + which + "' here (kernsweep status lists them)" +
                 did_you_mean(which, names));
}

Result<std::string> Shell::cancel_named(const std::string& which) {
  KS_ASSIGN_OR_RETURN(const auto id, sweep_named(which));
  const RunningSweep* const sweep = running_sweep(id);
  if (!sweep) return failure(ended_sweep(id)->name + "@" + std::to_string(id.value) + " is over already");
  const std::string name = sweep->name() + "@" + std::to_string(id.value);
  cancel(id);
  return name + " is cancelled; what it has measured is kept";
}

Result<std::string> Shell::drain_named(const wire::Drain& which) {
  std::vector<WorkerId> found;
  std::vector<std::string> names;
  for (const auto& [number, session] : sessions_) {
    const std::string& name = hosts_[session->facts.facts].name;
    names.push_back(name);
    if (which.host().empty() ? number == which.worker() : name == which.host())
      found.push_back(session->id);
  }
  if (found.empty()) {
    return failure(which.host().empty()
                       ? "there is no worker " + std::to_string(which.worker()) +
                             " here; kernsweep workers lists them"
                       : "there is no worker on '" + which.host() +
                             "' here (kernsweep workers lists them)" + did_you_mean(which.host(), names));
  }
  std::string text;
  for (const WorkerId worker : found) {
    text += (text.empty() ? "worker " : ", ") + std::to_string(worker.value);
    // Draining one worker may end a sweep, and then other workers of `found` leave.
    if (Session* const session = session_of(worker)) drain(*session, "a client asked for it");
  }
  return text + (found.size() == 1 ? " takes" : " take") +
         " no more jobs; what runs there is finished, then it leaves";
}

Result<std::string> Shell::readmit_named(const std::string& which) {
  const auto number = number_of<std::uint32_t>(which);
  std::vector<std::string> names;
  for (const auto& [host, name] : host_names_) {
    if (!core_.is_quarantined(host)) continue;
    names.push_back(name);
    if (name != which && number != host) continue;
    EventRow event;
    event.record.what = EventKind::readmitted;
    event.record.host = HostId{host};
    note(std::move(event));
    apply(HostReadmitted{host});
    return name + " (host " + std::to_string(host) + ") may join again; start its worker";
  }
  if (names.empty())
    return failure("'" + which +
                   "' is not quarantined: no host is; kernsweep workers lists those that are here");
  return failure("'" + which +
                 "' is not quarantined; quarantined: " + fmt::format("{}", fmt::join(names, ", ")));
}

std::string Shell::explain(const JobState& state) {
  RunningSweep* const first =
      state.standing == Standing::after_sweep ? running_sweep(state.after) : nullptr;
  if (!first) return describe(state);
  return first->name() + "@" + std::to_string(first->id.value) + " has a higher priority and goes first";
}

Result<std::string> Shell::why(const std::string& job) {
  const auto slash = job.rfind('/');
  const auto index = number_of<std::uint64_t>(slash == std::string::npos ? job : job.substr(slash + 1));
  if (!index) return failure("'" + job + "' is not a job; write SWEEP/JOB, such as gemm/17");
  Result<SweepId> id = failure("this coordinator has no sweep yet; add one with kernsweep submit");
  if (slash != std::string::npos) {
    id = sweep_named(job.substr(0, slash));
  } else if (!sweeps_.empty()) {
    id = sweeps_.rbegin()->first;
  } else if (!ended_sweeps_.empty()) {
    id = ended_sweeps_.back().id;
  }
  KS_RETURN_IF_ERROR(id);
  RunningSweep* const sweep = running_sweep(*id);
  if (!sweep)
    return ended_sweep(*id)->name + " is over; kernsweep show " + config_.database + " " +
           ended_sweep(*id)->name + "/" + std::to_string(*index) +
           " shows what became of the job, if it has one of that number";
  if (*index >= sweep->space.size())
    return failure(sweep->name() + " has " + counted(sweep->space.size(), "job", "jobs") + ", from 0 on");
  std::string text = sweep->name() + "/" + std::to_string(*index) + " " + sweep->space.label(*index) + "\n";
  const Expansion::Job place = sweep->space.job(*index);
  if (const auto rejected = sweep->expansion->rejection(place.position, sweep->space.point(*index)))
    return text + "the sweep file rejects it: " + rejected->reason;
  if (*index >= sweep->space.asked() && !sweep->nothing_more)
    return text + "it runs only if the processes measured before it leave a comparison or claim undecided";
  if (!sweep->space.wanted(*index) && sweep->space.blocks() == 0)
    return text + "it does not run: no undecided comparison or claim needs more processes of its point";
  if (!sweep->space.wanted(*index))
    return text + "it is left out, because a point has taken 15 s; --set measure.processes=N runs all";
  if (sweep->expansion->sweep().hosts == Hosts::any) return text + explain(core_.explain({*id, *index, 0}));
  std::set<std::uint32_t> hosts;
  for (const auto& [number, session] : sessions_) {
    if (!session->joined || !hosts.insert(session->facts.host).second) continue;
    text += (hosts.size() == 1 ? "" : "\n") + hosts_[session->facts.facts].name + ": " +
            explain(core_.explain({*id, *index, session->facts.host}));
  }
  return hosts.empty() ? text + "no workers connected" : text;
}

}  // namespace kernsweep::coordinator
