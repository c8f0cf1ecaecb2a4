// Applies events to the worker's core one after the other. An event that is added while actions are carried
// out waits until all actions of the current event are done. So actions are carried out in the order of the
// core, and a chain of events needs no recursion.
#pragma once

#include <deque>
#include <utility>

#include "worker/core/core.hpp"

namespace kernsweep::worker {

class EventQueue {
 public:
  // `obey` applies one event to the core and carries out its actions; it may call add().
  template <class Obey>
  void add(Event event, Obey obey) {
    waiting_.push_back(std::move(event));
    if (busy_) return;
    busy_ = true;
    while (!waiting_.empty()) {
      const Event next = std::move(waiting_.front());
      waiting_.pop_front();
      obey(next);
    }
    busy_ = false;
  }

 private:
  std::deque<Event> waiting_;
  bool busy_ = false;
};

}  // namespace kernsweep::worker
