// The load of other programs on this host, from repeated looks at it (core/quiet.hpp).
#pragma once

#include "shared/base/instant.hpp"
#include "worker/core/quiet_wait.hpp"
#include "worker/host/doctor/activity.hpp"

namespace kernsweep::worker {

// The load of others between two readings; processes of the same name are combined.
HostSeen seen_between(const kernsweep::Activity& before, const kernsweep::Activity& after,
                      const OurProcesses& ours);

class HostLook {
 public:
  // The window of the first look starts now.
  HostLook() : before_(activity_under("/")) {}
  // The load since the last look. Reads /proc, which takes about 10 us per process of the host.
  HostSeen look(const OurProcesses& ours);

 private:
  kernsweep::Activity before_;
};

}  // namespace kernsweep::worker
