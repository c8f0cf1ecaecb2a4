// The jobs that are on their way: sent, waiting for another try, or waiting for the store.
//
// An open-addressing table of 24-byte entries with linear probing. std::unordered_map would do, at an
// allocation per job; this table is what the coordinator touches most.
//
// A pointer to a Flight is good until the next insert or erase.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/ids.hpp"

namespace kernsweep::coordination {

enum class FlightState : std::uint8_t {
  none = 0,  // an empty place of the table
  queued,    // to be sent (again)
  sent,      // with `worker`
  storing,   // its accepted outcome is with the store
};

struct Flight {
  std::uint64_t index = 0;
  std::uint32_t host = 0;
  std::uint32_t number = 0;  // the newest attempt; any other is not believed
  WorkerId worker;           // when sent
  std::uint16_t tries = 0;   // attempts that count against retry.max; a letter lost on the way does not
  FlightState state = FlightState::none;
  std::uint8_t stores_pending = 0;  // outcomes of its attempts that the store has not committed
};
static_assert(sizeof(Flight) == 24);

class Flights {
 public:
  Flights();

  Flight* find(std::uint64_t index, std::uint32_t host);
  // Requires that the job has no entry; flight.state must not be `none`.
  Flight& insert(const Flight& flight);
  void erase(std::uint64_t index, std::uint32_t host);
  std::size_t size() const { return size_; }

  // Jobs that `worker` has been sent, by host and index. Linear in the table: for the loss of a worker
  // only.
  std::vector<Flight> sent_to(WorkerId worker) const;

 private:
  std::size_t home(std::uint64_t index, std::uint32_t host) const;
  std::size_t place_of(std::uint64_t index, std::uint32_t host) const;
  void grow();

  std::vector<Flight> table_;  // a power of two, at most half full
  std::size_t size_ = 0;
};

}  // namespace kernsweep::coordination
