// The coordinator's shell: its metrics for Prometheus, which docs/guides/observing.md lists.
#include "coordinator/net/metrics.hpp"

#include <algorithm>
#include <map>

#include "coordinator/net/shell.hpp"
#include "shared/base/installation.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr Duration kPublishEvery = std::chrono::seconds(1);

MetricFamily single(std::string name, std::string help, double value,
                    MetricFamily::Kind kind = MetricFamily::Kind::gauge) {
  return {std::move(name), std::move(help), kind, {{{}, value}}, {}};
}

MetricFamily empty(std::string name, std::string help,
                   MetricFamily::Kind kind = MetricFamily::Kind::gauge) {
  return {std::move(name), std::move(help), kind, {}, {}};
}

MetricFamily refused(const RefusalCounts& counts) {
  MetricFamily metric =
      empty("kernsweep_refused_total", "Connections and messages that were rejected, by reason",
            MetricFamily::Kind::counter);
  const std::pair<const char*, std::uint64_t> all[] = {{"unknown_key", counts.unknown_key},
                                                       {"no_handshake", counts.no_handshake},
                                                       {"revoked", counts.revoked},
                                                       {"wrong_role", counts.wrong_role},
                                                       {"unreadable", counts.unreadable},
                                                       {"too_large", counts.too_large},
                                                       {"wrong_session", counts.wrong_session}};
  for (const auto& [why, count] : all)
    metric.samples.push_back({{{"why", why}}, static_cast<double>(count)});
  return metric;
}

// One sample for each value from `first` to `last`, zeros included: rates then see the first event.
template <class Value>
void add_counts(MetricFamily& family, const char* label, Value first, Value last,
                const std::map<Value, std::uint64_t>& counts) {
  for (auto value = first; value <= last; value = static_cast<Value>(static_cast<int>(value) + 1)) {
    const auto count = counts.find(value);
    family.samples.push_back({{{label, std::string(name_of(value))}},
                              count == counts.end() ? 0 : static_cast<double>(count->second)});
  }
}

}  // namespace

void CommitTimes::add(double took_s, std::uint64_t committed_rows) {
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), took_s) - kBounds.begin();
  ++counts[static_cast<std::size_t>(bucket)];
  seconds += took_s;
  rows += committed_rows;
}

std::vector<MetricFamily> Shell::sweep_metrics() const {
  MetricFamily jobs = empty("kernsweep_sweep_jobs", "Jobs of running sweeps, by state");
  MetricFamily found = empty("kernsweep_sweeps", "Sweeps of this coordinator, by whether they have ended");
  for (const auto& [id, sweep] : sweeps_) {
    const Tally tally = core_.tally(id);
    const std::string name = sweep->name() + "@" + std::to_string(id.value);
    const auto add = [&](const char* state, std::uint64_t count) {
      jobs.samples.push_back({{{"sweep", name}, {"state", state}}, static_cast<double>(count)});
    };
    add("ok", tally.earlier + tally.ok);
    add("failed", tally.failed);
    add("in_flight", tally.in_flight);
    add("waiting_for_host", tally.parked);
    const std::uint64_t settled =
        tally.unwanted + tally.earlier + tally.ok + tally.failed + tally.in_flight;
    const std::uint64_t all = tally.size + tally.restarted;
    add("open", all - std::min(all, settled));
  }
  found.samples = {{{{"state", "running"}}, static_cast<double>(sweeps_.size())},
                   {{{"state", "over"}}, static_cast<double>(ended_sweeps_.size())}};
  return {std::move(jobs), std::move(found)};
}

std::vector<MetricFamily> Shell::worker_metrics() const {
  MetricFamily workers = empty("kernsweep_workers", "Connected workers, by state");
  MetricFamily ages = empty("kernsweep_worker_heard_ago_seconds", "Age of the last message of a worker");
  MetricFamily held = empty("kernsweep_worker_jobs_held", "Jobs sent to a worker and not answered");
  std::map<std::string_view, std::uint32_t> by_state;  // all states: zeros are sent, too
  for (const char* state : {"joining", "idle", "working", "resting", "draining", "leaving"})
    by_state[state] = 0;
  for (const auto& [number, session] : sessions_) {
    ++by_state[standing_of(*session)];
    const MetricFamily::Labels who = {{"worker", std::to_string(number)},
                                      {"host", hosts_[session->facts.facts].name}};
    ages.samples.push_back({who, seconds(now_ - session->last_message)});
    const auto state = core_.worker(session->id);
    held.samples.push_back({who, state ? static_cast<double>(state->held) : 0});
  }
  for (const auto& [state, count] : by_state)
    workers.samples.push_back({{{"state", std::string(state)}}, static_cast<double>(count)});
  return {std::move(workers), std::move(ages), std::move(held)};
}

std::vector<MetricFamily> Shell::metrics() const {
  std::vector<MetricFamily> all = sweep_metrics();
  for (MetricFamily& metric : worker_metrics()) all.push_back(std::move(metric));
  MetricFamily attempts = empty("kernsweep_attempts_total", "Attempts that have ended, by their outcome",
                                MetricFamily::Kind::counter);
  add_counts(attempts, "outcome", Outcome::ok, kLastOutcome, ended_as_);
  all.push_back(std::move(attempts));
  all.push_back(single("kernsweep_attempts_sent_total", "Attempts that were sent to workers",
                       static_cast<double>(sent_ever_), MetricFamily::Kind::counter));
  MetricFamily events =
      empty("kernsweep_events_total", "State changes, by what happened (column what of table event)",
            MetricFamily::Kind::counter);
  add_counts(events, "what", EventKind::returned, EventKind::ended, happened_);
  all.push_back(std::move(events));
  all.push_back(refused(socket_.refusals()));
  if (store_) {
    const StoreThread::Load load = store_->load();
    all.push_back(single("kernsweep_rows_waiting", "Results that wait for the database",
                         static_cast<double>(load.rows_waiting)));
    all.push_back(single("kernsweep_rows_committed_total", "Results that the database has",
                         static_cast<double>(load.times.rows), MetricFamily::Kind::counter));
    MetricFamily commits =
        empty("kernsweep_commit_seconds", "How long a batch of rows took until it was committed",
              MetricFamily::Kind::histogram);
    commits.times = load.times;
    all.push_back(std::move(commits));
  }
  all.push_back(
      single("kernsweep_uptime_seconds", "Since the coordinator was started", seconds(now_ - started_)));
  MetricFamily build = empty("kernsweep_build_info", "The coordinator's version");
  build.samples.push_back({{{"version", version_text()}}, 1});
  all.push_back(std::move(build));
  return all;
}

void Shell::publish_metrics() {
  if (!port_ || now_ - published_ < kPublishEvery) return;
  published_ = now_;
  port_->publish(metrics());
}

}  // namespace kernsweep::coordinator
