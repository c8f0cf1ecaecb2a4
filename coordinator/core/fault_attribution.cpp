#include "coordinator/core/fault_attribution.hpp"

#include <algorithm>

namespace kernsweep::coordinator {

namespace {

bool ends_process(Outcome outcome) {
  return outcome == Outcome::signal || outcome == Outcome::out_of_memory || outcome == Outcome::worker_lost;
}

// Whether the host may be at fault: not if the variant or the user rejects the job, or the output is wrong.
bool speaks_against_host(Outcome outcome) {
  return ends_process(outcome) || outcome == Outcome::failed_setup || outcome == Outcome::failed_build ||
         outcome == Outcome::failed_run || outcome == Outcome::timeout_setup ||
         outcome == Outcome::timeout_run;
}

std::string on_host(Outcome outcome, std::uint32_t host) {
  return std::string(name_of(outcome)) + " on host " + std::to_string(host);
}

}  // namespace

Judgement FaultAttribution::judge_lost_gpu(const Trial& trial) {
  Judgement judgement;
  judgement.counts = false;
  judgement.retry = ++suspects_[trial.job].gpus_lost < kGpusLostMax;
  if (!judgement.retry)
    judgement.reason = "GPUs were lost while it ran, " + std::to_string(kGpusLostMax) + " so far";
  return judgement;
}

Judgement FaultAttribution::judge(const Trial& trial) {
  if (trial.gpu_lost) return judge_lost_gpu(trial);
  Judgement judgement;
  judgement.retry = trial.may_retry;
  note_on_host(trial);
  if (trial.outcome == Outcome::ok || !speaks_against_host(trial.outcome)) return judgement;
  judgement.not_on = trial.host;
  if (ends_process(trial.outcome) && ends_it(trial, judgement)) return judgement;
  const auto known = suspects_.find(trial.job);
  const bool asked_before = known != suspects_.end() && known->second.doubted;
  if (hosts_ == Hosts::any && trial.others_here && !asked_before && doubtful(trial.host)) {
    suspects_[trial.job].doubted = trial.host;
    if (!judgement.retry) judgement.counts = false;
    judgement.retry = true;
  }
  return judgement;
}

// True: the job has ended its process twice and must not be retried.
bool FaultAttribution::ends_it(const Trial& trial, Judgement& judgement) {
  Suspect& suspect = suspects_[trial.job];
  if (!suspect.ended_on) {
    suspect.ended_on = trial.host;
    suspect.how = trial.outcome;
    suspect.lost_with = trial.outcome == Outcome::worker_lost ? trial.worker : WorkerId{};
    return false;
  }
  const bool elsewhere = *suspect.ended_on != trial.host;
  if (!elsewhere && trial.others_here) return false;
  judgement.retry = false;
  judgement.reason =
      elsewhere ? "it ended its process on two hosts: " : "it ended its process twice on the only host: ";
  judgement.reason += on_host(suspect.how, *suspect.ended_on) + ", " + on_host(trial.outcome, trial.host);
  return true;
}

void FaultAttribution::note_on_host(const Trial& trial) {
  const auto known = suspects_.find(trial.job);
  const auto doubted = known == suspects_.end() ? std::nullopt : known->second.doubted;
  const bool opinion = doubted && *doubted != trial.host;
  if (trial.outcome == Outcome::ok) {
    ++oks_;
    verdict_due_ = verdict_due_ || !records_.empty();
    records_.erase(trial.host);
    if (!opinion) return;
    const auto record = records_.find(*doubted);
    if (record != records_.end()) record->second.is_suspected = true;
    return;
  }
  if (hosts_ == Hosts::each || !speaks_against_host(trial.outcome)) return;
  if (opinion) {  // two hosts agree: the job is at fault
    const auto record = records_.find(*doubted);
    if (record != records_.end() && !record->second.to_be_quarantined) records_.erase(record);
    return;
  }
  Record& record = records_[trial.host];
  if (trial.outcome == Outcome::worker_lost && record.lost == trial.worker) return;
  if (trial.outcome == Outcome::worker_lost) record.lost = trial.worker;
  if (record.streak.empty()) record.oks_before = oks_;
  const std::uint64_t index = trial.job.second;
  if (record.streak.size() < kStreakToQuarantine &&
      std::find(record.streak.begin(), record.streak.end(), index) == record.streak.end()) {
    record.streak.push_back(index);
  }
  verdict_due_ = true;
}

bool FaultAttribution::doubtful(std::uint32_t host) const {
  const auto record = records_.find(host);
  return record != records_.end() && record->second.streak.size() >= kStreakToDoubt &&
         oks_ > record->second.oks_before;
}

std::vector<std::uint32_t> FaultAttribution::to_be_quarantined() {
  std::vector<std::uint32_t> hosts;
  if (!verdict_due_) return hosts;
  verdict_due_ = false;
  for (auto& [host, record] : records_) {
    if (record.to_be_quarantined || !record.is_suspected || record.streak.size() < kStreakToQuarantine)
      continue;
    record.to_be_quarantined = true;
    hosts.push_back(host);
  }
  return hosts;
}

std::string FaultAttribution::why_quarantined(std::uint32_t host) const {
  const auto record = records_.find(host);
  const std::size_t jobs = record == records_.end() ? 0 : record->second.streak.size();
  return std::to_string(jobs) + " different jobs in a row failed on host " + std::to_string(host) +
         " and jobs that failed there were ok elsewhere: look at the reasons of its failed attempts, "
         "repair the host, then `kernsweep readmit " +
         std::to_string(host) + "` lets it join again";
}

void FaultAttribution::came_back(WorkerId lost) {
  for (auto& [job, suspect] : suspects_) {
    if (suspect.ended_on && suspect.how == Outcome::worker_lost && suspect.lost_with == lost) {
      suspect.ended_on.reset();
    }
  }
}

void FaultAttribution::handed(const JobKey& job, WorkerId worker) {
  const auto suspect = suspects_.find(job);
  if (suspect == suspects_.end()) return;
  taken_back(job);
  suspect->second.with = worker;
  ++held_[worker];
}

void FaultAttribution::taken_back(const JobKey& job) {
  const auto suspect = suspects_.find(job);
  if (suspect == suspects_.end() || !suspect->second.with) return;
  const auto held = held_.find(*suspect->second.with);
  if (--held->second == 0) held_.erase(held);
  suspect->second.with.reset();
}

std::uint32_t FaultAttribution::suspects_with(WorkerId worker) const {
  const auto held = held_.find(worker);
  return held == held_.end() ? 0 : held->second;
}

void FaultAttribution::forget(const JobKey& job) {
  if (suspects_.empty()) return;
  taken_back(job);
  suspects_.erase(job);
}

}  // namespace kernsweep::coordinator
