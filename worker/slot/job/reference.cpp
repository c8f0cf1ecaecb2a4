#include "worker/slot/job/reference.hpp"

#include <array>
#include <cstring>
#include <new>

#include "shared/base/content_hash.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/job/output.hpp"

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
  return digest_of("reference/" + pack.hex() + "/" + std::string(family.name) + "/" + variant.name + "/" +
                   std::to_string(seed) + "/" + params);
}

Status Reference::adopt(const Digest& identity, const wire::TensorPlace& place, bool is_outside) {
  auto mapping = TensorMapping::open(place.path(), place.bytes());
  if (!mapping) return tl::unexpected(mapping.error());
  const auto bytes = mapping->bytes();
  if (content_hash(bytes.data(), bytes.size()).hex() != place.content_hash())
    return failure(place.path() + ": holds another tensor by now");
  identity_.reset();
  try {
    output_ = {};
    if (is_outside) {
      auto read = reference_output_from({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      if (!read) return tl::unexpected(read.error());
      output_ = std::move(*read);
    } else {
      output_.values.resize(place.bytes() / sizeof(double));
    }
  } catch (const std::bad_alloc&) {
    return failure("there is no memory for the reference output");
  }
  if (!is_outside && !output_.values.empty())
    std::memcpy(output_.values.data(), bytes.data(), output_.values.size() * sizeof(double));
  identity_ = identity;
  return Done{};
}

std::optional<Reference::Failure> Reference::compute(const Digest& identity, const ks_variant& variant,
                                                     const ks_params& params,
                                                     const std::vector<ks_tensor>& operands,
                                                     std::uint32_t threads, std::uint64_t seed,
                                                     WorkerPort& port) {
  GuardedMemory memory;
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
  if (const ks_status ran = variant.run(state); ran != KS_OK) {
    failed = step_failed("run", variant, "", ran);
  } else if (variant.output(state, &output) != KS_OK) {
    failed = step_failed("show its output", variant, "");
  } else if (const auto count = element_count(output); !count) {
    failed = step_failed("show its output", variant, count.error().message.c_str());
  } else if (auto values = dense_doubles(output); !values) {
    failed = step_failed("show its output", variant, values.error().message.c_str(), KS_OUT_OF_MEMORY);
  } else {
    output_ = {};
    output_.values = *std::move(values);
    identity_ = identity;
  }
  variant.release(state);
  if (!failed && !output_.values.empty())
    offer(output_.values.data(), output_.values.size() * sizeof(double), port);
  return failed;
}

void Reference::hold(const Digest& identity, ReferenceOutput output) {
  identity_ = identity;
  output_ = std::move(output);
}

void Reference::share(WorkerPort& port) {
  const std::string bytes = bytes_of(output_);
  offer(bytes.data(), bytes.size(), port);
}

// If there is no memory for a shared copy, only this slot keeps the reference.
void Reference::offer(const void* data, std::size_t bytes, WorkerPort& port) {
  auto buffer = SealedBuffer::create(bytes);
  if (!buffer) return;
  std::memcpy(buffer->writable().data(), data, bytes);
  if (!buffer->seal()) return;
  offered_ = std::move(*buffer);
  wire::ReferenceOffer offer;
  offer.set_identity(std::string(identity_->view()));
  offer.mutable_place()->set_path(offered_->path());
  offer.mutable_place()->set_bytes(bytes);
  offer.mutable_place()->set_content_hash(content_hash(data, bytes).hex());
  port.offer(offer);
}

}  // namespace kernsweep
