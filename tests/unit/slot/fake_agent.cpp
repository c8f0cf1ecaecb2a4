#include "tests/unit/slot/fake_agent.hpp"

#include <cstring>

#include "shared/tensors/mapping.hpp"

namespace kernsweep::testing_slot {
namespace {

TensorSpec spec_of(const std::string& bytes) {
  wire::TensorSpec told;
  KS_ASSERT(told.ParseFromString(bytes));
  TensorSpec spec;
  spec.dtype = *dtype_numbered(told.dtype());
  spec.shape.assign(told.shape().begin(), told.shape().end());
  spec.distribution = *distribution_numbered(told.distribution());
  spec.a = told.a();
  spec.b = told.b();
  spec.density = told.density();
  spec.seed = told.seed();
  return spec;
}

void place_of(const Placed& placed, const std::string& summary, wire::TensorPlace& out) {
  out.set_path(placed.path);
  out.set_bytes(placed.bytes);
  out.set_identity(std::string(placed.identity.view()));
  out.set_content_hash(placed.content_hash.hex());
  out.set_summary(summary);
}

}  // namespace

Result<wire::TensorReplies> FakeAgent::obtain(const wire::TensorRequests& wanted) {
  ++requests;
  if (gone) return failure("the agent is gone");
  wire::TensorReplies replies;
  replies.set_error(tensor_error);
  replies.set_out_of_memory(out_of_memory);
  if (!tensor_error.empty()) return replies;
  for (const auto& request : wanted.tensors()) {
    const TensorSpec spec = spec_of(request.spec());
    const auto placed = arena_.obtain(spec);
    KS_ASSERT(placed.has_value());
    wire::TensorPlace& place = *replies.add_tensors();
    place_of(*placed, spec.summary(), place);
    copies_wanted.push_back(request.copies());
    for (std::uint32_t copy = 1; !keeps_copies && copy <= request.copies(); ++copy) {
      const auto copied = arena_.obtain_copy(*placed, copy);
      KS_ASSERT(copied.has_value());
      place.add_copies(copied->path);
    }
  }
  const auto identity = digest_from_bytes(wanted.reference());
  if (!identity) return replies;
  wanted_references.push_back(identity->hex());
  if (!known_.empty()) {
    const std::size_t bytes = known_.size() * sizeof(double);
    auto buffer = SealedBuffer::create(bytes);
    KS_ASSERT(buffer.has_value());
    std::memcpy(buffer->writable().data(), known_.data(), bytes);
    KS_ASSERT(buffer->seal().has_value());
    KS_ASSERT(arena_.adopt(*identity, buffer->path(), bytes).has_value());
    known_.clear();
  }
  if (const auto found = arena_.find(*identity))
    place_of(*found, "reference", *replies.mutable_reference());
  return replies;
}

void FakeAgent::offer(const wire::ReferenceOffer& offer) {
  const auto identity = digest_from_bytes(offer.identity());
  KS_ASSERT(identity.has_value());
  offers.push_back(identity->hex());
  const auto mapping = TensorMapping::open(offer.place().path(), offer.place().bytes());
  KS_ASSERT(mapping.has_value());
  offered.resize(mapping->bytes().size() / sizeof(double));
  std::memcpy(offered.data(), mapping->bytes().data(), mapping->bytes().size());
  if (keep_offers)
    KS_ASSERT(arena_.adopt(*identity, offer.place().path(), offer.place().bytes()).has_value());
}

Status FakeAgent::lease(bool whole_host) {
  ++(whole_host ? whole_host_leases : leases);
  if (whole_host ? keeps_whole_host : keeps_lease) return failure("the agent keeps the lease");
  return Done{};
}

}  // namespace kernsweep::testing_slot
