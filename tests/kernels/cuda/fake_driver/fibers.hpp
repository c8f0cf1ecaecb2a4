// Functions that yield the processor and continue later, each on its own stack. One thread.
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
  // Continues the function until it yields or ends.
  void go_on();
  bool is_over() const;

  // Called by the function that runs: gives up the processor.
  static void give_up();

 private:
  struct Stack;
  std::unique_ptr<Stack> stack_;
};

}  // namespace kernsweep::testing::fake_cuda
