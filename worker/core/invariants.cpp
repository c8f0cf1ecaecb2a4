// Conditions of the worker's tables between two events.
#include <algorithm>

#include "worker/core/state.hpp"

namespace kernsweep::worker {

namespace {

std::string text_of(const Slot& slot) {
  return "slot " + std::to_string(slot.id.value);
}

std::string text_of(const AttemptId& attempt) {
  return "job " + std::to_string(attempt.job.sweep.value) + "/" + std::to_string(attempt.job.index) +
         ", attempt " + std::to_string(attempt.number);
}

// A killed slot counts as working until it has ended, even if it did not work when the lease was granted.
bool may_work_beside(const Slot& slot) {
  return slot.state == SlotState::dying;
}

std::optional<Invariant> broken_in(const Slot& slot) {
  const bool must_have_run = slot.state == SlotState::held_before_prepare ||
                             slot.state == SlotState::preparing || slot.state == SlotState::measuring ||
                             slot.state == SlotState::checking || slot.has_requested_lease();
  const bool may_have_run =
      must_have_run || slot.state == SlotState::starting || slot.state == SlotState::dying;
  if (must_have_run ? slot.run.empty() : !may_have_run && !slot.run.empty()) return Invariant::run_mismatch;
  if (slot.state == SlotState::measuring ? !slot.holds_lease
                                         : slot.holds_lease && slot.state != SlotState::dying)
    return Invariant::lease_mismatch;
  if ((slot.holds_lease || slot.has_requested_lease()) && (slot.units & ~slot.zone).any())
    return Invariant::zone_too_small;
  // A slot in a leased run has no deadline until LookAtSlot is answered.
  const bool asked = slot.state == SlotState::measuring && slot.silent;
  if (slot.works() && !asked && !slot.deadline) return Invariant::no_limit;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Invariant invariant) {
  switch (invariant) {
    case Invariant::job_in_two_places:
      return "job_in_two_places";
    case Invariant::job_lost:
      return "job_lost";
    case Invariant::job_not_here:
      return "job_not_here";
    case Invariant::job_never_fits:
      return "job_never_fits";
    case Invariant::units_owned_twice:
      return "units_owned_twice";
    case Invariant::off_its_block:
      return "off_its_block";
    case Invariant::units_miscounted:
      return "units_miscounted";
    case Invariant::run_mismatch:
      return "run_mismatch";
    case Invariant::lease_mismatch:
      return "lease_mismatch";
    case Invariant::request_mismatch:
      return "request_mismatch";
    case Invariant::zone_too_small:
      return "zone_too_small";
    case Invariant::leases_meet:
      return "leases_meet";
    case Invariant::work_beside_lease:
      return "work_beside_lease";
    case Invariant::no_limit:
      return "no_limit";
    case Invariant::doubt_lost:
      return "doubt_lost";
    case Invariant::build_beside_work:
      return "build_beside_work";
    case Invariant::drained_early:
      return "drained_early";
  }
  return "unknown";
}

std::optional<Violation> Core::State::violation() const {
  if (auto found = violation_in_jobs()) return found;
  if (auto found = violation_in_units()) return found;
  if (auto found = violation_in_slots()) return found;
  return violation_in_leases();
}

std::optional<Violation> Core::State::violation_in_jobs() const {
  std::unordered_set<AttemptId> seen;
  std::optional<Violation> found;
  const auto see = [&](const AttemptId& attempt) {
    if (found) return;
    if (here.count(attempt) == 0) found = Violation{Invariant::job_not_here, text_of(attempt)};
    if (!seen.insert(attempt).second) found = Violation{Invariant::job_in_two_places, text_of(attempt)};
  };
  for (const Queued& job : queue) {
    see(job.order.attempt);
    const bool fits = job.order.cores <= cores_left() && job.order.gpus <= gpus_left();
    if (!found && !stopped && !fits)
      found = Violation{Invariant::job_never_fits, text_of(job.order.attempt)};
  }
  for (const auto& [id, slot] : slots) {
    for (const Queued& job : slot.run) see(job.order.attempt);
  }
  for (const KeptBack& kept : kept_back) {
    see(kept.attempt);
    if (!found && (kept.unanswered.none() || (kept.unanswered & ~in_doubt).any()))
      found = Violation{Invariant::doubt_lost, text_of(kept.attempt)};
  }
  if (found) return found;
  for (const AttemptId& attempt : here) {
    if (!seen.count(attempt)) return Violation{Invariant::job_lost, text_of(attempt)};
  }
  if (drained && !here.empty()) return Violation{Invariant::drained_early, "told"};
  return std::nullopt;
}

// A slot that is idle or was asked to leave owns no cores, but still its GPUs.
std::optional<Violation> Core::State::violation_in_units() const {
  if (((all_units | in_doubt) & ~whole_host).any())
    return Violation{Invariant::units_miscounted, "of this host"};
  if ((in_doubt & ~all_units).any()) return Violation{Invariant::doubt_lost, "of a GPU that was given up"};
  UnitSet taken;
  for (const auto& [id, slot] : slots) {
    const UnitSet own = slot.owns_units() ? slot.units : slot.units & every_gpu();
    if ((own & taken).any()) return Violation{Invariant::units_owned_twice, text_of(slot)};
    taken |= own;
    if (count_cores(slot.units) != slot.core_count || slot.core_count == 0 ||
        (slot.units & ~whole_host).any())
      return Violation{Invariant::units_miscounted, text_of(slot)};
    for (const Queued& job : slot.run) {
      if (job.order.cores != slot.core_count || job.order.gpus != count_gpus(slot.units))
        return Violation{Invariant::units_miscounted, text_of(slot)};
      if (job.order.block && cores_left() == layout.cores && slot.units != block_cores(job.order))
        return Violation{Invariant::off_its_block, text_of(slot)};
    }
  }
  return std::nullopt;
}

std::optional<Violation> Core::State::violation_in_slots() const {
  for (const auto& [id, slot] : slots) {
    if (id != slot.id) return Violation{Invariant::run_mismatch, text_of(slot)};
    if (const auto broken = broken_in(slot)) return Violation{*broken, text_of(slot)};
    const auto requests = std::count(lease_requests.begin(), lease_requests.end(), id);
    if (requests != (slot.has_requested_lease() ? 1 : 0))
      return Violation{Invariant::request_mismatch, text_of(slot)};
  }
  for (const auto& [id, slot] : slots) {
    if (builds_running > 0 && !stopped && !slot.run.empty())
      return Violation{Invariant::build_beside_work, text_of(slot)};
  }
  for (const SlotId id : lease_requests) {
    if (!slots.count(id)) return Violation{Invariant::request_mismatch, "of a slot that is gone"};
  }
  return std::nullopt;
}

std::optional<Violation> Core::State::violation_in_leases() const {
  for (const auto& [id, holder] : slots) {
    if (!holder.holds_lease) continue;
    for (const auto& [other_id, other] : slots) {
      if (other_id == id) continue;
      if (other.holds_lease && (holder.zone & other.zone).any())
        return Violation{Invariant::leases_meet, text_of(holder) + " and " + text_of(other)};
      if (!stopped && other.works() && !may_work_beside(other) && (other.units & holder.zone).any())
        return Violation{Invariant::work_beside_lease, text_of(other) + " next to " + text_of(holder)};
    }
  }
  return std::nullopt;
}

}  // namespace kernsweep::worker
