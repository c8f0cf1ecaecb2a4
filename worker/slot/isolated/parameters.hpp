// Converts points and structures of the pack interface for an isolated process and back.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/wire/isolated.pb.h"

namespace kernsweep {

// Parameters in the form of the pack interface; they point into `point`, which must outlive the object.
class IsolatedParameters {
 public:
  explicit IsolatedParameters(const wire::IsolatedPoint& point);
  ks_params view() const { return {params_.size(), params_.data()}; }

 private:
  std::vector<ks_param> params_;  // sorted by name
};
void write_point(const char* variant, const ks_params& params, wire::IsolatedPoint& out);

template <class Plain>
std::string bytes_of(const Plain& plain) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  return {reinterpret_cast<const char*>(&plain), sizeof plain};
}
// False: the bytes are not those of such a structure.
template <class Plain>
bool read_bytes(const std::string& bytes, Plain& out) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  if (bytes.size() != sizeof out) return false;
  std::memcpy(&out, bytes.data(), sizeof out);
  return true;
}

}  // namespace kernsweep
