// Answers the tensor requests of a slot from an arena: makes operands that are not held, and returns for
// each a path that the slot can map. The worker's maker thread does this for all slots of a host;
// `kernsweep-slot --once` does it for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared/base/digest.hpp"
#include "tensors/arena.hpp"

namespace kernsweep {

namespace wire {
class ReferenceOffer;
class ReferenceUse;
class TensorReplies;
class TensorRequests;
}  // namespace wire

// Reads a wire::TensorSpec. Error: it cannot be read, or has an unknown dtype or distribution. Whether it
// is valid is not checked.
Result<TensorSpec> tensor_spec_of(const std::string& bytes);

// The pins that an answer has added: operands and copies by identity and number, and the reference, whose
// pin may be removed early because the slot can compute it.
struct TensorPins {
  std::vector<std::pair<Digest, std::uint32_t>> operands;
  std::optional<Digest> reference;
};

// The names of the parameters on which references depend, by computation (TensorRequests::reference): what
// those that were computed have reported. A reference that has reported nothing depends on all.
class ReferenceUses {
 public:
  using Names = std::set<std::string, std::less<>>;
  const Names* of(const Digest& computation) const;  // null: not known
  // Adds to what is known. Identities that were made of fewer names are no longer found.
  void add(const Digest& computation, const wire::ReferenceUse& use);

 private:
  std::map<Digest, Names> names_;
};

// The identity of a reference output: the requested computation, those of its values that are among `used`
// (null: all), and its operands in order. Operands from files count by content, not by path. Two jobs that
// agree in these have the same reference.
Digest reference_identity(const Digest& computation, const wire::TensorRequests& requests,
                          const ReferenceUses::Names* used, const std::vector<Digest>& operands);

// Fills `out`: one place for each operand, with all requested copies or with none; and the identity of the
// reference, with its place if the arena has it and the slot does not. Or the error of the first operand
// that cannot be made. Requests come from another process and are checked. `node` as in
// TensorArena::obtain. The caller must unpin the returned pins when the slot no longer needs them.
TensorPins answer(TensorArena& arena, const ReferenceUses& uses, const wire::TensorRequests& requests,
                  std::optional<int> node, wire::TensorReplies& out);
void unpin(TensorArena& arena, const TensorPins& pins);
void unpin_reference(TensorArena& arena, TensorPins& pins);  // alone, for operands that need its room

// Keeps a reference output that a slot has sealed, if its content is the offered one, and what it depends
// on. If it cannot be kept, the slots that need it compute it again.
void keep(TensorArena& arena, ReferenceUses& uses, const wire::ReferenceOffer& offer);

}  // namespace kernsweep
