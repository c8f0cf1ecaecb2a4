#include "coordinator/core/flights.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "shared/result.hpp"

namespace kernsweep::coordination {

Flights::Flights() : table_(64) {}

std::size_t Flights::home(std::uint64_t index, std::uint32_t host) const {
  return mix_hash(index, host) & (table_.size() - 1);
}

std::size_t Flights::place_of(std::uint64_t index, std::uint32_t host) const {
  std::size_t place = home(index, host);
  while (table_[place].state != FlightState::none) {
    if (table_[place].index == index && table_[place].host == host) break;
    place = (place + 1) & (table_.size() - 1);
  }
  return place;
}

Flight* Flights::find(std::uint64_t index, std::uint32_t host) {
  Flight& found = table_[place_of(index, host)];
  return found.state == FlightState::none ? nullptr : &found;
}

Flight& Flights::insert(const Flight& flight) {
  KS_ASSERT(flight.state != FlightState::none);
  if ((size_ + 1) * 2 > table_.size()) grow();
  Flight& place = table_[place_of(flight.index, flight.host)];
  KS_ASSERT(place.state == FlightState::none);
  place = flight;
  ++size_;
  return place;
}

void Flights::erase(std::uint64_t index, std::uint32_t host) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = place_of(index, host);
  if (table_[hole].state == FlightState::none) return;
  // Entries behind the hole move up as far as their home allows, so no tombstones are needed.
  for (std::size_t next = (hole + 1) & mask; table_[next].state != FlightState::none;
       next = (next + 1) & mask) {
    const std::size_t wish = home(table_[next].index, table_[next].host);
    if (((next - wish) & mask) >= ((next - hole) & mask)) {
      table_[hole] = table_[next];
      hole = next;
    }
  }
  table_[hole] = Flight{};
  --size_;
}

void Flights::grow() {
  std::vector<Flight> old(table_.size() * 2);
  std::swap(old, table_);
  for (const Flight& flight : old) {
    if (flight.state != FlightState::none) table_[place_of(flight.index, flight.host)] = flight;
  }
}

std::vector<Flight> Flights::sent_to(WorkerId worker) const {
  std::vector<Flight> found;
  for (const Flight& flight : table_) {
    if (flight.state == FlightState::sent && flight.worker == worker) found.push_back(flight);
  }
  std::sort(found.begin(), found.end(), [](const Flight& a, const Flight& b) {
    return std::tie(a.host, a.index) < std::tie(b.host, b.index);
  });
  return found;
}

}  // namespace kernsweep::coordination
