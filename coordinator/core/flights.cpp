#include "coordinator/core/flights.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "shared/base/result.hpp"

namespace kernsweep::coordination {

Flights::Flights() : table_(64) {}

std::size_t Flights::home(std::uint64_t index, std::uint32_t host) const {
  return mix_hash(index, host) & (table_.size() - 1);
}

std::size_t Flights::place_of(std::uint64_t index, std::uint32_t host) const {
  std::size_t place = home(index, host);
  while (table_[place] != 0) {
    const Flight& there = entry_at(table_[place]);
    if (there.index == index && there.host == host) break;
    place = (place + 1) & (table_.size() - 1);
  }
  return place;
}

Flight* Flights::find(std::uint64_t index, std::uint32_t host) {
  const std::uint32_t entry = table_[place_of(index, host)];
  return entry == 0 ? nullptr : &entry_at(entry);
}

const Flight* Flights::find(std::uint64_t index, std::uint32_t host) const {
  const std::uint32_t entry = table_[place_of(index, host)];
  return entry == 0 ? nullptr : &entry_at(entry);
}

Flight& Flights::insert(std::uint64_t index, std::uint32_t host, std::uint32_t number) {
  if ((size_ + 1) * 2 > table_.size()) grow();
  std::uint32_t& place = table_[place_of(index, host)];
  KS_ASSERT(place == 0);
  if (free_.empty()) {
    entries_.emplace_back();
    place = static_cast<std::uint32_t>(entries_.size());
  } else {
    place = free_.back();
    free_.pop_back();
  }
  Flight& flight = entry_at(place);
  flight = Flight{};
  flight.index = index;
  flight.host = host;
  flight.number = number;
  flight.state = FlightState::queued;
  ++size_;
  return flight;
}

void Flights::erase(std::uint64_t index, std::uint32_t host) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = place_of(index, host);
  if (table_[hole] == 0) return;
  Flight& gone = entry_at(table_[hole]);
  unlink(gone);
  gone = Flight{};
  free_.push_back(table_[hole]);
  // Entries behind the hole move up as far as their home allows, so no tombstones are needed.
  for (std::size_t next = (hole + 1) & mask; table_[next] != 0; next = (next + 1) & mask) {
    const Flight& there = entry_at(table_[next]);
    const std::size_t wish = home(there.index, there.host);
    if (((next - wish) & mask) >= ((next - hole) & mask)) {
      table_[hole] = table_[next];
      hole = next;
    }
  }
  table_[hole] = 0;
  --size_;
}

void Flights::grow() {
  std::vector<std::uint32_t> old(table_.size() * 2);
  std::swap(old, table_);
  for (const std::uint32_t entry : old) {
    if (entry != 0) table_[place_of(entry_at(entry).index, entry_at(entry).host)] = entry;
  }
}

std::uint32_t Flights::number_of(const Flight& flight) const {
  const std::uint32_t entry = table_[place_of(flight.index, flight.host)];
  KS_ASSERT(entry != 0 && &entry_at(entry) == &flight);
  return entry;
}

void Flights::send(Flight& flight, WorkerId worker) {
  unlink(flight);
  const std::uint32_t entry = number_of(flight);
  Line& line = lines_[worker];
  flight.before = line.last;
  flight.after = 0;
  if (line.last != 0) entry_at(line.last).after = entry;
  if (line.first == 0) line.first = entry;
  line.last = entry;
  ++line.count;
  flight.worker = worker;
  flight.state = FlightState::sent;
}

void Flights::settle_as(Flight& flight, FlightState state) {
  KS_ASSERT(state != FlightState::sent && state != FlightState::none);
  unlink(flight);
  flight.worker = WorkerId{};
  flight.state = state;
}

void Flights::unlink(Flight& flight) {
  if (flight.state != FlightState::sent) return;
  const auto found = lines_.find(flight.worker);
  Line& line = found->second;
  (flight.before == 0 ? line.first : entry_at(flight.before).after) = flight.after;
  (flight.after == 0 ? line.last : entry_at(flight.after).before) = flight.before;
  if (--line.count == 0) lines_.erase(found);
}

std::size_t Flights::sent_count(WorkerId worker) const {
  const auto line = lines_.find(worker);
  return line == lines_.end() ? 0 : line->second.count;
}

std::vector<Flight> Flights::all() const {
  std::vector<Flight> found;
  for (const Flight& flight : entries_) {
    if (flight.state != FlightState::none) found.push_back(flight);
  }
  return found;
}

std::vector<Flight> Flights::sent_to(WorkerId worker) const {
  std::vector<Flight> found;
  const auto line = lines_.find(worker);
  if (line == lines_.end()) return found;
  found.reserve(line->second.count);
  for (std::uint32_t entry = line->second.first; entry != 0; entry = entry_at(entry).after) {
    found.push_back(entry_at(entry));
  }
  std::sort(found.begin(), found.end(), [](const Flight& a, const Flight& b) {
    return std::tie(a.host, a.index) < std::tie(b.host, b.index);
  });
  return found;
}

std::vector<Flight> Flights::newest_sent_to(WorkerId worker, std::size_t most) const {
  std::vector<Flight> found;
  const auto line = lines_.find(worker);
  if (line == lines_.end()) return found;
  for (std::uint32_t entry = line->second.last; entry != 0 && found.size() < most;
       entry = entry_at(entry).before) {
    found.push_back(entry_at(entry));
  }
  return found;
}

}  // namespace kernsweep::coordination
