// Shared parts of variants in C++ (kernels/api/pack.hpp): settings, and the objects that these name, or
// Refused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/libraries/cblas.hpp"
#include "kernels/cpu/libraries/isa.hpp"

namespace kernsweep {

// Calls make(status, why), which returns a pointer, or null and the reason. Error: Refused with it.
template <class Make>
auto made(Make&& make) {
  char reason[512] = "";
  ks_status status = KS_OK;
  auto out = make(status, ks_why{reason, sizeof reason});
  if (out == nullptr) throw pack::Refused(status, reason);
  return out;
}

// Calls ask(why), which returns a status. Error: Refused with it, unless it is KS_OK.
template <class Ask>
void require(Ask&& ask) {
  char reason[512] = "";
  const ks_status status = ask(ks_why{reason, sizeof reason});
  if (status != KS_OK) throw pack::Refused(status, reason);
}

// The parameter `isa`, in a member whose default is "best".
template <auto member>
auto isa_param(const char* choices = kIsaChoices) {
  return pack::param<member>(
      {.name = "isa", .summary = kIsaSummary, .fallback = "best", .choices = choices, .setting = true});
}

// The parameter `epilogue_by` of variants that can do both.
enum class EpilogueBy { fused, pass };
inline constexpr pack::ParamText kEpilogueBy = {
    .name = "epilogue_by",
    .summary =
        "fused: bias and activation with the sums; pass: over the result, read and written once more",
    .fallback = "fused",
    .choices = "fused|pass",
    .setting = true};

// `found`: the variant's kernels for that set (KERNSWEEP_KERNELS_FOR). Refused with KS_UNSUPPORTED: null,
// the processor lacks the set.
template <class Kernels>
const Kernels& required(const Kernels* found, const std::string& isa) {
  if (found != nullptr) return *found;
  throw pack::Refused(
      KS_UNSUPPORTED,
      "isa " + isa + ": this processor does not have it; isa: best takes the widest it has");
}

// The settings of a variant that multiplies by a CBLAS library.
struct BlasSettings {
  std::string library = "libopenblas.so.0";

  static std::vector<pack::Param<BlasSettings>> params() {
    return {
        pack::param<&BlasSettings::library>({.name = "blas.library",
                                             .summary = "file name of a CBLAS library, as dlopen takes it",
                                             .fallback = "libopenblas.so.0",
                                             .setting = true})};
  }
  // With the threads of the job. Refused: the errors of Cblas::open.
  std::shared_ptr<const Cblas> open(const pack::Setup& setup) const { return open_for(setup.threads()); }
  std::shared_ptr<const Cblas> open_for(int threads) const {
    return made(
        [&](ks_status& status, ks_why why) { return Cblas::open(library.c_str(), threads, status, why); });
  }
};

}  // namespace kernsweep
