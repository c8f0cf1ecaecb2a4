#include "worker/slot/verify/reference.hpp"

#include <array>
#include <memory>
#include <new>

#include "shared/base/content_hash.hpp"
#include "shared/base/try.hpp"
#include "tensors/tensor_answers.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/measure/forked_child.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {
namespace {

void* allocate_from(void* host, std::size_t bytes) {
  return static_cast<GuardedMemory*>(host)->allocate(bytes);
}

Reference::Failure step_failed(const char* step, const ks_variant& variant, const char* why,
                               ks_status status = KS_FAILED) {
  return {status == KS_OUT_OF_MEMORY ? Outcome::out_of_memory : Outcome::failed_setup,
          "the reference variant '" + std::string(variant.name) + "' failed to " + step +
              (*why ? std::string(": ") + why : "")};
}

}  // namespace

Digest Reference::computation(const Digest& pack, const ks_family& family, const ks_variant& variant,
                              const std::string& params, std::uint64_t seed) {
  return digest_of("reference with its shape/" + pack.hex() + "/" + std::string(family.name) + "/" +
                   variant.name + "/" + std::to_string(seed) + "/" + params);
}

Status Reference::adopt(const Digest& identity, const wire::TensorPlace& place) {
  KS_ASSIGN_OR_RETURN(auto mapping, TensorMapping::open(place.path(), place.bytes(), place.inode()));
  return map(identity, std::move(mapping));
}

Status Reference::map(const Digest& identity, TensorMapping mapping) try {
  forget();
  const auto shared = std::make_shared<const TensorMapping>(std::move(mapping));
  KS_ASSIGN_OR_RETURN(output_, reference_output_from(shared->bytes(), shared));
  identity_ = identity;
  return Done{};
} catch (const std::bad_alloc&) {
  return failure("there is no memory for the reference output");
}

std::optional<Reference::Failure> Reference::compute(const Digest& identity, const ks_variant& variant,
                                                     const ks_params& params,
                                                     const std::vector<ks_tensor>& operands,
                                                     std::uint32_t threads, std::uint64_t seed,
                                                     WorkerPort& port) {
  forget();
  GuardedMemory memory(GuardedMemory::Pages::large);
  const ks_context context{sizeof(ks_context), static_cast<std::int32_t>(threads), seed, allocate_from,
                           &memory};
  std::array<char, 512> why{};
  void* state = nullptr;
  if (const ks_status prepared = variant.prepare(&params, &context, operands.data(), operands.size(),
                                                 &state, {why.data(), why.size()});
      prepared != KS_OK) {
    return step_failed("prepare", variant, why.data(), prepared);
  }
  ks_tensor output{};
  std::optional<Failure> failed;
  const ks_status ran = variant.run(state);
  end_if_forked(ran == KS_OK);
  if (ran != KS_OK) {
    failed = step_failed("run", variant, "", ran);
  } else if (variant.output(state, &output) != KS_OK) {
    failed = step_failed("show its output", variant, "");
  } else if (const auto count = element_count(output); !count) {
    failed = step_failed("show its output", variant, count.error().message.c_str());
  } else if (auto kept = reference_output_of(output, false); !kept) {
    failed = step_failed("show its output", variant, kept.error().message.c_str());
  } else if (!keep(identity, *std::move(kept), port)) {
    failed = step_failed("show its output", variant, "there is no memory to keep it", KS_OUT_OF_MEMORY);
  }
  variant.release(state);
  return failed;
}

void Reference::hold(const Digest& identity, ReferenceOutput output) {
  identity_ = identity;
  output_ = std::move(output);
}

void Reference::forget() {
  identity_.reset();
  output_ = {};
}

// Keeps it in shared memory, where other slots find it; if there is none, only this slot has it.
bool Reference::keep(const Digest& identity, ReferenceOutput output, WorkerPort& port) {
  output.text.reset();  // an array of bytes is a list of numbers
  if (!output.values.empty() && offer(identity, output, port)) return true;
  auto copy = with_own_values(std::move(output));
  if (!copy) return false;
  hold(identity, *std::move(copy));
  return true;
}

void SharedReference::note(const wire::TensorReplies& replies) {
  for (const wire::TensorPlace& place : replies.tensors())
    operands.push_back(digest_from_bytes(place.identity()).value_or(Digest{}));
  if (replies.has_reference_use()) use = replies.reference_use();
}

Digest SharedReference::identity_with(const std::vector<std::string>& reads) {
  ReferenceUses::Names names(reads.begin(), reads.end());
  if (use) names.insert(use->names().begin(), use->names().end());
  use.emplace().mutable_names()->Add(names.begin(), names.end());
  return reference_identity(digest_from_bytes(requests.reference()).value_or(Digest{}), requests, &names,
                            operands);
}

void Reference::share(WorkerPort& port, const SharedReference* of) {
  (void)offer(*identity_, output_, port, of);
}

// On success the output is the one that other slots see, too.
bool Reference::offer(const Digest& identity, const ReferenceOutput& output, WorkerPort& port,
                      const SharedReference* of) {
  const StoredOutput stored(output);
  auto buffer = SealedBuffer::create(stored.bytes());
  if (!buffer) return false;
  stored.write(buffer->writable().data());
  const std::string hash = content_hash(buffer->writable().data(), buffer->bytes()).hex();
  if (!buffer->seal()) return false;
  auto mapping = TensorMapping::open(buffer->path(), buffer->bytes());
  if (!mapping || !map(identity, *std::move(mapping))) return false;
  offered_ = std::move(*buffer);
  wire::ReferenceOffer message;
  message.set_identity(std::string(identity.view()));
  message.mutable_place()->set_path(offered_->path());
  message.mutable_place()->set_bytes(offered_->bytes());
  message.mutable_place()->set_inode(offered_->inode());
  message.mutable_place()->set_content_hash(hash);
  if (of && of->use) {
    message.set_computation(of->requests.reference());
    *message.mutable_use() = *of->use;
  }
  port.offer(message);
  return true;
}

}  // namespace kernsweep
