// The input tensors of one host, within a budget of memory. Each is made once, found by its description,
// and shared with every slot.
//
// The worker owns the arena of its host and calls it from one thread only (the maker thread); it has no
// locks. A tensor is made when it is first requested. Pinned tensors are never evicted; of the others, the
// least recently used is evicted first if room is needed. Evicting closes the worker's descriptor, but a
// slot that has mapped the tensor keeps its memory. So tensors that slots use must be pinned, or the budget
// is exceeded.
//
// A tensor may have copies, numbered from 1: the same content on pages of their own, for calls that need a
// cold cache. They are kept like any tensor, but copies in use never take more than half of the budget,
// because a job can run without copies and must not block a job that needs its operands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "shared/base/digest.hpp"
#include "shared/base/file_content.hpp"
#include "shared/base/result.hpp"
#include "tensors/sealed_buffer.hpp"
#include "tensors/spec.hpp"

namespace kernsweep {

constexpr std::uint32_t kTensorCopiesMax = 15;

// Where a tensor is. Valid until the arena evicts it.
struct Placed {
  Digest identity;
  std::string path;  // for TensorMapping::open
  std::uint64_t bytes = 0;
  Digest content_hash;         // XXH3-128 of the bytes
  double seconds_to_make = 0;  // 0 for an adopted one
  std::optional<int> node;     // as requested
  std::uint32_t copy = 0;      // 0: the tensor itself
  std::uint64_t inode = 0;     // for TensorMapping::open
};

// The description of a reference output that a slot offers.
struct OfferedContent {
  Digest content_hash;
  std::uint64_t inode = 0;  // of its buffer
};

// Half of the number of files that this process may have open: each held tensor is an open file.
std::size_t tensors_by_open_files();

class TensorArena {
 public:
  // `threads`: for making tensors, at least 1. `tensors_max`: how many it may hold, at least 1.
  TensorArena(std::uint64_t budget_bytes, int threads, std::size_t tensors_max = tensors_by_open_files());

  // The tensor; it is made now if it is not in the arena. With `node`: on that NUMA node, one tensor for
  // each requested node. A file is read again if its content has changed. Errors: not valid(), larger than
  // the budget, too much or too many pinned, no memory, file missing, wrong, or changed during each
  // reading.
  Result<Placed> obtain(const TensorSpec& spec, std::optional<int> node = std::nullopt);

  // Copy `copy`, in 1 .. kTensorCopiesMax, of a tensor that obtain() has returned, on the same node; made
  // now if it is not in the arena. The argument is not a description, because a file may have changed
  // meanwhile. Errors: the tensor was evicted, no room or memory, copies in use would take more than half
  // of the budget.
  Result<Placed> obtain_copy(const Placed& tensor, std::uint32_t copy);

  // Adopts a reference output that a slot offers: opens a descriptor of its own, so that the slot may end.
  // `path` must be "/proc/<pid>/fd/<n>". If `identity` is in the arena already, that buffer stays, unless
  // it was adopted, too, and has other content: then the reference was computed again, because a file that
  // it was made from has changed. A tensor that was made here is never replaced. The slot has hashed its
  // content, which is not read here. Errors: the buffer is gone or not sealed, no room, the number <n>
  // belongs to another buffer by now.
  Result<Placed> adopt(const Digest& identity, const std::string& path, std::uint64_t bytes,
                       const OfferedContent& offered);

  // The tensor with this identity and exactly this node, if the arena has it; counts as a use.
  std::optional<Placed> find(const Digest& identity, std::optional<int> node = std::nullopt);

  // Pins are counted. A pin applies to every node, also to tensors that are made later. A pin of the tensor
  // itself (copy 0) does not pin its copies.
  void pin(const Digest& identity, std::uint32_t copy = 0);
  void unpin(const Digest& identity, std::uint32_t copy = 0);  // requires: pinned

  std::uint64_t bytes_held() const { return bytes_held_; }  // whole pages
  std::size_t tensors_held() const { return held_.size(); }

 private:
  using Pinned = std::pair<Digest, std::uint32_t>;  // identity and copy
  using Key = std::pair<Pinned, int>;               // the node, or -1
  struct Held {
    SealedBuffer buffer;
    Placed placed;
    std::uint64_t charged = 0;
    std::uint64_t last_use = 0;
    bool is_adopted = false;
  };
  Result<TensorSpec> with_content_hash(const TensorSpec& spec);
  Result<Placed> make(const TensorSpec& spec, std::optional<int> node);
  std::optional<Placed> use(const Key& key);
  Status allow_copy(const Key& key, std::uint64_t bytes, const std::string& what) const;
  Status make_room(std::uint64_t bytes, const std::string& what);
  Result<Placed> keep(SealedBuffer buffer, Placed placed, bool is_adopted = false);

  std::uint64_t budget_bytes_;
  int threads_;
  std::size_t tensors_max_;
  std::uint64_t bytes_held_ = 0;
  std::uint64_t uses_ = 0;
  std::map<Key, Held> held_;
  std::map<Pinned, std::uint64_t> pins_;
  FileHashes file_hashes_;
};

}  // namespace kernsweep
