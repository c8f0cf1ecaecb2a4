#include "worker/process/slot_table.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "shared/base/try.hpp"
#include "worker/process/last_words.hpp"
#include "worker/process/orphans.hpp"

namespace kernsweep {
namespace {

bool has_ended(const Child& child) {
  pollfd ended{child.exited(), POLLIN, 0};
  return poll(&ended, 1, 0) > 0;
}

}  // namespace

Status SlotTable::start(SlotId id, Launch launch_order, std::string token, std::uint32_t environment_key) {
  KS_ASSIGN_OR_RETURN(auto board, PhaseBoard::make());
  launch_order.board = board.descriptor();
  KS_ASSIGN_OR_RETURN(auto child, launch(launch_order));
  slots_[id] = std::make_unique<SlotProcess>(SlotProcess{
      id, std::move(child), std::move(board), std::move(token), "", "", "", "", "", "", environment_key});
  return Done{};
}

SlotProcess* SlotTable::find(SlotId id) {
  const auto found = slots_.find(id);
  return found == slots_.end() ? nullptr : found->second.get();
}

SlotProcess* SlotTable::find_peer(const std::string& peer) {
  const auto found = by_peer_.find(peer);
  return found == by_peer_.end() ? nullptr : found->second;
}

SlotProcess* SlotTable::admit(const std::string& peer, std::uint32_t id, const std::string& token) {
  SlotProcess* const slot = find(SlotId{id});
  if (!slot || slot->token != token || !slot->peer.empty()) return nullptr;
  slot->peer = peer;
  by_peer_[peer] = slot;
  return slot;
}

void SlotTable::renew(SlotProcess& slot) {
  by_peer_.erase(slot.peer);
  slot.peer.clear();
  slot.was_renewed = true;
  slot.known_plans.clear();
  slot.known_rules.clear();
}

void SlotTable::kill_all() {
  for (auto& [id, slot] : slots_) slot->child.kill_group();
}

void SlotTable::look(Instant now) {
  for (auto& [id, slot] : slots_) {
    read_last_words(*slot);
    if (slot->kill_at && now >= *slot->kill_at) {
      slot->child.kill_group();
      slot->kill_at.reset();
    }
    if (!slot->ended_at && has_ended(slot->child)) {
      slot->ended_at = now;
      slot->child.kill_group();  // also ends processes that the slot has started
      slot->ending = slot->child.reap();
      orphans_until_ = now + kOrphanGrace;
    }
  }
  if (orphans_until_ && !end_orphans() && now >= *orphans_until_) orphans_until_.reset();
}

void SlotTable::end_all() {
  kill_all();
  const Instant begun = monotonic_now();
  for (Instant now = begun; now < begun + kOrphanGrace; now = monotonic_now()) {
    look(now);
    if (std::ranges::all_of(slots_, [](const auto& slot) { return slot.second->ended_at.has_value(); }) &&
        !end_orphans())
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<std::unique_ptr<SlotProcess>> SlotTable::take_ended(Instant now) {
  std::vector<std::unique_ptr<SlotProcess>> ended;
  for (auto at = slots_.begin(); at != slots_.end();) {
    SlotProcess& slot = *at->second;
    if (slot.ended_at && now - *slot.ended_at >= kExitGrace &&
        (!slot.has_gpus || slot.child.group_is_gone() || now - *slot.ended_at >= kGroupGrace)) {
      if (!slot.ending) slot.ending = slot.child.reap();
      read_last_words(slot);
      by_peer_.erase(slot.peer);
      ended.push_back(std::move(at->second));
      at = slots_.erase(at);
    } else {
      ++at;
    }
  }
  return ended;
}

bool SlotTable::any_ending() const {
  if (orphans_until_) return true;
  for (const auto& [id, slot] : slots_) {
    if (slot->ended_at || slot->kill_at) return true;
  }
  return false;
}

std::set<std::int64_t> SlotTable::groups() const {
  std::set<std::int64_t> groups;
  for (const auto& [id, slot] : slots_) groups.insert(slot->child.pid());
  return groups;
}

std::vector<int> SlotTable::descriptors() const {
  std::vector<int> out;
  for (const auto& [id, slot] : slots_) {
    if (slot->ended_at) continue;
    out.push_back(slot->child.exited());
    if (slot->child.errors() >= 0) out.push_back(slot->child.errors());
  }
  return out;
}

void SlotTable::read_last_words(SlotProcess& slot) {
  char buffer[4096];
  // Bounded: a process that writes without end must not block the worker.
  for (int round = 0; round < 64; ++round) {
    const ssize_t got = slot.child.errors() < 0 ? -1 : read(slot.child.errors(), buffer, sizeof buffer);
    if (got <= 0) return;
    slot.last_words.append(buffer, static_cast<std::size_t>(got));
    if (slot.last_words.size() > kLastWordsMax)
      slot.last_words.erase(0, slot.last_words.size() - kLastWordsMax);
  }
}

std::pair<Outcome, std::string> outcome_of_ending(const SlotProcess& slot) {
  if (!slot.start_error.empty()) return {Outcome::failed_setup, slot.start_error};
  if (!slot.interpreter.empty() && slot.peer.empty() && slot.ending && !slot.ending->signalled) {
    const std::string said = last_line(slot.last_words);
    return {Outcome::failed_setup, "its Python " + slot.interpreter + " " + describe(*slot.ending) +
                                       " before it was ready; is it a CPython that works here?" +
                                       (said.empty() ? "" : " It said: " + said)};
  }
  if (!slot.ending) return {Outcome::signal, "the slot's process ended for an unknown reason"};
  if (!slot.ending->signalled && slot.ending->number == kCannotExecute) {
    return {Outcome::failed_setup,
            "the slot's program could not be executed, or its cores could not be bound"};
  }
  const std::string by = slot.interpreter.empty() ? "" : " (its Python is " + slot.interpreter + ")";
  const std::string how = "the slot's process was " + describe(*slot.ending) + by;
  if (slot.ending->signalled && slot.ending->number == SIGKILL && !slot.killed_by_us) {
    return {Outcome::out_of_memory, how + ", not by us: most likely memory ran out; see 'dmesg'"};
  }
  if (!slot.ending->signalled) return {Outcome::signal, "the slot's process " + describe(*slot.ending)};
  return {Outcome::signal, how};
}

}  // namespace kernsweep
