// Checks that the coordinator has enough file descriptors: each connected worker and client takes one.
//
// Too few at the start are an error before anything is opened, because later failures have misleading
// messages. If they run out later, that is logged once: libzmq then lets new connections wait without any
// message.
#pragma once

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

// Checks the limit of descriptors. `raise`: first raises it as far as the system allows; false for a
// process that starts other programs, because they inherit the limit. Error: too few, with what to do. Logs
// a warning if there are few.
Status prepare_descriptors(bool raise);

class DescriptorWatch {
 public:
  // Must be called in each turn; checks once per second.
  void look(Instant now);

 private:
  Instant looked_{};
  bool warned_ = false;
};

}  // namespace kernsweep::coordinator
