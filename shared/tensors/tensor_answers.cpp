#include "shared/tensors/tensor_answers.hpp"

#include "shared/utf8.hpp"
#include "shared/wire/slot.pb.h"

namespace kernsweep {
namespace {

Result<TensorSpec> spec_of(const std::string& bytes) {
  wire::TensorSpec told;
  if (!told.ParseFromString(bytes))
    return failure("a slot asked for an operand in a form that cannot be read");
  const auto dtype = dtype_numbered(told.dtype());
  const auto distribution = distribution_numbered(told.distribution());
  if (!dtype || (!distribution && told.file().empty()))
    return failure("a slot asked for an operand of unknown dtype or distribution");
  TensorSpec spec;
  spec.dtype = *dtype;
  spec.shape.assign(told.shape().begin(), told.shape().end());
  spec.distribution = distribution.value_or(Distribution::uniform);
  spec.a = told.a();
  spec.b = told.b();
  spec.fan_in = told.fan_in();
  spec.fan_out = told.fan_out();
  spec.density = told.density();
  spec.seed = told.seed();
  if (!told.file().empty()) spec.file = TensorFile{told.file(), told.file_member(), {}};
  return spec;
}

void place_of(const Placed& placed, std::string summary, wire::TensorPlace& out) {
  out.set_path(placed.path);
  out.set_bytes(placed.bytes);
  out.set_content_hash(placed.content_hash.hex());
  out.set_identity(std::string(placed.identity.view()));
  out.set_summary(std::move(summary));
}

// All that are wanted or none: a job can do without copies, but not with some. Asked for with the operands
// and not later, so that those that the slot's job before had too stay pinned throughout.
void add_copies(TensorArena& arena, const wire::TensorRequests& requests,
                const std::vector<Placed>& originals, wire::TensorReplies& replies, TensorPins& pinned) {
  TensorPins pins;
  for (int i = 0; i < requests.tensors_size(); ++i) {
    const std::uint32_t wanted = requests.tensors(i).copies();
    for (std::uint32_t copy = 1; copy <= wanted; ++copy) {
      auto placed = wanted <= kTensorCopiesMax
                        ? arena.obtain_copy(originals[static_cast<std::size_t>(i)], copy)
                        : Result<Placed>(failure("more copies than a host makes"));
      if (!placed) {
        for (auto& place : *replies.mutable_tensors()) place.clear_copies();
        return unpin(arena, pins);
      }
      arena.pin(placed->identity, copy);
      pins.emplace_back(placed->identity, copy);
      replies.mutable_tensors(i)->add_copies(std::move(placed->path));
    }
  }
  pinned.insert(pinned.end(), pins.begin(), pins.end());
}

}  // namespace

TensorPins answer(TensorArena& arena, const wire::TensorRequests& requests, std::optional<int> node,
                  wire::TensorReplies& out) {
  TensorPins pinned;
  std::vector<Placed> originals;
  for (const auto& request : requests.tensors()) {
    auto spec = spec_of(request.spec());
    auto placed = spec ? arena.obtain(*spec, node) : tl::unexpected(spec.error());
    if (!placed) {
      out.set_error(as_utf8("operand '" + request.name() + "': " + placed.error().message));
      break;
    }
    arena.pin(placed->identity);
    pinned.emplace_back(placed->identity, 0U);
    originals.push_back(*placed);
    wire::TensorPlace& place = *out.add_tensors();
    place_of(*placed, spec->summary(), place);
    if (!spec->file) place.set_generator(std::string(kGenerator));
  }
  if (out.error().empty()) add_copies(arena, requests, originals, out, pinned);
  if (const auto reference = digest_from_bytes(requests.reference())) {
    if (const auto found = arena.find(*reference)) place_of(*found, "reference", *out.mutable_reference());
  }
  return pinned;
}

void unpin(TensorArena& arena, const TensorPins& pins) {
  for (const auto& [identity, copy] : pins) arena.unpin(identity, copy);
}

void keep(TensorArena& arena, const wire::ReferenceOffer& offer) {
  const auto identity = digest_from_bytes(offer.identity());
  if (identity) (void)arena.adopt(*identity, offer.place().path(), offer.place().bytes());
}

}  // namespace kernsweep
