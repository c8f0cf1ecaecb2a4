#include "tests/unit/slot/fake_worker.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "tensors/mapping.hpp"
#include "worker/slot/verify/reference_output.hpp"

namespace kernsweep::testing_slot {

SealedBuffer sealed(const std::vector<double>& values) {
  ReferenceOutput right;
  right.values = values;
  right.shape = {static_cast<std::int64_t>(values.size())};
  const StoredOutput stored(right);
  auto buffer = SealedBuffer::create(stored.bytes());
  KS_ASSERT(buffer.has_value());
  stored.write(buffer->writable().data());
  KS_ASSERT(buffer->seal().has_value());
  return *std::move(buffer);
}

Result<wire::TensorReplies> FakeWorker::obtain(const wire::TensorRequests& wanted) {
  ++requests;
  if (gone) return failure("the worker is gone");
  wire::TensorReplies replies;
  replies.set_error(tensor_error);
  replies.set_out_of_memory(out_of_memory);
  if (!tensor_error.empty()) return replies;
  unpin(arena_, std::exchange(pins_, {}));
  pins_ = answer(arena_, uses_, wanted, std::nullopt, replies);
  for (int i = 0; i < replies.tensors_size(); ++i) {
    copies_wanted.push_back(wanted.tensors(i).copies());
    if (keeps_copies) replies.mutable_tensors(i)->clear_copies();
  }
  const auto identity = digest_from_bytes(replies.reference().identity());
  if (!identity || replies.reference().identity() == wanted.reference_held()) return replies;
  wanted_references.push_back(identity->hex());
  if (!known_.empty()) {
    const SealedBuffer buffer = sealed(std::exchange(known_, {}));
    KS_ASSERT(arena_.adopt(*identity, buffer.path(), buffer.bytes(), {}).has_value());
    unpin(arena_, std::exchange(pins_, {}));
    replies.Clear();
    pins_ = answer(arena_, uses_, wanted, std::nullopt, replies);
  }
  if (reference_now && !replies.reference().path().empty())
    replies.mutable_reference()->set_path(reference_now->path());
  return replies;
}

void FakeWorker::offer(const wire::ReferenceOffer& offer) {
  const auto identity = digest_from_bytes(offer.identity());
  KS_ASSERT(identity.has_value());
  offers.push_back(identity->hex());
  const auto mapping = TensorMapping::open(offer.place().path(), offer.place().bytes());
  KS_ASSERT(mapping.has_value());
  const auto right = reference_output_from(mapping->bytes(), nullptr);
  KS_ASSERT(right.has_value());
  offered.clear();
  for (std::size_t i = 0; i < right->values.size(); ++i) offered.push_back(right->values[i]);
  if (!keep_offers) return;
  keep(arena_, uses_, offer);
  KS_ASSERT(arena_.find(*identity).has_value());
}

Status FakeWorker::lease(bool whole_host) {
  ++(whole_host ? whole_host_leases : leases);
  if (whole_host ? keeps_whole_host : keeps_lease) return failure("the worker keeps the lease");
  return Done{};
}

}  // namespace kernsweep::testing_slot
