// Events of the worker's core, one after the other: what an order brings about while it is obeyed waits
// until every order of its own event has been. So orders are obeyed in the order in which the core gave
// them, and as deep as the stack is by one of them, however many follow.
#pragma once

#include <deque>
#include <utility>

#include "worker/core/core.hpp"

namespace kernsweep::worker {

class EventQueue {
 public:
  // `obey` applies one event to the core and obeys its orders; it may call add() for further ones.
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
