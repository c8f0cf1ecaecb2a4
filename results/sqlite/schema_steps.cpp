// The steps that migrate a file from each version to the next. A step must not change after its version was
// released, because users have files that it made. So steps are fixed texts and do not use the current
// lists of columns. They do not change views: all views are created again after the last step.
#include "results/sqlite/schema.hpp"

namespace kernsweep::schema {

// `kTo8` and so on, after version 7 is released.
std::span<const std::string_view> migrations() {
  static_assert(kVersion == kOldestVersion);
  return {};
}

}  // namespace kernsweep::schema
