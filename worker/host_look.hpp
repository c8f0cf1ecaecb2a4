// What others do on this host, as looks at it show (core/quiet.hpp).
#pragma once

#include "shared/base/instant.hpp"
#include "worker/core/quiet_wait.hpp"
#include "worker/host/doctor/activity.hpp"

namespace kernsweep::worker {

// What others did between two readings; processes of one name are told as one.
HostSeen seen_between(const kernsweep::Activity& before, const kernsweep::Activity& after,
                      const OurProcesses& ours);

class HostLook {
 public:
  // The first look is about the time from now on.
  HostLook() : before_(activity_under("/")) {}
  // Since the last look. Reads /proc, which takes about 10 us per process of the host.
  HostSeen look(const OurProcesses& ours);

 private:
  kernsweep::Activity before_;
};

}  // namespace kernsweep::worker
