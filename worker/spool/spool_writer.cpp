#include "worker/spool/spool_writer.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr const char* kThreadName = "kernsweep-spool";  // as top -H shows it

}  // namespace

struct SpoolWriter::State {
  enum class Task { append, rewrite, sync, remove };
  struct Posted {
    Task task;
    std::string bytes;
  };

  explicit State(std::string file_path) : path(std::move(file_path)) {}

  const std::string path;
  // Only the writer's thread, once it runs:
  std::optional<SpoolFile> file;
  std::uint64_t size = 0;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Posted> posted;                   // under mutex
  std::uint64_t waiting = 0;                   // under mutex
  bool ending = false, over = false;           // under mutex
  bool failed = false;                         // under mutex
  std::optional<std::string> failure_message;  // under mutex

  void post(Task task, std::string bytes = {}) {
    const std::lock_guard lock(mutex);
    if (task == Task::rewrite) failed = false;
    if (failed && task != Task::remove) return;
    waiting += bytes.size();
    posted.push_back({task, std::move(bytes)});
    changed.notify_all();
  }

  Status perform(const Posted& next) {
    switch (next.task) {
      case Task::rewrite: {
        KS_ASSIGN_OR_RETURN(file, replace_spool_file(path, next.bytes));
        size = next.bytes.size();
        return Done{};
      }
      case Task::append: {
        if (!file) return Done{};
        Status done = append_to_spool_file(*file, next.bytes, size);
        if (done) size += next.bytes.size();
        return done;
      }
      case Task::sync:
        if (file && fdatasync(file->descriptor()) != 0)
          return failure(path + ": it could not be written to the disk");
        return Done{};
      case Task::remove:
        if (file) unlink(path.c_str());
        file.reset();
        return Done{};
    }
    return Done{};
  }

  void serve() {
    pthread_setname_np(pthread_self(), kThreadName);
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ending || !posted.empty(); });
      if (posted.empty()) break;
      const Posted next = std::move(posted.front());
      posted.pop_front();
      lock.unlock();
      const Status done = perform(next);
      lock.lock();
      waiting -= next.bytes.size();
      if (!done) {
        failed = true;
        failure_message = done.error().message;
        posted.clear();
        waiting = 0;
      }
    }
    file.reset();  // with its lock
    over = true;
    changed.notify_all();
  }
};

SpoolWriter::SpoolWriter(std::string path) : state_(std::make_shared<State>(std::move(path))) {
  std::thread([state = state_] { state->serve(); }).detach();
}

SpoolWriter::SpoolWriter(SpoolFile file, std::uint64_t bytes)
    : state_(std::make_shared<State>(file.path())) {
  state_->file = std::move(file);
  state_->size = bytes;
  std::thread([state = state_] { state->serve(); }).detach();
}

SpoolWriter::~SpoolWriter() {
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, std::chrono::seconds(2), [this] { return state_->over; });
}

void SpoolWriter::append(std::string bytes) {
  if (!bytes.empty()) state_->post(State::Task::append, std::move(bytes));
}
void SpoolWriter::rewrite(std::string whole) {
  state_->post(State::Task::rewrite, std::move(whole));
}
void SpoolWriter::sync() {
  state_->post(State::Task::sync);
}
void SpoolWriter::remove() {
  state_->post(State::Task::remove);
}

std::uint64_t SpoolWriter::waiting_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiting;
}

std::optional<std::string> SpoolWriter::take_failure() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->failure_message, std::nullopt);
}

}  // namespace kernsweep
