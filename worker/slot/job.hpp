// One job from its body to its outcome: bind parameters, ask "can I", get operands, prepare, verify, take
// the lease, measure. Whatever fails becomes an outcome with a reason; nothing here ends the process (a
// crashing kernel does).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shared/rules.hpp"
#include "shared/wire/protocol.pb.h"
#include "worker/slot/agent_port.hpp"
#include "worker/slot/binding.hpp"
#include "worker/slot/guarded_memory.hpp"
#include "worker/slot/operands.hpp"
#include "worker/slot/pack.hpp"
#include "worker/slot/reference.hpp"

namespace kernsweep {

struct SlotPlace {
  std::uint32_t threads = 1;
  std::string affinity;  // as read back: "0-1"
  std::uint64_t llc_bytes = 0;
};

class JobRunner {
 public:
  // `pack` and `family` stay as long as the process. `port` must outlive the runner.
  JobRunner(const Pack& pack, const ks_family& family, SlotPlace place, AgentPort& port);

  // `leased`: the lease came with the run. Fills everything but the attempt's id.
  void run(const wire::Plan& plan, const Rules& rules, const wire::JobBody& body, bool leased,
           wire::Outcome& out);

 private:
  struct Bound {
    const ks_variant* variant;
    Binding binding;
  };
  struct Attempt;  // all that one run of run() knows

  const Bound* bind(const wire::Plan& plan, const std::string& variant);
  bool set_up(Attempt& job);
  bool choose_reference(Attempt& job);
  bool obtain_operands(Attempt& job);
  bool verify(Attempt& job);
  bool compare_with_reference(Attempt& job, const ks_tensor& output);
  bool measure(Attempt& job);
  void evict_caches();

  const Pack& pack_;
  const ks_family& family_;
  SlotPlace place_;
  AgentPort& port_;
  Operands operands_;
  Reference reference_;
  GuardedMemory memory_;
  std::map<std::pair<std::uint32_t, std::string>, Bound> bound_;  // by sweep and variant
  std::vector<char> eviction_;
};

}  // namespace kernsweep
