// A pack as the slot knows it: opened, its version proven, its families found by name. Never unloaded,
// because a pack's threads and libraries may outlive any handle.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/result.hpp"

namespace kernsweep {

namespace wire {
class Catalogue;
}

class Pack {
 public:
  // Error: not a shared object, no kernsweep_pack, another interface version; with what to do.
  static Result<Pack> open(const std::string& path);

  const ks_pack& description() const { return *pack_; }
  const ks_family* family(std::string_view name) const;

 private:
  explicit Pack(const ks_pack* pack) : pack_(pack) {}
  const ks_pack* pack_;
};

const ks_variant* variant_of(const ks_family& family, std::string_view name);
std::vector<std::string> variant_names(const ks_family& family);

// Appends the pack's families to a catalogue. With `probe`, each variant is asked whether it can run on
// this host at all, which may load its libraries.
void describe(const Pack& pack, const std::string& file, bool probe, wire::Catalogue& out);

}  // namespace kernsweep
