#include "coordinator/net/store_thread.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "coordinator/net/lock_watch.hpp"
#include "coordinator/net/recording.hpp"
#include "results/sqlite/file_system.hpp"
#include "shared/base/try.hpp"
#include "shared/text/moment.hpp"

namespace kernsweep::coordinator {

namespace {

constexpr const char* kThreadName = "kernsweep-store";  // as top -H shows it
constexpr auto kEventsWait = std::chrono::seconds(1);
constexpr auto kAskedEvery = std::chrono::milliseconds(100);
constexpr std::size_t kSoftwareWaits = 256;
// More events than these are dropped while the disk does not respond.
constexpr std::size_t kEventsMax = 100'000;
constexpr std::size_t kSoftwareBytesWaiting = std::size_t{256} << 20;

// Data that was posted while the previous batch was being committed.
struct Batch {
  std::vector<std::pair<std::uint32_t, SweepOrder>> orders;
  std::vector<std::pair<SweepId, std::shared_ptr<const Expansion>>> known;
  std::vector<wire::Software> software;
  std::size_t software_bytes = 0;
  std::vector<std::pair<std::uint32_t, HostRecord>> hosts;
  std::vector<PendingResult> results;
  std::vector<EventRow> events;
  std::vector<std::pair<SweepId, std::vector<std::optional<bool>>>> problems;
  std::vector<std::pair<SweepId, AskedRound>> asked;
  std::vector<std::pair<SweepId, SweepState>> ends;
  std::vector<SweepId> begun_twice;

  // Software is kept until an outcome refers to it, and events for a short time; both have limits.
  bool is_urgent() const {
    return !orders.empty() || !known.empty() || !hosts.empty() || !results.empty() || !ends.empty() ||
           !problems.empty() || !asked.empty() || software.size() > kSoftwareWaits;
  }
};

}  // namespace

struct StoreThread::State {
  State(Store opened, std::string version, WakeUp wake)
      : store(std::move(opened)),
        recording(store, std::move(version)),
        announced(std::move(wake)),
        locks(
            store.path(), [this](std::string note) { tell(std::move(note)); },
            [this] { return !hurried.load(std::memory_order_relaxed); }) {
    store.while_locked(locks.while_locked());
  }

  Store store;  // used by the thread only, until finish() has joined it
  Recording recording;
  const WakeUp announced;
  LockWatch locks;                   // used by the thread only
  std::atomic<bool> hurried{false};  // true: do not wait for locks of other programs any more
  std::mutex mutex;
  std::condition_variable work, over;
  Batch waiting;        // under mutex
  Committed committed;  // under mutex
  bool ending = false;  // under mutex
  bool ended = false;   // under mutex
  bool failed = false;  // under mutex: stays true after `failure` was taken
  std::uint64_t results_since_look = 0, results_until_look = 0;  // used by the thread only
  Instant looked_at_space{};                                     // used by the thread only
  Load load;  // under mutex; of the waiting rows, only those that are being committed
  std::thread thread;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      const auto called = [this] { return ending || waiting.is_urgent(); };
      if (waiting.events.empty() || failed) {
        work.wait(lock, [&] { return called() || (!waiting.events.empty() && !failed); });
      }
      // Events are committed with the next outcomes; if there are none, after a short time.
      work.wait_for(lock, kEventsWait, called);
      if (!waiting.is_urgent() && (waiting.events.empty() || failed)) {
        if (ending) break;
        continue;
      }
      Batch batch = std::exchange(waiting, {});
      const bool broken = failed;
      load.rows_waiting = batch.results.size();
      lock.unlock();
      Committed done;
      const Instant from = monotonic_now();
      const Status stored = broken ? failure("") : store_batch(batch, done);
      const double took_s = seconds(monotonic_now() - from);
      if (stored) locks.done();
      std::string low_space = stored ? look_at_space(batch.results.size()) : "";
      lock.lock();
      if (!low_space.empty()) committed.low_space = std::move(low_space);
      load.rows_waiting = 0;
      if (stored) {
        load.times.add(took_s, batch.results.size());
        for (const PendingResult& result : batch.results) committed.attempts.push_back(result.attempt);
        committed.hosts.insert(committed.hosts.end(), done.hosts.begin(), done.hosts.end());
        committed.asked.insert(committed.asked.end(), batch.asked.begin(), batch.asked.end());
      } else if (!broken) {
        failed = true;
        committed.failure = stored.error().message;
      }
      if (!stored) {
        for (const auto& [tag, order] : batch.orders)
          done.begun.emplace_back(tag, failure("the database cannot be written any more"));
      }
      for (auto& each : done.begun) committed.begun.push_back(std::move(each));
      announced.wake();
    }
    ended = true;
    over.notify_one();
  }

  // Empty: there is enough space, or it is not yet time to check again: after a second, or after so many
  // results that they may have taken a sixteenth of the free space.
  std::string look_at_space(std::size_t results) {
    constexpr std::uint64_t kResultBytesMost = 16384;
    results_since_look += results;
    const Instant now = monotonic_now();
    if (results_since_look < results_until_look && now - looked_at_space < std::chrono::seconds(1))
      return "";
    const auto room = room_for(store.path());
    looked_at_space = now;
    results_since_look = 0;
    results_until_look = room ? room->free_bytes / 16 / kResultBytesMost : UINT64_MAX;
    if (!room || room->free_bytes >= room->least_free()) return "";
    return fmt::format(
        "{}: the disk is almost full: {}. The sweep ends, and what was measured is stored. Make room "
        "there, or "
        "move the database, together with its -wal and -shm, to another disk",
        store.path(), text_of_room(store.path()));
  }

  void tell(std::string note) {
    const std::lock_guard lock(mutex);
    committed.notes.push_back(std::move(note));
    announced.wake();
  }

  Status store_batch(Batch& batch, Committed& done) {
    for (auto& [id, expansion] : batch.known) recording.add(id, std::move(expansion));
    for (const wire::Software& description : batch.software) recording.learn(description);
    for (const auto& [tag, host] : batch.hosts) {
      KS_ASSIGN_OR_RETURN(const auto added, store.add_host(host));
      done.hosts.emplace_back(tag, added);
    }
    for (const PendingResult& result : batch.results) {
      KS_RETURN_IF_ERROR(recording.record(result));
    }
    for (EventRow& event : batch.events) {
      event.record.reason = event.reason;
      KS_RETURN_IF_ERROR(store.note(event.record));
    }
    KS_RETURN_IF_ERROR(store.commit());
    for (const auto& [id, problem] : batch.problems) KS_RETURN_IF_ERROR(store.set_problem(id, problem));
    for (const auto& [id, round] : batch.asked) KS_RETURN_IF_ERROR(store.ask(id, round));
    for (const SweepId id : batch.begun_twice) recording.forget(id);
    for (const auto& [id, state] : batch.ends) {
      if (!recording.forget(id)) continue;  // restarted meanwhile: the new run has set its state
      KS_RETURN_IF_ERROR(store.finish_sweep(id, state, unix_now()));
    }
    // If a sweep cannot start, only its submitter gets the error; the other posts continue.
    for (auto& [tag, order] : batch.orders) {
      auto begun = begin_sweep(store, order);
      if (begun) recording.add(begun->id, begun->expansion);
      done.begun.emplace_back(tag, std::move(begun));
    }
    return Done{};
  }

  template <class Add>
  void add(Add adding) {
    const std::lock_guard lock(mutex);
    const bool first = waiting.events.empty();
    adding(waiting);
    if (failed) waiting.events.clear();
    if (waiting.events.size() > kEventsMax) waiting.events.pop_back();
    if (waiting.is_urgent() || (first && !waiting.events.empty())) work.notify_one();
  }
};

StoreThread::StoreThread(Store store, std::string software_version, WakeUp committed)
    : state_(std::make_unique<State>(std::move(store), std::move(software_version), std::move(committed))) {
  state_->thread = std::thread([this] {
    pthread_setname_np(pthread_self(), kThreadName);
    state_->serve();
  });
}

StoreThread::~StoreThread() {
  finish([] { return false; });
}

void StoreThread::post_begin(std::uint32_t tag, SweepOrder order) {
  state_->add([&](Batch& batch) { batch.orders.emplace_back(tag, std::move(order)); });
}

void StoreThread::know(SweepId id, std::shared_ptr<const Expansion> expansion) {
  state_->add([&](Batch& batch) { batch.known.emplace_back(id, std::move(expansion)); });
}

void StoreThread::post_problem(SweepId id, std::vector<std::optional<bool>> problem) {
  state_->add([&](Batch& batch) { batch.problems.emplace_back(id, std::move(problem)); });
}

void StoreThread::post_asked(SweepId id, AskedRound round) {
  state_->add([&](Batch& batch) { batch.asked.emplace_back(id, std::move(round)); });
}

void StoreThread::post_end(SweepId id, SweepState sweep) {
  state_->add([&](Batch& batch) { batch.ends.emplace_back(id, sweep); });
}

void StoreThread::post_begun_twice(SweepId id) {
  state_->add([&](Batch& batch) { batch.begun_twice.push_back(id); });
}

void StoreThread::post_event(EventRow event) {
  state_->add([&](Batch& batch) { batch.events.push_back(std::move(event)); });
}

void StoreThread::post(std::vector<PendingResult> results) {
  state_->add([&](Batch& batch) {
    if (batch.results.empty()) {
      batch.results = std::move(results);
    } else {
      for (PendingResult& result : results) batch.results.push_back(std::move(result));
    }
  });
}

void StoreThread::post_software(wire::Software software) {
  const std::size_t bytes = software.ByteSizeLong();
  state_->add([&](Batch& batch) {
    if (batch.software_bytes + bytes > kSoftwareBytesWaiting) return;
    batch.software_bytes += bytes;
    batch.software.push_back(std::move(software));
  });
}

void StoreThread::post_host(std::uint32_t tag, HostRecord host) {
  state_->add([&](Batch& batch) { batch.hosts.emplace_back(tag, std::move(host)); });
}

void StoreThread::finish(const std::function<bool()>& may_wait) {
  if (!state_->thread.joinable()) return;
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->work.notify_one();
  while (!state_->over.wait_for(lock, kAskedEvery, [this] { return state_->ended; })) {
    lock.unlock();
    if (!may_wait()) state_->hurried = true;
    lock.lock();
  }
  lock.unlock();
  state_->thread.join();
}

StoreThread::Committed StoreThread::take() {
  if (!state_->announced.reset()) return {};
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->committed, {});
}

std::vector<std::string> StoreThread::take_notes() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->committed.notes, {});
}

StoreThread::Load StoreThread::load() const {
  const std::lock_guard lock(state_->mutex);
  Load load = state_->load;
  load.rows_waiting += state_->waiting.results.size();
  return load;
}

int StoreThread::descriptor() const {
  return state_->announced.descriptor();
}

}  // namespace kernsweep::coordinator
