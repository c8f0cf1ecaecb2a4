// XXH3-128 of content: tensors, outputs, libraries. Fast, but not safe against an adversary who constructs
// two contents with one hash; digest.hpp is.
#pragma once

#include <cstddef>
#include <memory>

#include "shared/base/digest.hpp"

namespace kernsweep {

Digest content_hash(const void* bytes, std::size_t size);

// The same hash, of content that is added in pieces.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;
  void add(const void* bytes, std::size_t size);
  Digest digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep
