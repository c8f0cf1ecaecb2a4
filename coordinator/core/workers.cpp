#include "coordinator/core/workers.hpp"

#include <algorithm>

namespace kernsweep::coordinator {

void Worker::observe(Duration busy) {
  constexpr double kWeight = 1.0 / 16;  // of the newest job
  const double s = std::max(seconds(busy), 1e-7);
  mean_busy_s = mean_busy_s == 0.0 ? s : mean_busy_s + (s - mean_busy_s) * kWeight;
}

void Worker::observe_answers(std::size_t count, Instant now) {
  constexpr double kWeight = 1.0 / 4;
  if (count == 0) return;
  const double gap = seconds(now - answered) / static_cast<double>(count);
  gap_s = gap_s == 0.0 ? gap : gap_s + (gap - gap_s) * kWeight;
  answered = now;
}

void Worker::give(std::uint32_t jobs, Instant now) {
  if (held == 0 && jobs > 0) answered = now;
  held += jobs;
}

double Worker::backlog_s(Instant now) const {
  if (held <= cores()) return 0.0;
  constexpr double kUnknown = 1.0;  // it has not answered yet, so idle workers may get some of its jobs
  const double gap = gap_s == 0.0 ? kUnknown : gap_s;
  return std::max(gap, seconds(now - answered)) * (held - cores());
}

std::uint32_t Worker::target(const CoreOptions& options) const {
  const std::uint32_t most = std::max(options.credit_max, 1U);
  const auto least = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(2 * std::uint64_t{host.cores}, 2), most));
  if (mean_busy_s == 0.0) return least;
  const double jobs = seconds(options.credit_time) / mean_busy_s;
  return jobs >= most ? most : std::max(least, static_cast<std::uint32_t>(jobs));
}

std::uint32_t Worker::low_mark(const CoreOptions& options) const {
  const std::uint32_t full = target(options);
  const std::uint64_t urgent = 2 * std::uint64_t{std::max(host.cores, 1U)};
  return std::max(full / 2, static_cast<std::uint32_t>(std::min<std::uint64_t>(urgent, full)));
}

Worker& Workers::join(WorkerId id, const HostFacts& host, Instant now) {
  Worker& worker = workers_[id];
  worker.id = id;
  worker.host = host;
  worker.last_message = worker.last_heartbeat = now;
  return worker;
}

Worker* Workers::find(WorkerId id) {
  const auto it = workers_.find(id);
  return it == workers_.end() ? nullptr : &it->second;
}

}  // namespace kernsweep::coordinator
