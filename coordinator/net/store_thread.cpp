#include "coordinator/net/store_thread.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "coordinator/net/recording.hpp"

namespace kernsweep::coordination {

struct StoreThread::State {
  State(Store opened, const Expansion& space, std::string version)
      : store(std::move(opened)),
        recording(store, space, std::move(version)),
        announced(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~State() { close(announced); }

  Store store;  // only the thread's, until finish() has joined it
  Recording recording;
  const int announced;
  std::mutex mutex;
  std::condition_variable work;
  std::vector<Finding> waiting;                             // under mutex
  std::vector<wire::Software> software;                     // under mutex
  std::vector<std::pair<std::uint32_t, HostRecord>> hosts;  // under mutex
  Committed committed;                                      // under mutex
  bool ending = false;                                      // under mutex
  std::thread thread;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      work.wait(lock, [this] { return ending || !waiting.empty() || !hosts.empty(); });
      if (waiting.empty() && hosts.empty()) return;
      const std::vector<Finding> batch = std::exchange(waiting, {});
      const auto joined = std::exchange(hosts, {});
      for (const wire::Software& told : std::exchange(software, {})) recording.learn(told);
      const bool broken = failed;
      lock.unlock();
      Committed done;
      const Status stored = broken ? failure("") : store_batch(batch, joined, done);
      lock.lock();
      if (stored) {
        for (const Finding& finding : batch) committed.attempts.push_back(finding.attempt);
        committed.hosts.insert(committed.hosts.end(), done.hosts.begin(), done.hosts.end());
      } else if (!broken) {
        failed = true;
        committed.failure = stored.error().message;
      }
      const std::uint64_t one = 1;
      const auto written = write(announced, &one, sizeof one);
      (void)written;
    }
  }

  Status store_batch(const std::vector<Finding>& batch,
                     const std::vector<std::pair<std::uint32_t, HostRecord>>& joined, Committed& done) {
    for (const auto& [tag, host] : joined) {
      const auto added = store.add_host(host);
      if (!added) return tl::unexpected(added.error());
      done.hosts.emplace_back(tag, *added);
    }
    for (const Finding& finding : batch) {
      if (const Status recorded = recording.record(finding); !recorded) return recorded;
    }
    return store.commit();
  }

  bool failed = false;  // under mutex: stays true after `failure` was taken
};

StoreThread::StoreThread(Store store, const Expansion& expansion, std::string software_version)
    : state_(std::make_unique<State>(std::move(store), expansion, std::move(software_version))) {
  state_->thread = std::thread([this] { state_->serve(); });
}

StoreThread::~StoreThread() {
  if (!state_->thread.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
    state_->work.notify_one();
  }
  state_->thread.join();
}

void StoreThread::post(std::vector<Finding> findings) {
  const std::lock_guard lock(state_->mutex);
  if (state_->waiting.empty()) {
    state_->waiting = std::move(findings);
  } else {
    for (Finding& finding : findings) state_->waiting.push_back(std::move(finding));
  }
  state_->work.notify_one();
}

void StoreThread::post_software(wire::Software software) {
  const std::lock_guard lock(state_->mutex);
  state_->software.push_back(std::move(software));
}

void StoreThread::post_host(std::uint32_t tag, HostRecord host) {
  const std::lock_guard lock(state_->mutex);
  state_->hosts.emplace_back(tag, std::move(host));
  state_->work.notify_one();
}

Store StoreThread::finish() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
    state_->work.notify_one();
  }
  state_->thread.join();
  return std::move(state_->store);
}

StoreThread::Committed StoreThread::take() {
  std::uint64_t count = 0;
  const auto got = read(state_->announced, &count, sizeof count);
  if (got <= 0) return {};
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->committed, {});
}

int StoreThread::descriptor() const {
  return state_->announced;
}

}  // namespace kernsweep::coordination
