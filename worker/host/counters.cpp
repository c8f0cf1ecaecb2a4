#include "worker/host/counters.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kernsweep {
namespace {

std::string reason_of(int error) {
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    return "the processor shows no such counter";
  if (error == EINVAL) return "the other counters leave no room for it";
  return std::strerror(error);
}

}  // namespace

// Opens the group of a thread. The first one determines the events; each other thread must have all of
// them. False: no more groups.
bool Counters::open_group(int thread, bool is_first) {
  const std::size_t most = system_.descriptors_max();
  const std::size_t open_so_far = descriptors_.size() * opened_.size();
  std::vector<int>& group = descriptors_.emplace_back();
  for (const CounterKind& kind : kinds_) {
    if (!is_first && std::ranges::find(opened_, &kind) == opened_.end()) continue;
    const bool is_room = open_so_far + group.size() < most;
    const int got = is_room ? system_.open(kind, thread, group.empty() ? -1 : group.front()) : -EMFILE;
    if (got >= 0) {
      group.push_back(got);
      if (is_first) opened_.push_back(&kind);
    } else if (is_first && got != -EMFILE) {
      missing_.push_back({kind.name, reason_of(-got)});
    } else if (!is_first && group.empty() && got == -ESRCH) {
      descriptors_.pop_back();  // it has ended meanwhile
      return true;
    } else {
      give_up(reason_of(-got));
      return false;
    }
  }
  return !opened_.empty();
}

// A sum over some of the threads, or counters that take the last descriptors, would be worse than none.
void Counters::give_up(const std::string& why) {
  close();
  missing_.clear();
  for (const CounterKind& kind : kinds_) missing_.push_back({kind.name, why});
}

void Counters::open() {
  close();
  missing_.clear();
  bool is_first = true;
  for (const int thread : system_.threads()) {
    if (!open_group(thread, is_first)) break;
    is_first = false;
  }
}

// The calling thread's group is the first one: it is on for the shortest time.
void Counters::on() {
  for (auto group = descriptors_.rbegin(); group != descriptors_.rend(); ++group)
    if (!group->empty()) system_.enable(group->front(), true);
}

void Counters::off() {
  for (const std::vector<int>& group : descriptors_)
    if (!group.empty()) system_.enable(group.front(), false);
}

CounterTotals Counters::totals() {
  CounterTotals out;
  for (std::size_t event = 0; event < opened_.size(); ++event) {
    // Each thread is scaled on its own: one may have been counted all the time, and another one hardly.
    double count = 0, lowest = 1, wanted_ns = 0;
    bool is_known = true;
    for (const std::vector<int>& group : descriptors_) {
      const auto reading = system_.read(group[event]);
      is_known = is_known && reading;
      if (!reading || reading->wanted_ns == 0) continue;
      const double wanted = static_cast<double>(reading->wanted_ns);
      const double share = std::min(static_cast<double>(reading->counted_ns) / wanted, 1.0);
      if (share > 0) count += static_cast<double>(reading->count) / share;
      lowest = std::min(lowest, share);
      wanted_ns += wanted;
    }
    if (!is_known || wanted_ns == 0 || lowest < kCountedShareMin) continue;
    out.events.push_back({opened_[event]->name, count});
    out.counted_share = std::min(out.counted_share, lowest);
  }
  return out;
}

void Counters::close() {
  // The leader is closed last, because the others become separate events when it is closed.
  for (const std::vector<int>& group : descriptors_)
    std::for_each(group.rbegin(), group.rend(), [this](int each) { system_.close(each); });
  descriptors_.clear();
  opened_.clear();
}

std::vector<CountedMetric> metrics_of(const CounterTotals& totals, double calls) {
  std::vector<CountedMetric> out;
  if (!(calls > 0)) return out;
  double cycles = 0, instructions = 0;
  for (const CounterTotals::Event& event : totals.events) {
    if (event.name == "cycles") cycles = event.count;
    if (event.name == "instructions") instructions = event.count;
    out.push_back({event.name, event.count / calls, Better::smaller, "1/call"});
  }
  if (cycles > 0 && instructions > 0)
    out.push_back({"instructions_per_cycle", instructions / cycles, Better::larger, ""});
  return out;
}

std::optional<std::string> note_of(const CounterTotals& totals) {
  constexpr double kScaled = 0.99;
  if (totals.events.empty() || totals.counted_share >= kScaled) return std::nullopt;
  char text[112];
  std::snprintf(text, sizeof text,
                "the processor's counters counted for %.0f %% of the time: counts are scaled",
                totals.counted_share * 100);
  return text;
}

}  // namespace kernsweep
