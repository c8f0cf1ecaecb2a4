// Which slot may measure now.
#include <algorithm>

#include "worker/core/state.hpp"

namespace kernsweep::worker {

UnitSet Core::State::zone_of(Exclusion alone_on, const UnitSet& units) const {
  if (alone_on == Exclusion::core) return units;
  const std::vector<UnitSet>& neighbours = alone_on == Exclusion::numa ? layout.numa_of : layout.cache_of;
  // What is not known about the machine is assumed to be shared.
  if (alone_on == Exclusion::host || neighbours.size() < layout.cores) return whole_host;
  UnitSet zone = units;
  for (std::uint32_t core = 0; core < layout.cores; ++core) {
    if (units[core]) zone |= neighbours[core];
  }
  return zone;
}

UnitSet Core::State::kept_quiet() const {
  UnitSet quiet;
  for (const auto& [id, slot] : slots) {
    if (slot.holds_lease || slot.has_requested_lease()) quiet |= slot.zone;
  }
  return quiet;
}

// older_requests: how many of `lease_requests` came before it. If zones overlap, older requests come first;
// otherwise they could wait for ever.
bool Core::State::may_have_lease(const Slot& slot, std::size_t older_requests) const {
  for (const auto& [id, other] : slots) {
    if (id == slot.id) continue;
    if (other.works() && (other.units & slot.zone).any()) return false;
    if (other.holds_lease && (other.zone & slot.zone).any()) return false;
  }
  for (std::size_t i = 0; i < older_requests; ++i) {
    if ((slots.at(lease_requests[i]).zone & slot.zone).any()) return false;
  }
  return true;
}

// A draining worker does not wait, because it is to end soon.
bool Core::State::waits_for_quiet(const Slot& slot) {
  if (draining || !slot.run.front().order.watched || host_quiet.may_measure(now)) return false;
  quiet_wanted = true;
  return true;
}

void Core::State::watch_host() {
  if (!quiet_wanted) host_quiet.nobody_waits(now);
  if (!quiet_wanted || host_looked_at || host_quiet.look_at() > now) return;
  host_looked_at = true;
  actions->emplace_back(LookAtHost{});
}

void Core::State::on(const HostSeen& event) {
  if (!host_looked_at) return;
  host_looked_at = false;
  if (std::string notice = host_quiet.seen(now, event); !notice.empty())
    actions->emplace_back(TellUser{std::move(notice)});
}

bool Core::State::grant_leases() {
  bool granted = false;
  for (std::size_t i = 0; i < lease_requests.size();) {
    Slot& slot = slots.at(lease_requests[i]);
    if (!may_have_lease(slot, i) || waits_for_quiet(slot)) {
      ++i;
      continue;
    }
    lease_requests.erase(lease_requests.begin() + static_cast<std::ptrdiff_t>(i));
    granted = true;
    if (slot.state == SlotState::waiting_for_lease) {
      send(slot, true);
    } else {
      slot.state = SlotState::measuring;
      slot.holds_lease = true;
      slot.deadline = now + slot.run.front().order.run_timeout;
      actions->emplace_back(GrantLease{slot.id});
    }
  }
  return granted;
}

void Core::State::request_lease(Slot& slot, SlotState how, const UnitSet& zone) {
  slot.state = how;
  slot.holds_lease = false;
  slot.zone = zone;
  lease_requests.push_back(slot.id);
}

void Core::State::request_lease(Slot& slot, SlotState how) {
  request_lease(slot, how, zone_of(slot.run.front().order.alone_on, slot.units));
}

void Core::State::count_neighbours() {
  std::uint32_t working = 0;
  for (const auto& [id, slot] : slots) working += slot.works();
  if (working < 2) return;
  for (auto& [id, slot] : slots) {
    if (slot.state == SlotState::measuring) slot.neighbours = std::max(slot.neighbours, working - 1);
  }
}

void Core::State::withdraw_request(SlotId id) {
  const auto it = std::find(lease_requests.begin(), lease_requests.end(), id);
  if (it != lease_requests.end()) lease_requests.erase(it);
}

}  // namespace kernsweep::worker
