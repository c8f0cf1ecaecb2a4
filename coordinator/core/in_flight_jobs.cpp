#include "coordinator/core/in_flight_jobs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

InFlightJobs::InFlightJobs() : table_(64) {}

std::size_t InFlightJobs::home(std::uint64_t index, std::uint32_t host) const {
  return mix_hash(index, host) & (table_.size() - 1);
}

std::size_t InFlightJobs::place_of(std::uint64_t index, std::uint32_t host) const {
  std::size_t place = home(index, host);
  while (table_[place] != 0) {
    const InFlightJob& there = entry_at(table_[place]);
    if (there.index == index && there.host == host) break;
    place = (place + 1) & (table_.size() - 1);
  }
  return place;
}

InFlightJob* InFlightJobs::find(std::uint64_t index, std::uint32_t host) {
  const std::uint32_t entry = table_[place_of(index, host)];
  return entry == 0 ? nullptr : &entry_at(entry);
}

const InFlightJob* InFlightJobs::find(std::uint64_t index, std::uint32_t host) const {
  const std::uint32_t entry = table_[place_of(index, host)];
  return entry == 0 ? nullptr : &entry_at(entry);
}

InFlightJob& InFlightJobs::insert(std::uint64_t index, std::uint32_t host, std::uint32_t number) {
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
  InFlightJob& in_flight = entry_at(place);
  in_flight = InFlightJob{};
  in_flight.index = index;
  in_flight.host = host;
  in_flight.number = number;
  in_flight.state = InFlightState::queued;
  ++size_;
  return in_flight;
}

void InFlightJobs::erase(std::uint64_t index, std::uint32_t host) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = place_of(index, host);
  if (table_[hole] == 0) return;
  InFlightJob& gone = entry_at(table_[hole]);
  unlink(gone);
  gone = InFlightJob{};
  free_.push_back(table_[hole]);
  // Entries after the hole move up as far as their home allows, so no tombstones are needed.
  for (std::size_t next = (hole + 1) & mask; table_[next] != 0; next = (next + 1) & mask) {
    const InFlightJob& there = entry_at(table_[next]);
    const std::size_t wish = home(there.index, there.host);
    if (((next - wish) & mask) >= ((next - hole) & mask)) {
      table_[hole] = table_[next];
      hole = next;
    }
  }
  table_[hole] = 0;
  --size_;
}

void InFlightJobs::grow() {
  std::vector<std::uint32_t> old(table_.size() * 2);
  std::swap(old, table_);
  for (const std::uint32_t entry : old) {
    if (entry != 0) table_[place_of(entry_at(entry).index, entry_at(entry).host)] = entry;
  }
}

std::uint32_t InFlightJobs::number_of(const InFlightJob& in_flight) const {
  const std::uint32_t entry = table_[place_of(in_flight.index, in_flight.host)];
  KS_ASSERT(entry != 0 && &entry_at(entry) == &in_flight);
  return entry;
}

void InFlightJobs::send(InFlightJob& in_flight, WorkerId worker) {
  unlink(in_flight);
  const std::uint32_t entry = number_of(in_flight);
  Line& line = lines_[worker];
  in_flight.before = line.last;
  in_flight.after = 0;
  if (line.last != 0) entry_at(line.last).after = entry;
  if (line.first == 0) line.first = entry;
  line.last = entry;
  ++line.count;
  in_flight.worker = worker;
  in_flight.state = InFlightState::sent;
}

void InFlightJobs::settle_as(InFlightJob& in_flight, InFlightState state) {
  KS_ASSERT(state != InFlightState::sent && state != InFlightState::none);
  unlink(in_flight);
  in_flight.worker = WorkerId{};
  in_flight.state = state;
}

void InFlightJobs::unlink(InFlightJob& in_flight) {
  if (in_flight.state != InFlightState::sent) return;
  const auto found = lines_.find(in_flight.worker);
  Line& line = found->second;
  (in_flight.before == 0 ? line.first : entry_at(in_flight.before).after) = in_flight.after;
  (in_flight.after == 0 ? line.last : entry_at(in_flight.after).before) = in_flight.before;
  if (--line.count == 0) lines_.erase(found);
}

std::size_t InFlightJobs::sent_count(WorkerId worker) const {
  const auto line = lines_.find(worker);
  return line == lines_.end() ? 0 : line->second.count;
}

std::vector<InFlightJob> InFlightJobs::all() const {
  std::vector<InFlightJob> found;
  for (const InFlightJob& in_flight : entries_) {
    if (in_flight.state != InFlightState::none) found.push_back(in_flight);
  }
  return found;
}

std::vector<InFlightJob> InFlightJobs::sent_to(WorkerId worker) const {
  std::vector<InFlightJob> found;
  const auto line = lines_.find(worker);
  if (line == lines_.end()) return found;
  found.reserve(line->second.count);
  for (std::uint32_t entry = line->second.first; entry != 0; entry = entry_at(entry).after) {
    found.push_back(entry_at(entry));
  }
  std::sort(found.begin(), found.end(), [](const InFlightJob& a, const InFlightJob& b) {
    return std::tie(a.host, a.index) < std::tie(b.host, b.index);
  });
  return found;
}

std::vector<InFlightJob> InFlightJobs::newest_sent_to(WorkerId worker, std::size_t most) const {
  std::vector<InFlightJob> found;
  const auto line = lines_.find(worker);
  if (line == lines_.end()) return found;
  for (std::uint32_t entry = line->second.last; entry != 0 && found.size() < most;
       entry = entry_at(entry).before) {
    found.push_back(entry_at(entry));
  }
  return found;
}

}  // namespace kernsweep::coordinator
