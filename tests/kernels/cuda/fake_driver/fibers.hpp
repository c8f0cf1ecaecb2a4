// Functions that give up the processor and are gone on with later, each on a stack of its own. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace kernsweep::testing::fake_cuda {

class Fiber {
 public:
  Fiber();
  ~Fiber();

  // Requires: the function before has ended.
  void start(const std::function<void()>& function);
  // Goes on with the function until it gives up or ends.
  void go_on();
  bool is_over() const;

  // Called by the function that runs: gives up the processor.
  static void give_up();

 private:
  struct Stack;
  std::unique_ptr<Stack> stack_;
};

}  // namespace kernsweep::testing::fake_cuda
