// XXH3-128 of content: tensors, outputs, libraries. It is fast, but an adversary can construct two contents
// with the same hash; digest.hpp prevents that.
#pragma once

#include <cstddef>
#include <memory>

#include "shared/base/digest.hpp"

namespace kernsweep {

Digest content_hash(const void* bytes, std::size_t size);

// The same hash, for content that is added in pieces.
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
