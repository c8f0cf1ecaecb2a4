#include "coordinator/core/stream.hpp"

#include <algorithm>
#include <utility>

namespace kernsweep::coordination {

namespace {
// Beyond so many runs (16 MB) on the shelves of hosts that are here, the stream waits for them.
constexpr std::size_t kShelfRunsMax = std::size_t{1} << 20;
}  // namespace

Stream::Stream(std::shared_ptr<const JobSpace> space, std::uint32_t host)
    : space_(std::move(space)), host_(host), ledger_(space_->size()) {}

bool Stream::join(HostKind kind, const HostFacts& facts) {
  const auto [it, fresh] = kinds_.try_emplace(kind, Kind{facts, 0, {}});
  ++it->second.present;
  ++it->second.workers[facts.host];
  ++hosts_here_[facts.host];
  if (!fresh) return false;
  for (auto& [need, shelf] : shelves_) revisit_.append(std::move(shelf));
  shelves_.clear();
  revisit_.append(std::move(misfits_));
  misfits_ = Backlog();
  return !revisit_.empty();
}

void Stream::leave(HostKind kind, std::uint32_t host) {
  const auto it = kinds_.find(kind);
  if (it != kinds_.end() && it->second.present > 0) {
    --it->second.present;
    --it->second.workers.at(host);
  }
  const auto here = hosts_here_.find(host);
  if (here != hosts_here_.end() && --here->second == 0) hosts_here_.erase(here);
}

bool Stream::forget_lost_gpus(const HostFacts& facts) {
  std::vector<HostKind> nobody_is;
  for (auto& [kind, entry] : kinds_) {
    const bool with_them =
        entry.facts.gpus > facts.gpus && entry.facts.gpus <= facts.gpus + facts.gpus_lost;
    const auto here = entry.workers.find(facts.host);
    if (!with_them || here == entry.workers.end() || here->second > 0) continue;
    entry.workers.erase(here);
    if (entry.workers.empty()) nobody_is.push_back(kind);
  }
  for (const HostKind kind : nobody_is) forget(kind);
  return !nobody_is.empty();
}

void Stream::forget(HostKind kind) {
  for (auto shelf = shelves_.begin(); shelf != shelves_.end();) {
    if (!std::binary_search(shelf->first.begin(), shelf->first.end(), kind)) {
      ++shelf;
      continue;
    }
    revisit_.append(std::move(shelf->second));
    shelf = shelves_.erase(shelf);
  }
  kinds_.erase(kind);
}

bool Stream::fits(std::uint64_t index, const HostFacts& facts) const {
  return space_->cores(index) <= facts.cores && !space_->unfit(index, facts);
}

// Between being set aside and now, the job may have been answered, or adopted from a worker that still had
// it.
bool Stream::open(std::uint64_t index, bool again, Flights& flights) const {
  if (ledger_.settled(index)) return false;
  const Flight* flight = flights.find(index, host_);
  return again ? flight && flight->state == FlightState::queued : !flight;
}

bool Stream::crowded() const {
  for (const auto& [need, shelf] : shelves_) {
    if (shelf.fresh.runs() < kShelfRunsMax) continue;
    for (const HostKind kind : need) {
      if (kinds_.at(kind).present > 0) return true;
    }
  }
  return false;
}

bool Stream::draw_from_shelf(HostKind kind, Flights& flights, std::uint64_t& index) {
  for (;;) {
    auto oldest = shelves_.end();
    for (auto it = shelves_.begin(); it != shelves_.end(); ++it) {
      if (!std::binary_search(it->first.begin(), it->first.end(), kind)) continue;
      const bool again = !it->second.again.empty();
      if (oldest == shelves_.end() || again || it->second.fresh.front() < oldest->second.fresh.front())
        oldest = it;
      if (again) break;
    }
    if (oldest == shelves_.end()) return false;
    Backlog& shelf = oldest->second;
    const bool again = !shelf.again.empty();
    index = again ? shelf.again.front() : shelf.fresh.pop();
    if (again) shelf.again.pop_front();
    if (shelf.empty()) shelves_.erase(oldest);
    if (open(index, again, flights)) return true;
  }
}

bool Stream::take(std::uint64_t index, bool again, HostKind kind) {
  if (fits(index, kinds_.at(kind).facts)) return true;
  Need need;
  for (const auto& [other, entry] : kinds_) {
    if (other != kind && fits(index, entry.facts)) need.push_back(other);
  }
  Backlog& place = need.empty() ? misfits_ : shelves_[need];
  if (again) {
    place.again.push_back(index);
  } else {
    place.fresh.push(index);
  }
  return false;
}

Draw Stream::draw_suspect(const Taker& taker, Flights& flights, std::uint32_t& budget,
                          std::uint64_t& index) {
  for (auto queue = bad_on_.begin(); queue != bad_on_.end();) {
    if (queue->first == taker.host && others_here(taker.host)) {
      ++queue;
      continue;
    }
    while (!queue->second.empty()) {
      if (budget == 0) return Draw::pause;
      --budget;
      index = queue->second.front();
      queue->second.pop_front();
      if (!open(index, true, flights) || !take(index, true, taker.kind)) continue;
      if (queue->second.empty()) bad_on_.erase(queue);
      return Draw::job;
    }
    queue = bad_on_.erase(queue);
  }
  return Draw::nothing;
}

Draw Stream::draw(const Taker& taker, Flights& flights, std::uint32_t& budget, std::uint64_t& index) {
  const HostKind kind = taker.kind;
  if (!bad_on_.empty() && taker.suspects) {
    const Draw drawn = draw_suspect(taker, flights, budget, index);
    if (drawn != Draw::nothing) return drawn;
  }
  if (!shelves_.empty() && draw_from_shelf(kind, flights, index)) return Draw::job;
  if (!shelves_.empty() && crowded()) return Draw::nothing;
  while (!revisit_.empty()) {
    if (budget == 0) return Draw::pause;
    const bool again = !revisit_.again.empty();
    index = again ? revisit_.again.front() : revisit_.fresh.pop();
    if (again) revisit_.again.pop_front();
    if (open(index, again, flights) && take(index, again, kind)) return Draw::job;
    --budget;
  }
  for (;;) {
    if (!advance(flights, budget)) return Draw::pause;
    if (scanned()) return Draw::nothing;
    index = cursor_++;
    cursor_checked_ = false;
    if (take(index, false, kind)) return Draw::job;
    if (budget == 0) return Draw::pause;
    --budget;
  }
}

bool Stream::advance(Flights& flights, std::uint32_t& budget) {
  if (cursor_checked_ && (scanned() || open(cursor_, false, flights))) return true;
  cursor_checked_ = false;
  for (;;) {
    cursor_ = ledger_.next_open(cursor_);
    if (scanned()) break;
    if (const auto rule = space_->rejected_by(cursor_)) {
      ledger_.settle(cursor_++);
      ++unwanted_;
      if (*rule >= unwanted_by_.size()) unwanted_by_.resize(*rule + 1);
      ++unwanted_by_[*rule];
    } else if (flights.find(cursor_, host_)) {
      ++cursor_;
    } else {
      break;
    }
    if (budget == 0) return false;
    --budget;
  }
  cursor_checked_ = true;
  return true;
}

void Stream::drop_settled_misfits(Flights& flights) {
  Backlog old = std::exchange(misfits_, {});
  for (const std::uint64_t index : old.again) {
    if (open(index, true, flights)) misfits_.again.push_back(index);
  }
  while (!old.fresh.empty()) {
    const std::uint64_t index = old.fresh.pop();
    if (open(index, false, flights)) misfits_.fresh.push(index);
  }
}

bool Stream::fits_somebody_here(std::uint64_t index) const {
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& kind) {
    return kind.second.present > 0 && fits(index, kind.second.facts);
  });
}

std::string Stream::why_not(std::uint64_t index, const HostFacts& facts) const {
  if (auto reason = space_->unfit(index, facts)) return *reason;
  return "asks for " + std::to_string(space_->cores(index)) + " cores, the host offers " +
         std::to_string(facts.cores);
}

std::vector<std::string> Stream::why_not(std::uint64_t index) const {
  constexpr std::size_t kLinesMax = 8;
  std::vector<std::string> lines;
  for (const auto& [kind, entry] : kinds_) {
    if (entry.present == 0 || fits(index, entry.facts)) continue;
    std::string line = why_not(index, entry.facts);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    if (lines.size() == kLinesMax) break;
  }
  return lines;
}

std::string Stream::why_misfit(std::uint64_t index) const {
  std::string why = kinds_.empty() ? "" : why_not(index, kinds_.begin()->second.facts);
  if (kinds_.size() > 1) why += " (" + std::to_string(kinds_.size()) + " kinds of host were tried)";
  return why;
}

std::uint64_t Stream::waiting_for_a_host() const {
  std::uint64_t sum = misfits_.count();
  for (const auto& [need, shelf] : shelves_) {
    const bool here = std::any_of(need.begin(), need.end(),
                                  [this](HostKind kind) { return kinds_.at(kind).present > 0; });
    if (!here) sum += shelf.count();
  }
  return sum;
}

std::uint64_t Stream::set_aside() const {
  std::uint64_t sum = misfits_.count() + revisit_.count();
  for (const auto& [need, shelf] : shelves_) sum += shelf.count();
  for (const auto& [host, jobs] : bad_on_) sum += jobs.size();
  return sum;
}

std::size_t Stream::bytes() const {
  std::size_t sum = ledger_.bytes() + 16 * (misfits_.fresh.runs() + revisit_.fresh.runs());
  for (const auto& [need, shelf] : shelves_) sum += 16 * shelf.fresh.runs();
  return sum;
}

}  // namespace kernsweep::coordination
