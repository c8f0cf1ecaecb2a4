// The coordinator's shell: what the database knows already when a sweep begins.
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "coordinator/net/shell.hpp"

namespace kernsweep::coordination {

Result<SweepSubmitted> Shell::read_earlier(Store& store, ReuseRule& rule) {
  const Sweep& sweep = expansion_.sweep();
  SweepSubmitted submitted;
  submitted.sweep = sweep_;
  submitted.space = std::shared_ptr<const JobSpace>(&space_, [](const JobSpace*) {});
  submitted.hosts = sweep.hosts;
  submitted.time_limit = sweep.rules.timeout.sweep;
  const auto earlier =
      store.earlier(sweep_, [&submitted](std::uint32_t host, std::uint64_t first, std::uint64_t last) {
        submitted.answered.add_run(first, last, host);
      });
  if (!earlier) return tl::unexpected(earlier.error());
  earlier_ = earlier->answered;
  submitted.first_attempt = earlier->next_attempt;
  auto spent = store.spent_attempts(sweep_);
  if (!spent) return tl::unexpected(spent.error());
  submitted.spent = std::move(*spent);
  if (!config_.again && sweep.hosts == Hosts::any) {
    const Status reused = reuse_earlier(store, rule, submitted.answered);
    if (!reused) return tl::unexpected(reused.error());
  }
  return submitted;
}

// Jobs that another sweep of this database has measured get a row that refers to that result.
Status Shell::reuse_earlier(Store& store, ReuseRule& rule, AnsweredJobs& answered) {
  if (answered.count() >= expansion_.raw_jobs()) return Done{};
  std::unordered_map<Digest, ResultId> measured;
  std::unordered_set<Digest> otherwise;  // by what would not measure now
  std::map<std::pair<HostId, SoftwareId>, bool> allowed;
  Status looked = Done{};
  const auto allows = [&](HostId host, SoftwareId software) {
    const auto [at, added] = allowed.try_emplace({host, software});
    if (!added) return at->second;
    const auto by = store.measured_by(host, software);
    if (!by) looked = tl::unexpected(by.error());
    return at->second = by && rule.allows(*by);
  };
  const Status read = store.measured_keys(
      [&](const Store::Measured& each) {
        if (each.grade != 'A' && each.grade != 'B') return;
        if (allows(each.host, each.software))
          measured[each.key] = each.result;
        else
          otherwise.insert(each.key);
      },
      sweep_);
  if (!read) return read;
  if (!looked) return looked;
  std::uint64_t anew = 0;
  Point point;
  const bool any = !measured.empty() || !otherwise.empty();
  for (std::uint64_t index = 0; any && index < expansion_.raw_jobs(); ++index) {
    if (answered.contains(index)) continue;
    const Expansion::Job job = expansion_.job_at(index);
    expansion_.point_at(job.position, point);
    const Digest key = expansion_.key_of(point, job);
    const auto found = measured.find(key);
    const bool known = found != measured.end();
    if ((!known && !otherwise.contains(key)) || expansion_.rejection(job.position, point)) continue;
    if (!known) {
      ++anew;
      continue;
    }
    ReuseRecord record;
    record.job = {sweep_, index, 0};
    record.point = job.position;
    record.values = point.values;
    record.key = key;
    record.cache = job.cache;
    record.process = job.process;
    record.from = found->second;
    const auto recorded = store.reuse(record);
    if (!recorded) return tl::unexpected(recorded.error());
    reused_ += *recorded == Recorded::stored;
    answered.add(index);
  }
  if (anew > 0)
    watcher_.note(std::to_string(anew) + (anew == 1 ? " job is" : " jobs are") +
                  " measured anew: another host or other software measured " + (anew == 1 ? "it" : "them") +
                  " in an earlier sweep");
  return store.commit();
}

}  // namespace kernsweep::coordination
