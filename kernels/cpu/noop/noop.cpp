// A kernel that does nothing: a sweep of it shows the cost of Kernsweep per job.
//
// Every parameter is accepted, so any sweep file becomes a dry run if its family is replaced. There is no
// input, no reference and no output element.
#include <array>

#include "kernels/api/pack.h"
#include "kernels/pack_parts.hpp"

namespace {

// `state` must not be null; its content is not used.
char state_of_all;

ks_status prepare(const ks_params*, const ks_context*, const ks_tensor*, size_t, void** state, ks_why) {
  *state = &state_of_all;
  return KS_OK;
}

ks_status run(void*) {
  return KS_OK;
}

void release(void*) {}

const ks_variant kNoop = {.name = "noop",
                          .summary = "returns at once",
                          .can_run = kernsweep::always_can_run,
                          .prepare = prepare,
                          .run = run,
                          .output = kernsweep::no_output,
                          .release = release};
const std::array kVariants = {&kNoop};

const ks_family kFamily = {.name = "noop",
                           .summary = "nothing: measures what a job costs",
                           .any_params = 1,
                           .inputs = kernsweep::no_inputs,
                           .work = kernsweep::no_work,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = kernsweep::pack_of("noop", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kPack : nullptr;
}
