#include "worker/slot/reference.hpp"

#include <array>
#include <cstring>

#include "shared/content_hash.hpp"
#include "worker/slot/guarded_memory.hpp"
#include "worker/slot/output.hpp"

namespace kernsweep {
namespace {

void* allocate_from(void* host, std::size_t bytes) {
  return static_cast<GuardedMemory*>(host)->allocate(bytes);
}

std::string step_failed(const char* step, const ks_variant& variant, const char* why) {
  return "the reference variant '" + std::string(variant.name) + "' failed to " + step +
         (*why ? std::string(": ") + why : "");
}

}  // namespace

Digest Reference::computation(const Digest& pack, const ks_family& family, const ks_variant& variant,
                              const std::string& params, std::uint64_t seed) {
  return digest_of("reference/" + pack.hex() + "/" + std::string(family.name) + "/" + variant.name + "/" +
                   std::to_string(seed) + "/" + params);
}

Status Reference::adopt(const Digest& identity, const wire::TensorPlace& place) {
  auto mapping = TensorMapping::open(place.path(), place.bytes());
  if (!mapping) return tl::unexpected(mapping.error());
  const auto bytes = mapping->bytes();
  if (content_hash(bytes.data(), bytes.size()).hex() != place.content_hash())
    return failure(place.path() + ": holds another tensor by now");
  values_.resize(place.bytes() / sizeof(double));
  if (!values_.empty()) std::memcpy(values_.data(), bytes.data(), values_.size() * sizeof(double));
  identity_ = identity;
  return Done{};
}

Status Reference::compute(const Digest& identity, const ks_variant& variant, const ks_params& params,
                          const std::vector<ks_tensor>& operands, std::uint32_t threads, std::uint64_t seed,
                          AgentPort& port) {
  GuardedMemory memory;
  const ks_context context{sizeof(ks_context), static_cast<std::int32_t>(threads), seed, allocate_from,
                           &memory};
  std::array<char, 512> why{};
  void* state = nullptr;
  if (variant.prepare(&params, &context, operands.data(), operands.size(), &state,
                      {why.data(), why.size()}) != KS_OK) {
    return failure(step_failed("prepare", variant, why.data()));
  }
  ks_tensor output{};
  Status done = Done{};
  if (variant.run(state) != KS_OK) {
    done = failure(step_failed("run", variant, ""));
  } else if (variant.output(state, &output) != KS_OK) {
    done = failure(step_failed("show its output", variant, ""));
  } else if (const auto count = element_count(output); !count) {
    done = failure(step_failed("show its output", variant, count.error().message.c_str()));
  } else {
    values_ = dense_doubles(output);
    identity_ = identity;
  }
  variant.release(state);
  if (!done || values_.empty()) return done;

  const std::size_t bytes = values_.size() * sizeof(double);
  auto buffer = SealedBuffer::create(bytes);
  if (!buffer) return Done{};  // no memory to share it: this slot alone keeps it
  std::memcpy(buffer->writable().data(), values_.data(), bytes);
  if (!buffer->seal()) return Done{};
  offered_ = std::move(*buffer);
  wire::ReferenceOffer offer;
  offer.set_identity(std::string(identity.view()));
  offer.mutable_place()->set_path(offered_->path());
  offer.mutable_place()->set_bytes(bytes);
  offer.mutable_place()->set_content_hash(content_hash(values_.data(), bytes).hex());
  port.offer(offer);
  return Done{};
}

}  // namespace kernsweep
