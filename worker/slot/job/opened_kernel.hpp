// The family that a slot measures: from a pack that it has loaded; or, if the kernel is distrusted, from
// one that only isolated processes load.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "worker/slot/isolated/isolated_pack.hpp"
#include "worker/slot/pack/pack.hpp"

namespace kernsweep {

class OpenedKernel {
 public:
  // Error: as for Pack::open, or the process cannot be isolated.
  static Result<OpenedKernel> open(const std::string& path, const std::string& family, bool distrust);

  const Pack& pack() const { return *pack_; }
  const ks_family* family() const { return family_; }         // null: the pack has none of this name
  IsolatedPack* isolated() const { return isolated_.get(); }  // null: not distrusted

 private:
  std::unique_ptr<IsolatedPack> isolated_;
  std::optional<Pack> pack_;
  const ks_family* family_ = nullptr;
};

}  // namespace kernsweep
