// Shared parts of our packs: the table that names a pack, and entry points for missing functions.
//
// Only templates and inline functions, so that a pack needs no library for them. Packs of other authors do
// not need this; kernels/api/pack.h is enough.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "kernels/api/pack.h"

namespace kernsweep {

// A pack of these families, for this version of the interface. `version` and `build` as in ks_pack;
// ks_pack() of CMake defines KERNSWEEP_PACK_VERSION and KERNSWEEP_PACK_BUILD for them. Keeps `families`.
template <std::size_t count>
constexpr ks_pack pack_of(const char* name, const char* version, const char* build,
                          const std::array<const ks_family*, count>& families) {
  return {.api_major = KS_API_MAJOR,
          .api_minor = KS_API_MINOR,
          .name = name,
          .version = version,
          .build = build,
          .families = families.data(),
          .family_count = count};
}

// ks_family::inputs of a family without operands.
inline ks_status no_inputs(const ks_params*, ks_input*, std::size_t, std::size_t* count, ks_why) {
  *count = 0;
  return KS_OK;
}

// ks_family::work if there is none, or it is not known before a run.
inline ks_status no_work(const ks_params*, ks_work* result, ks_why) {
  *result = {};
  return KS_OK;
}

// ks_variant::can_run of a variant that can run every point.
inline ks_status always_can_run(const ks_params*, ks_why) {
  return KS_OK;
}

// ks_variant::output of a variant without output: an array without elements.
inline ks_status no_output(void*, ks_tensor* out) {
  *out = {};
  out->dtype = KS_F64;
  out->rank = 1;
  out->strides[0] = 1;
  return KS_OK;
}

// The text of the parameter `name`; "" if it is absent or not text.
inline const char* text_of(const ks_params& params, const char* name) {
  for (std::size_t i = 0; i < params.count; ++i) {
    const ks_param& param = params.items[i];
    if (std::strcmp(param.name, name) == 0) return param.kind == KS_TEXT ? param.text : "";
  }
  return "";
}

}  // namespace kernsweep
