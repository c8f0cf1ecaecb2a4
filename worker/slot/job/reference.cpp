#include "worker/slot/job/reference.hpp"

#include <array>
#include <cstring>
#include <new>

#include "shared/base/content_hash.hpp"
#include "shared/base/try.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/job/output.hpp"
#include "worker/slot/measure/forked_child.hpp"

namespace kernsweep {
namespace {

// A shared reference of this process's own pack: rank, extents, then the elements, all of 8 bytes.
constexpr std::size_t kWord = 8;
static_assert(sizeof(double) == kWord && sizeof(std::int64_t) == kWord);

// Error: the bytes are no such array.
Status read_numbers(std::span<const std::byte> bytes, ReferenceOutput& out) {
  std::int64_t rank = 0, elements = 1;
  const std::size_t words = bytes.size() / kWord;
  const auto broken = failure("a reference output cannot be read");
  if (words == 0) return broken;
  std::memcpy(&rank, bytes.data(), kWord);
  if (rank < 0 || rank > KS_RANK_MAX || words < 1 + static_cast<std::size_t>(rank)) return broken;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank));
  if (rank > 0) std::memcpy(shape.data(), bytes.data() + kWord, shape.size() * kWord);
  for (const std::int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements)) return broken;
  const std::size_t head = 1 + shape.size();
  if (words - head != static_cast<std::size_t>(elements)) return broken;
  out.values.resize(words - head);
  if (!out.values.empty())
    std::memcpy(out.values.data(), bytes.data() + head * kWord, out.values.size() * kWord);
  out.shape = std::move(shape);
  return Done{};
}

void write_numbers(const ReferenceOutput& from, std::byte* to) {
  const auto rank = static_cast<std::int64_t>(from.shape->size());
  std::memcpy(to, &rank, kWord);
  if (rank > 0) std::memcpy(to + kWord, from.shape->data(), from.shape->size() * kWord);
  if (!from.values.empty())
    std::memcpy(to + (1 + from.shape->size()) * kWord, from.values.data(), from.values.size() * kWord);
}

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

Status Reference::adopt(const Digest& identity, const wire::TensorPlace& place, bool is_outside) {
  KS_ASSIGN_OR_RETURN(auto mapping, TensorMapping::open(place.path(), place.bytes()));
  const auto bytes = mapping.bytes();
  if (content_hash(bytes.data(), bytes.size()).hex() != place.content_hash())
    return failure(place.path() + ": holds another tensor by now");
  identity_.reset();
  try {
    output_ = {};
    if (is_outside) {
      KS_ASSIGN_OR_RETURN(
          output_, reference_output_from({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    } else if (const Status read = read_numbers(bytes, output_); !read) {
      return read;
    }
  } catch (const std::bad_alloc&) {
    return failure("there is no memory for the reference output");
  }
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
  const ks_status ran = variant.run(state);
  end_if_forked(ran == KS_OK);
  if (ran != KS_OK) {
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
    output_.shape.emplace(output.shape, output.shape + output.rank);
    identity_ = identity;
  }
  variant.release(state);
  if (failed || output_.values.empty()) return failed;
  const std::size_t words = 1 + output_.shape->size() + output_.values.size();
  offer(
      words * kWord, [&](std::byte* to) { write_numbers(output_, to); }, port);
  return failed;
}

void Reference::hold(const Digest& identity, ReferenceOutput output) {
  identity_ = identity;
  output_ = std::move(output);
}

void Reference::share(WorkerPort& port) {
  const std::string bytes = bytes_of(output_);
  offer(
      bytes.size(), [&](std::byte* to) { std::memcpy(to, bytes.data(), bytes.size()); }, port);
}

// If there is no memory for a shared copy, only this slot keeps the reference.
void Reference::offer(std::size_t bytes, const std::function<void(std::byte*)>& write, WorkerPort& port) {
  auto buffer = SealedBuffer::create(bytes);
  if (!buffer) return;
  write(buffer->writable().data());
  const std::string hash = content_hash(buffer->writable().data(), bytes).hex();
  if (!buffer->seal()) return;
  offered_ = std::move(*buffer);
  wire::ReferenceOffer offer;
  offer.set_identity(std::string(identity_->view()));
  offer.mutable_place()->set_path(offered_->path());
  offer.mutable_place()->set_bytes(bytes);
  offer.mutable_place()->set_content_hash(hash);
  port.offer(offer);
}

}  // namespace kernsweep
