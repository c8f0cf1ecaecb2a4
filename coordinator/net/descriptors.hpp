// Checks that the coordinator has enough file descriptors: each connected worker and client takes one.
//
// Too few at the start are an error before anything is opened, because later failures give misleading
// messages. If they run out later, that is logged once: libzmq then lets new connections wait without any
// message.
#pragma once

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

// `raise`: raises the limit as far as the system allows; not for a process that starts other programs,
// because they inherit it. Error: too few, with what to do. Logs a warning if there are few.
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
