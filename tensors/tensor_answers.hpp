// What a slot asks for, answered from an arena: each operand made where it is not held, each as a place
// that the slot can map. The worker's maker does it for all slots of a host; a slot that is started by hand
// does it for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shared/base/digest.hpp"
#include "tensors/arena.hpp"

namespace kernsweep {

namespace wire {
class ReferenceOffer;
class TensorReplies;
class TensorRequests;
}  // namespace wire

// What an answer has pinned, each once more than before: operands and copies by identity and number, and
// the reference, which the slot can do without, because it can compute it.
struct TensorPins {
  std::vector<std::pair<Digest, std::uint32_t>> operands;
  std::optional<Digest> reference;
};

// What a reference output is kept under: what is computed (TensorRequests::reference) on which operands, in
// their order. Not on which paths: what a file holds is part of its tensor's identity.
Digest reference_identity(const Digest& computation, const std::vector<Digest>& operands);

// Fills `out`: one place an operand, with the copies that are wanted of all of them or with none, and the
// reference: its identity, and where it is held its place unless the slot has it; or the error of the first
// operand that cannot be had. Requests come from another process: what they say is checked. `node` as in
// TensorArena::obtain. What is returned stays until the caller unpins it, because the slot needs it no
// longer.
TensorPins answer(TensorArena& arena, const wire::TensorRequests& requests, std::optional<int> node,
                  wire::TensorReplies& out);
void unpin(TensorArena& arena, const TensorPins& pins);
void unpin_reference(TensorArena& arena, TensorPins& pins);  // alone, for operands that need its room

// Keeps a reference output that a slot has sealed, if it is the one that was offered. One that cannot be
// kept is computed again by whoever needs it.
void keep(TensorArena& arena, const wire::ReferenceOffer& offer);

}  // namespace kernsweep
