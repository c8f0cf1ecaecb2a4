// Makes operands beside the worker's loop: one thread that owns the host's tensors.
//
// The loop posts what a slot wants and goes on; the answer comes back through take(), announced by
// descriptor(). Tensors, and copies, that a slot may have mapped are pinned until its next request or its
// end; so is a reference that was handed out, unless operands or copies find no other room.
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
  // `budget_bytes`: what all tensors together may take; `threads`: that may generate.
  // `made` is called when there is something to take().
  TensorMaker(WakeUp made, std::uint64_t budget_bytes, int threads);
  ~TensorMaker();
  TensorMaker(const TensorMaker&) = delete;
  TensorMaker& operator=(const TensorMaker&) = delete;

  // `node`: the NUMA node of the slot's cores; nothing when there is one node or the cores lie on several.
  void want(SlotId slot, const wire::TensorRequests& requests, std::optional<int> node);
  // Keeps a reference output that a slot has sealed.
  void adopt(SlotId slot, const wire::ReferenceOffer& offer);
  // The slot is gone: its pins fall.
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
