#include "tensors/arena.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "shared/base/content_hash.hpp"
#include "shared/base/try.hpp"
#include "tensors/files.hpp"
#include "tensors/generator.hpp"
#include "tensors/mapping.hpp"
#include "tensors/parallel_for.hpp"

namespace kernsweep {
namespace {

// The memory that a buffer uses, in whole pages. A buffer without bytes is charged one page, so that the
// budget limits the number of such buffers.
constexpr std::uint64_t kPage = 4096;
std::uint64_t charge_of(std::uint64_t bytes) {
  return std::max<std::uint64_t>(1, bytes / kPage + (bytes % kPage != 0 ? 1 : 0)) * kPage;
}

constexpr const char* kHowToRaise = "a quarter of what --memory of `kernsweep run` or `worker` says";

// Accepts only the path of a process's descriptor, so that no broken slot can make the worker open other
// files.
bool is_descriptor_path(const std::string& path) {
  constexpr std::string_view kDigits = "0123456789";
  const auto skip_number = [&](std::size_t at) {
    const std::size_t end = std::min(path.find_first_not_of(kDigits, at), path.size());
    return end > at ? end : std::string::npos;
  };
  if (!path.starts_with("/proc/")) return false;
  const std::size_t after_pid = skip_number(6);
  if (after_pid == std::string::npos || path.compare(after_pid, 4, "/fd/") != 0) return false;
  return skip_number(after_pid + 4) == path.size();
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Requires equal sizes.
void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, int threads) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;  // bytes per thread, at least
  const std::uint64_t bytes = from.size();
  const auto parts = std::clamp<std::uint64_t>(bytes / kLeast, 1, static_cast<std::uint64_t>(threads));
  in_parts(parts, [&](std::uint64_t part) {
    const std::uint64_t begin = bytes / parts * part;
    const std::uint64_t end = part + 1 == parts ? bytes : bytes / parts * (part + 1);
    if (begin < end) std::memcpy(to.data() + begin, from.data() + begin, end - begin);
  });
}

}  // namespace

std::size_t tensors_by_open_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 1;
  return static_cast<std::size_t>(std::max<rlim_t>(1, files.rlim_cur / 2));
}

TensorArena::TensorArena(std::uint64_t budget_bytes, int threads, std::size_t tensors_max)
    : budget_bytes_(budget_bytes), threads_(threads), tensors_max_(tensors_max) {
  KS_ASSERT(threads >= 1 && tensors_max >= 1);
}

Result<Placed> TensorArena::obtain(const TensorSpec& requested, std::optional<int> node) {
  KS_RETURN_IF_ERROR(requested.valid());
  auto spec = with_content_hash(requested);
  for (int reading = 1; spec; ++reading) {
    if (auto held = find(spec->identity(), node)) return *std::move(held);
    auto made = make(*spec, node);
    if (made || reading == FileHashes::kReadingsMax) return made;
    auto now = with_content_hash(requested);
    if (now && *now == *spec) return made;
    spec = std::move(now);  // the file was changed after it was hashed
  }
  return tl::unexpected(spec.error());
}

Result<Placed> TensorArena::make(const TensorSpec& spec, std::optional<int> node) {
  const auto begin = Clock::now();
  KS_RETURN_IF_ERROR(make_room(charge_of(spec.bytes()), spec.summary()));
  auto buffer = SealedBuffer::create(spec.bytes(), node);
  if (!buffer) return tl::unexpected(Error{spec.summary() + ": " + buffer.error().message});
  const auto bytes = buffer->writable();
  KS_RETURN_IF_ERROR(spec.file ? read_tensor(spec, bytes) : generate(spec, bytes, threads_));
  Placed placed{spec.identity(), {}, spec.bytes(), content_hash(bytes.data(), bytes.size()), 0.0, node};
  KS_RETURN_IF_ERROR(buffer->seal());
  placed.seconds_to_make = seconds_since(begin);
  return keep(*std::move(buffer), std::move(placed));
}

Result<Placed> TensorArena::obtain_copy(const Placed& tensor, std::uint32_t copy) {
  KS_ASSERT(copy >= 1 && copy <= kTensorCopiesMax);
  const std::string what = fmt::format("copy {} of a tensor of {} bytes", copy, tensor.bytes);
  const auto original = find(tensor.identity, tensor.node);
  if (!original) return failure(what + ": it is not held any more; ask for it again");
  const Key key{{original->identity, copy}, original->node.value_or(-1)};
  const std::uint64_t charge = charge_of(original->bytes);
  KS_RETURN_IF_ERROR(allow_copy(key, charge, what));
  if (auto held = use(key)) return *std::move(held);

  const auto begin = Clock::now();
  pin(original->identity);  // making room for the copy must not evict the original
  const Status room = make_room(charge, what);
  unpin(original->identity);
  KS_RETURN_IF_ERROR(room);
  KS_ASSIGN_OR_RETURN(const auto source, TensorMapping::open(original->path, original->bytes));
  auto buffer = SealedBuffer::create(original->bytes, original->node);
  if (!buffer) return tl::unexpected(Error{what + ": " + buffer.error().message});
  copy_bytes(source.bytes(), buffer->writable(), threads_);
  KS_RETURN_IF_ERROR(buffer->seal());
  Placed placed = *original;
  placed.copy = copy;
  placed.seconds_to_make = seconds_since(begin);
  return keep(*std::move(buffer), std::move(placed));
}

Status TensorArena::allow_copy(const Key& key, std::uint64_t bytes, const std::string& what) const {
  if (held_.contains(key) && pins_.contains(key.first)) return Done{};
  std::uint64_t in_use = 0;
  for (const auto& [each, held] : held_)
    if (each.first.second > 0 && pins_.contains(each.first)) in_use += held.charged;
  if (in_use + bytes <= budget_bytes_ / 2) return Done{};
  return failure(fmt::format(
      "{}: needs {} bytes; {} are in use by copies, which may take half of the tensor budget of "
      "{} bytes; raise the budget ({})",
      what, bytes, in_use, budget_bytes_, kHowToRaise));
}

Result<Placed> TensorArena::adopt(const Digest& identity, const std::string& path, std::uint64_t bytes,
                                  const OfferedContent& offered) {
  const Key key{{identity, 0}, -1};
  const auto held = held_.find(key);
  const bool outdated = held != held_.end() && held->second.is_adopted &&
                        held->second.placed.content_hash != offered.content_hash;
  if (held != held_.end() && !outdated) return *use(key);
  if (!is_descriptor_path(path))
    return failure(
        fmt::format("{}: is not of the form /proc/<pid>/fd/<number>, so it cannot be adopted", path));
  auto buffer = SealedBuffer::adopt(path, bytes, offered.inode);
  KS_RETURN_IF_ERROR(buffer);
  // A slot that has the old place notices the other buffer, and computes the reference.
  if (outdated) {
    bytes_held_ -= held->second.charged;
    held_.erase(held);
  }
  KS_RETURN_IF_ERROR(make_room(charge_of(bytes), path));
  return keep(*std::move(buffer), {identity, {}, bytes, offered.content_hash, 0.0, std::nullopt}, true);
}

Result<Placed> TensorArena::keep(SealedBuffer buffer, Placed placed, bool is_adopted) {
  placed.path = buffer.path();
  placed.inode = buffer.inode();
  const std::uint64_t charged = charge_of(placed.bytes);
  bytes_held_ += charged;
  const Key key{{placed.identity, placed.copy}, placed.node.value_or(-1)};
  const auto [at, inserted] =
      held_.emplace(key, Held{std::move(buffer), std::move(placed), charged, ++uses_, is_adopted});
  KS_ASSERT(inserted);
  return at->second.placed;
}

std::optional<Placed> TensorArena::find(const Digest& identity, std::optional<int> node) {
  return use({{identity, 0}, node.value_or(-1)});
}

std::optional<Placed> TensorArena::use(const Key& key) {
  const auto at = held_.find(key);
  if (at == held_.end()) return std::nullopt;
  at->second.last_use = ++uses_;
  return at->second.placed;
}

void TensorArena::pin(const Digest& identity, std::uint32_t copy) {
  ++pins_[{identity, copy}];
}

void TensorArena::unpin(const Digest& identity, std::uint32_t copy) {
  const auto at = pins_.find({identity, copy});
  KS_ASSERT(at != pins_.end());
  if (--at->second == 0) pins_.erase(at);
}

// Searches all tensors for each eviction: with tens of them, or hundreds with copies, that costs less than
// a sorted list.
Status TensorArena::make_room(std::uint64_t bytes, const std::string& what) {
  if (bytes > budget_bytes_)
    return failure(
        fmt::format("{}: needs {} bytes, more than the whole tensor budget of {} bytes; raise the budget "
                    "({}) or choose "
                    "a smaller problem",
                    what, bytes, budget_bytes_, kHowToRaise));
  std::uint64_t pinned = 0;
  std::size_t tensors_pinned = 0;
  for (const auto& [key, held] : held_) {
    if (!pins_.contains(key.first)) continue;
    pinned += held.charged;
    ++tensors_pinned;
  }
  if (bytes > budget_bytes_ - std::min(pinned, budget_bytes_))
    return failure(
        fmt::format("{}: needs {} bytes, but {} of the tensor budget of {} bytes are in use; raise the "
                    "budget ({}) or run fewer jobs at once",
                    what, bytes, pinned, budget_bytes_, kHowToRaise));
  if (tensors_pinned >= tensors_max_)
    return failure(fmt::format(
        "{}: {} tensors are in use, as many as the limit of open files allows; raise it (ulimit "
        "-n) or run fewer jobs at once",
        what, tensors_pinned));
  while (bytes_held_ + bytes > budget_bytes_ || held_.size() >= tensors_max_) {
    auto oldest = held_.end();
    for (auto at = held_.begin(); at != held_.end(); ++at) {
      if (pins_.contains(at->first.first)) continue;
      if (oldest == held_.end() || at->second.last_use < oldest->second.last_use) oldest = at;
    }
    KS_ASSERT(oldest != held_.end());
    bytes_held_ -= oldest->second.charged;
    held_.erase(oldest);
  }
  return Done{};
}

Result<TensorSpec> TensorArena::with_content_hash(const TensorSpec& spec) {
  if (!spec.file || spec.file->content_hash) return spec;
  const auto hash = file_hashes_.hash_of(spec.file->path);
  if (!hash)
    return failure(fmt::format("input file {}; every host that measures needs it under this path",
                               hash.error().message));
  TensorSpec complete = spec;
  complete.file->content_hash = *hash;
  return complete;
}

}  // namespace kernsweep
