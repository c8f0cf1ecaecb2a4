// A family that only an isolated process has loaded, in the form of the pack interface. It has all data:
// names, parameters, devices; but only the functions that a section needs. Their state is a
// DistrustedCalls.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/wire/isolated.pb.h"

namespace kernsweep {

class IsolatedPack {
 public:
  explicit IsolatedPack(const wire::IsolatedFamily& about);
  IsolatedPack(const IsolatedPack&) = delete;
  IsolatedPack& operator=(const IsolatedPack&) = delete;

  const ks_pack& description() const { return pack_; }
  const ks_family& family() const { return family_; }
  bool is_constant(const std::string& operand) const;

 private:
  const char* kept(const std::string& text) { return texts_.emplace_back(text).c_str(); }

  std::deque<std::string> texts_;
  std::deque<std::vector<ks_param_doc>> params_;
  std::deque<ks_variant> variants_;
  std::vector<const ks_variant*> listed_;
  std::vector<std::string> constants_;
  ks_family family_{};
  const ks_family* families_[1] = {&family_};
  ks_pack pack_{};
};

}  // namespace kernsweep
