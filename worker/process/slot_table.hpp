// The worker's slot processes: starts and watches them, and keeps the end of their stderr.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/base/instant.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/result.hpp"
#include "worker/process/process.hpp"
#include "worker/process/slot_memory.hpp"
#include "worker/slot/phase_board.hpp"

namespace kernsweep {

// The worker's data about one slot process.
struct SlotProcess {
  SlotId id;
  Child child;
  PhaseBoard board;
  std::string token;        // sent by the process, to prove that a connection is its own
  std::string peer;         // routing id; empty before its hello
  std::string start_error;  // from its hello: why it cannot work
  std::string last_words;   // end of its stderr, at most kLastWordsMax bytes
  std::string interpreter;  // the Python that the process becomes; empty: none
  std::string memory;       // note_of() its memory, if a job took too long
  std::string stopped;      // stopped_below() it, if a job took too long
  std::uint32_t environment_key = 0;
  worker::MemoryGiven memory_given;
  std::optional<int> numa_node;  // of its cores; nothing: the host has one node, or they are on several
  bool has_gpus = false;
  bool killed_by_us = false;
  bool was_renewed = false;            // another process will say hello instead
  std::vector<std::string> held_back;  // messages until then
  std::optional<Instant>
      ended_at;  // when its exit was noticed; its last messages may follow for kExitGrace
  std::optional<Child::Ending> ending;
  std::optional<Instant> kill_at;  // it was asked for its state, and is killed at this time
  std::set<std::uint32_t> known_plans;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_rules;
  std::string blocking;  // blocking_below() it, if a job took too long
};

constexpr std::size_t kLastWordsMax = 16384;  // the stacks of all threads of a Python function
// Messages that a slot sent before it ended may still be in the socket.
constexpr Duration kExitGrace = std::chrono::milliseconds(20);
// How long a slot that takes too long may write its state.
constexpr Duration kAnswerGrace = std::chrono::seconds(1);
// How long to wait for processes that the slot has started: they may use a GPU longer than the slot.
constexpr Duration kGroupGrace = std::chrono::seconds(5);

// How long to search for daemons after the end of a slot: when one of them ends, others may appear.
constexpr Duration kOrphanGrace = std::chrono::milliseconds(500);

class SlotTable {
 public:
  // Sets `launch.board`. Error: the board or the process cannot be made.
  Status start(SlotId id, Launch launch, std::string token, std::uint32_t environment_key);
  SlotProcess* find(SlotId id);
  SlotProcess* find_peer(const std::string& peer);
  // The process of the slot ends. The next one has not been sent a message yet, and says hello as the first
  // one did.
  void renew(SlotProcess& slot);
  // Assigns a connection to the slot with this id and token; null: there is none.
  SlotProcess* admit(const std::string& peer, std::uint32_t id, const std::string& token);
  void kill_all();
  // Kills all, and waits until they and the processes that they left are gone, kOrphanGrace at most.
  void end_all();

  // Reads the stderr of slots, kills those whose time to answer is over, finds the slots that have ended,
  // and ends the processes that they left.
  void look(Instant now);
  // Slots that have ended and whose grace period is over; they are removed from the table.
  std::vector<std::unique_ptr<SlotProcess>> take_ended(Instant now);
  bool any_ending() const;  // also: one is to be killed, or processes that one has left may still be found

  // The process groups of all slots; each slot leads its own.
  std::set<std::int64_t> groups() const;
  // Descriptors that a poll should wait for.
  std::vector<int> descriptors() const;

 private:
  static void read_last_words(SlotProcess& slot);

  std::map<SlotId, std::unique_ptr<SlotProcess>> slots_;
  std::map<std::string, SlotProcess*> by_peer_;
  std::optional<Instant> orphans_until_;
};

// The outcome and its reason for a job whose slot has ended.
std::pair<Outcome, std::string> outcome_of_ending(const SlotProcess& slot);

}  // namespace kernsweep
