// Lets one thread wake the poll of another: a descriptor that becomes readable (eventfd).
#pragma once

#include "shared/base/result.hpp"

namespace kernsweep {

class WakeUp {
 public:
  // Error: the system returns no descriptor; the message has the reason and what to do.
  static Result<WakeUp> make();
  WakeUp(WakeUp&& other) noexcept;
  WakeUp& operator=(WakeUp&& other) noexcept;
  WakeUp(const WakeUp&) = delete;
  ~WakeUp();

  int descriptor() const { return descriptor_; }
  void wake() const;   // from any thread
  bool reset() const;  // resets it; true if wake() was called since the last time

 private:
  explicit WakeUp(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace kernsweep
