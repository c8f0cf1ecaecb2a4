#include "tensors/tensor_answers.hpp"

#include "shared/text/home_path.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/slot.pb.h"

namespace kernsweep {

Result<TensorSpec> tensor_spec_of(const std::string& bytes) {
  wire::TensorSpec message;
  if (!message.ParseFromString(bytes))
    return failure("a slot asked for an operand in a form that cannot be read");
  const auto dtype = dtype_numbered(message.dtype());
  const auto distribution = distribution_numbered(message.distribution());
  if (!dtype || (!distribution && message.file().empty()))
    return failure("a slot asked for an operand of unknown dtype or distribution");
  TensorSpec spec;
  spec.dtype = *dtype;
  spec.shape.assign(message.shape().begin(), message.shape().end());
  spec.distribution = distribution.value_or(Distribution::uniform);
  spec.a = message.a();
  spec.b = message.b();
  spec.fan_in = message.fan_in();
  spec.fan_out = message.fan_out();
  spec.density = message.density();
  spec.seed = message.seed();
  if (!message.file().empty()) spec.file = TensorFile{message.file(), message.file_member(), {}};
  return spec;
}

namespace {

void place_of(const Placed& placed, wire::TensorPlace& out) {
  out.set_path(placed.path);
  out.set_bytes(placed.bytes);
  out.set_content_hash(placed.content_hash.hex());
  out.set_identity(std::string(placed.identity.view()));
  out.set_inode(placed.inode);
}

void describe(const TensorSpec& spec, wire::TensorPlace& out) {
  out.set_summary(spec.summary());
  wire::TensorOrigin& origin = *out.mutable_origin();
  origin.set_dtype(std::string(name_of(spec.dtype)));
  origin.mutable_shape()->Add(spec.shape.begin(), spec.shape.end());
  if (spec.file) {
    origin.set_file(without_home(spec.file->path));
    origin.set_file_member(spec.file->name);
  } else {
    origin.set_distribution(spec.distribution_text());
    origin.set_seed(spec.seed);
    out.set_generator(std::string(kGenerator));
  }
}

// Adds all requested copies, or none: a job can run without copies, but not with some of them. They are
// made together with the operands and not later, so that those of the slot's previous job stay pinned.
void add_copies(TensorArena& arena, const wire::TensorRequests& requests,
                const std::vector<Placed>& originals, wire::TensorReplies& replies, TensorPins& all) {
  TensorPins pins;
  for (int i = 0; i < requests.tensors_size(); ++i) {
    const std::uint32_t copies = requests.tensors(i).copies();
    for (std::uint32_t copy = 1; copy <= copies; ++copy) {
      auto placed = copies <= kTensorCopiesMax
                        ? arena.obtain_copy(originals[static_cast<std::size_t>(i)], copy)
                        : Result<Placed>(failure("more copies than a host makes"));
      if (!placed) {
        for (auto& place : *replies.mutable_tensors()) place.clear_copies();
        return unpin(arena, pins);
      }
      arena.pin(placed->identity, copy);
      pins.operands.emplace_back(placed->identity, copy);
      replies.mutable_tensors(i)->add_copies(std::move(placed->path));
    }
  }
  all.operands.insert(all.operands.end(), pins.operands.begin(), pins.operands.end());
}

void add_reference(TensorArena& arena, const ReferenceUses& uses, const wire::TensorRequests& requests,
                   const std::vector<Placed>& originals, wire::TensorReplies& replies, TensorPins& all) {
  const auto computation = digest_from_bytes(requests.reference());
  if (!computation) return;
  std::vector<Digest> operands;
  for (const Placed& placed : originals) operands.push_back(placed.identity);
  const ReferenceUses::Names* const used = uses.of(*computation);
  if (used) replies.mutable_reference_use()->mutable_names()->Add(used->begin(), used->end());
  const Digest identity = reference_identity(*computation, requests, used, operands);
  wire::TensorPlace& place = *replies.mutable_reference();
  place.set_identity(std::string(identity.view()));
  if (place.identity() == requests.reference_held()) return;
  const auto found = arena.find(identity);
  if (!found) return;
  place_of(*found, place);
  arena.pin(identity);
  all.reference = identity;
}

}  // namespace

const ReferenceUses::Names* ReferenceUses::of(const Digest& computation) const {
  const auto found = names_.find(computation);
  return found == names_.end() ? nullptr : &found->second;
}

void ReferenceUses::add(const Digest& computation, const wire::ReferenceUse& use) {
  constexpr std::size_t kMax = 1000;  // functions; beyond it references are computed again
  if (names_.size() == kMax) names_.clear();
  names_[computation].insert(use.names().begin(), use.names().end());
}

Digest reference_identity(const Digest& computation, const wire::TensorRequests& requests,
                          const ReferenceUses::Names* used, const std::vector<Digest>& operands) {
  std::string text = "reference of " + computation.hex();
  for (const auto& value : requests.reference_values())
    if (!used || used->contains(value.name())) text += " " + value.text();
  for (const Digest& operand : operands) text += " " + operand.hex();
  return digest_of(text);
}

TensorPins answer(TensorArena& arena, const ReferenceUses& uses, const wire::TensorRequests& requests,
                  std::optional<int> node, wire::TensorReplies& out) {
  TensorPins pins;
  std::vector<Placed> originals;
  for (const auto& request : requests.tensors()) {
    auto spec = tensor_spec_of(request.spec());
    auto placed = spec ? arena.obtain(*spec, node) : tl::unexpected(spec.error());
    if (!placed) {
      out.set_error(as_utf8("operand '" + request.name() + "': " + placed.error().message));
      return pins;
    }
    arena.pin(placed->identity);
    pins.operands.emplace_back(placed->identity, 0U);
    originals.push_back(*placed);
    wire::TensorPlace& place = *out.add_tensors();
    place_of(*placed, place);
    describe(*spec, place);
  }
  add_copies(arena, requests, originals, out, pins);
  add_reference(arena, uses, requests, originals, out, pins);  // last, so that no copy takes its place
  return pins;
}

void unpin(TensorArena& arena, const TensorPins& pins) {
  for (const auto& [identity, copy] : pins.operands) arena.unpin(identity, copy);
  if (pins.reference) arena.unpin(*pins.reference);
}

void unpin_reference(TensorArena& arena, TensorPins& pins) {
  if (pins.reference) arena.unpin(*pins.reference);
  pins.reference.reset();
}

void keep(TensorArena& arena, ReferenceUses& uses, const wire::ReferenceOffer& offer) {
  const auto computation = digest_from_bytes(offer.computation());
  if (computation && offer.has_use()) uses.add(*computation, offer.use());
  const auto identity = digest_from_bytes(offer.identity());
  const auto content = digest_from_hex(offer.place().content_hash());
  if (identity && content)
    (void)arena.adopt(*identity, offer.place().path(), offer.place().bytes(),
                      {*content, offer.place().inode()});
}

}  // namespace kernsweep
