// What a coordinator's file descriptors suffice for: each worker and each client that is connected takes
// one.
//
// Too few to begin with are an error before anything is opened, because what fails for lack of one later
// says something else. That they have run out is told once: libzmq lets who connects then wait without a
// word.
#pragma once

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

// Takes as many as the system lets us take (`raise`: not for who starts other programs, which inherit
// them). Error: too few, with what to do. A warning, where there are few.
Status prepare_descriptors(bool raise);

class DescriptorWatch {
 public:
  // To be called in each turn; looks once per second.
  void look(Instant now);

 private:
  Instant looked_{};
  bool told_ = false;
};

}  // namespace kernsweep::coordinator
