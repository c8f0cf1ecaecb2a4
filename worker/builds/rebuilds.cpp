#include "worker/builds/rebuilds.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace kernsweep {

std::map<std::string, std::string> Rebuilds::hashes_of(const std::set<std::string>& commands) {
  std::map<std::string, std::string> hashes;
  const std::vector<std::string> all(commands.begin(), commands.end());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    auto store = BuildStore::of_user(BuildStore::kNoBudget);
    if (!store) return;
    Builder builder(std::move(*store), host_);
    for (std::size_t at = next++; at < all.size(); at = next++) {
      const BuildAnswer answer =
          builder.build({all[at], kLimit, memory_max_, cpus_, ending_ ? ending_->descriptor() : -1});
      if (answer.interrupted) return;
      --left_;
      if (!answer.failure.empty()) continue;
      const std::lock_guard lock(mutex);
      hashes[all[at]] = answer.built.hash();
    }
  };
  left_ = all.size();
  std::vector<std::thread> threads;
  const std::size_t at_once = std::min(std::max<std::size_t>(cpus_.size(), 1), all.size());
  for (std::size_t i = 1; i < at_once; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  left_ = 0;
  return hashes;
}

}  // namespace kernsweep
