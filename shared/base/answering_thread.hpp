// A thread that handles questions for a poll loop, in order. A question may have no answer, if only its
// effect is needed.
//
// ask() never waits; answers come back through take() when descriptor() is readable. The thread is started
// with the first question. The destructor waits for the question that is being handled and drops the
// others. ask() and take() are for the loop's thread only.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shared/base/wake_up.hpp"

namespace kernsweep {

template <class Question, class Answer>
class AnsweringThread {
 public:
  // `name`: as `top -H` shows it, at most 15 characters. `answer` runs on the thread alone.
  // `announced` becomes readable when there is an answer.
  AnsweringThread(std::string name, WakeUp announced, std::function<std::optional<Answer>(Question)> answer)
      : name_(std::move(name)), answer_(std::move(answer)), announced_(std::move(announced)) {}
  ~AnsweringThread() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      work_.notify_one();
    }
    thread_.join();
  }
  AnsweringThread(const AnsweringThread&) = delete;
  AnsweringThread& operator=(const AnsweringThread&) = delete;

  void ask(Question question) {
    const std::lock_guard lock(mutex_);
    questions_.push_back(std::move(question));
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
    work_.notify_one();
  }

  std::vector<Answer> take() {
    if (!announced_.reset()) return {};
    const std::lock_guard lock(mutex_);
    return std::exchange(answered_, {});
  }

  int descriptor() const { return announced_.descriptor(); }  // readable while take() has something

 private:
  void serve() {
    pthread_setname_np(pthread_self(), name_.c_str());
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [this] { return ending_ || !questions_.empty(); });
      if (ending_) return;
      Question question = std::move(questions_.front());
      questions_.pop_front();
      lock.unlock();
      std::optional<Answer> answer = answer_(std::move(question));
      lock.lock();
      if (!answer) continue;
      answered_.push_back(std::move(*answer));
      announced_.wake();
    }
  }

  const std::string name_;
  const std::function<std::optional<Answer>(Question)> answer_;
  const WakeUp announced_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Question> questions_;  // under mutex_
  std::vector<Answer> answered_;    // under mutex_
  bool ending_ = false;             // under mutex_
  std::thread thread_;
};

}  // namespace kernsweep
