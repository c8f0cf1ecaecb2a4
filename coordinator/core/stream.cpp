#include "coordinator/core/stream.hpp"

#include <algorithm>
#include <utility>

namespace kernsweep::coordination {

namespace {
// Beyond so many runs (16 MB) on the shelves of hosts that are here, the stream waits for them.
constexpr std::size_t kShelfRunsMax = std::size_t{1} << 20;

void spend(std::uint32_t& budget) {
  if (budget > 0) --budget;
}
}  // namespace

Stream::Stream(std::shared_ptr<const JobSpace> space, std::uint32_t host)
    : space_(std::move(space)), host_(host), ledger_(space_->size()) {}

Stream::Likeness Stream::likeness(const HostFacts& facts) const {
  return {facts.cores, facts.gpus, space_->traits(facts)};
}

std::optional<HostKind> Stream::kind_of(const HostFacts& facts) const {
  const auto known = numbers_.find(likeness(facts));
  if (known == numbers_.end()) return std::nullopt;
  return known->second;
}

bool Stream::join(const HostFacts& facts) {
  const auto [number, fresh] = numbers_.try_emplace(likeness(facts), next_kind_);
  const HostKind kind = number->second;
  if (fresh) ++next_kind_;
  Kind& entry = kinds_[kind];
  if (entry.present == 0) entry.facts = facts;
  ++entry.present;
  ++entry.workers[facts.host];
  ++hosts_here_[facts.host];
  if (!fresh) return false;
  for (auto& [need, shelf] : shelves_) anew_.push_back({need, kind, std::move(shelf)});
  shelves_.clear();
  if (!misfits_.empty()) anew_.push_back({{}, kind, std::exchange(misfits_, {})});
  return !anew_.empty() || !revisit_.empty();
}

void Stream::leave(const HostFacts& facts) {
  const auto kind = kind_of(facts);
  if (kind && kinds_.at(*kind).present > 0) {
    --kinds_.at(*kind).present;
    --kinds_.at(*kind).workers.at(facts.host);
  }
  const auto here = hosts_here_.find(facts.host);
  if (here != hosts_here_.end() && --here->second == 0) hosts_here_.erase(here);
}

bool Stream::forget_lost_units(const HostFacts& facts) {
  std::vector<HostKind> nobody_is;
  for (auto& [kind, entry] : kinds_) {
    const bool had_them = entry.facts.gpus <= facts.gpus + facts.gpus_lost &&
                          entry.facts.cores <= facts.cores + facts.cores_lost;
    const bool with_them = had_them && (entry.facts.gpus > facts.gpus || entry.facts.cores > facts.cores);
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
  for (Anew& batch : anew_) std::erase(batch.need, kind);
  std::erase_if(numbers_, [kind](const auto& number) { return number.second == kind; });
  kinds_.erase(kind);
}

bool Stream::fits(std::uint64_t index, const HostFacts& facts) const {
  return space_->cores(index) <= facts.cores && !space_->unfit(index, facts);
}

bool Stream::open(const Waiting& job, const Flights& flights) const {
  if (ledger_.settled(job.index)) return false;
  const Flight* flight = flights.find(job.index, host_);
  if (job.number == 0) return !flight;
  return flight && flight->state == FlightState::queued && flight->number == job.number;
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
    const Waiting job = shelf.pop();
    if (shelf.empty()) shelves_.erase(oldest);
    index = job.index;
    if (open(job, flights)) return true;
  }
}

bool Stream::take(const Waiting& job, HostKind kind, std::uint32_t& budget, Need need, HostKind from) {
  const auto asked = [&](const HostFacts& facts) {
    spend(budget);
    return fits(job.index, facts);
  };
  if (kind >= from && asked(kinds_.at(kind).facts)) return true;
  for (auto other = kinds_.lower_bound(from); other != kinds_.end(); ++other) {
    if (other->first != kind && asked(other->second.facts)) need.push_back(other->first);
  }
  (need.empty() ? misfits_ : shelves_[std::move(need)]).push(job);
  return false;
}

// A new kind's answer is all that is missing for most of them; what is known to fit the taker is its own at
// once.
Draw Stream::draw_anew(HostKind kind, const Flights& flights, std::uint32_t& budget, std::uint64_t& index) {
  while (!anew_.empty()) {
    Anew& batch = anew_.front();
    const bool known = std::ranges::binary_search(batch.need, kind);
    if (!known && budget == 0) return Draw::pause;
    const Waiting job = batch.jobs.pop();
    const Need need = batch.need;
    const HostKind from = batch.from;
    if (batch.jobs.empty()) anew_.pop_front();
    index = job.index;
    if (!open(job, flights)) {
      spend(budget);
    } else if (known || take(job, kind, budget, need, from)) {
      return Draw::job;
    }
  }
  return Draw::nothing;
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
      const Waiting job = queue->second.front();
      queue->second.pop_front();
      index = job.index;
      spend(budget);
      if (!open(job, flights) || !take(job, taker.kind, budget)) continue;
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
    const Waiting job = revisit_.pop();
    index = job.index;
    if (!open(job, flights)) {
      spend(budget);
    } else if (take(job, kind, budget)) {
      return Draw::job;
    }
  }
  if (const Draw drawn = draw_anew(kind, flights, budget, index); drawn != Draw::nothing) return drawn;
  for (;;) {
    if (!advance(flights, budget)) return Draw::pause;
    if (scanned()) return Draw::nothing;
    if (budget == 0) return Draw::pause;
    index = cursor_++;
    cursor_checked_ = false;
    if (take({index}, kind, budget)) return Draw::job;
  }
}

bool Stream::advance(Flights& flights, std::uint32_t& budget) {
  if (cursor_checked_ && (scanned() || open({cursor_}, flights))) return true;
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
  while (!old.empty()) {
    const Waiting job = old.pop();
    if (open(job, flights)) misfits_.push(job);
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
    const auto like_it = std::ranges::count_if(entry.workers, [](const auto& of) { return of.second > 0; });
    if (like_it > 1) line += " (as on " + std::to_string(like_it - 1) + " more)";
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
  for (const Anew& batch : anew_) sum += batch.jobs.count();
  for (const auto& [need, shelf] : shelves_) sum += shelf.count();
  for (const auto& [host, jobs] : bad_on_) sum += jobs.size();
  return sum;
}

std::size_t Stream::bytes() const {
  std::size_t sum = ledger_.bytes() + 16 * (misfits_.fresh.runs() + revisit_.fresh.runs());
  for (const auto& [need, shelf] : shelves_) sum += 16 * shelf.fresh.runs();
  for (const Anew& batch : anew_) sum += 16 * batch.jobs.fresh.runs();
  return sum;
}

}  // namespace kernsweep::coordination
