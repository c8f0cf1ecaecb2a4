// Makes operands in a thread of its own, which owns the host's tensors.
//
// The worker's loop posts the requests of slots and never waits; answers come back through take(), when
// descriptor() is readable. Tensors and copies that a slot may have mapped are pinned until its next
// request or its end. So is a returned reference, unless operands or copies find no other room.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/base/wake_up.hpp"
#include "shared/wire/slot.pb.h"

namespace kernsweep {

class TensorMaker {
 public:
  // `budget_bytes`: limit for all tensors together. `threads`: used to generate values. `made` is called
  // when take() has an answer.
  TensorMaker(WakeUp made, std::uint64_t budget_bytes, int threads);
  ~TensorMaker();
  TensorMaker(const TensorMaker&) = delete;
  TensorMaker& operator=(const TensorMaker&) = delete;

  // `node`: the NUMA node of the slot's cores; nothing if there is one node or the cores are on several.
  void want(SlotId slot, const wire::TensorRequests& requests, std::optional<int> node);
  // Keeps a reference output that a slot has sealed.
  void adopt(SlotId slot, const wire::ReferenceOffer& offer);
  // The slot has ended: its pins are removed.
  void forget(SlotId slot);

  struct Made {
    SlotId slot;
    wire::TensorReplies replies;
  };
  std::vector<Made> take();
  int descriptor() const;  // readable while take() has something

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep
