// Nothing, as fast as possible: what a sweep of it takes is what Kernsweep itself costs per job.
//
// Every parameter is accepted, so any sweep file can be turned into a dry run of itself by its family.
// There is no input, no reference and no output element.
#include <array>

#include "kernels/api/pack.h"

namespace {

// The state needs an address only: the host may ask that it is not null.
char state_of_all;

ks_status needs_no_input(const ks_params*, ks_input*, size_t, size_t* count, ks_why) {
  *count = 0;
  return KS_OK;
}

ks_status does_no_work(const ks_params*, ks_work* work, ks_why) {
  *work = {};
  return KS_OK;
}

ks_status can_run(const ks_params*, ks_why) {
  return KS_OK;
}

ks_status prepare(const ks_params*, const ks_context*, const ks_tensor*, size_t, void** state, ks_why) {
  *state = &state_of_all;
  return KS_OK;
}

ks_status run(void*) {
  return KS_OK;
}

ks_status output(void*, ks_tensor* out) {
  *out = {};
  out->dtype = KS_F64;
  out->rank = 1;
  out->strides[0] = 1;
  return KS_OK;
}

void release(void*) {}

const ks_variant kNoop = {.name = "noop",
                          .summary = "returns at once",
                          .can_run = can_run,
                          .prepare = prepare,
                          .run = run,
                          .output = output,
                          .release = release};
const std::array kVariants = {&kNoop};

const ks_family kFamily = {.name = "noop",
                           .summary = "nothing: measures what a job costs",
                           .any_params = 1,
                           .inputs = needs_no_input,
                           .work = does_no_work,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = {.api_major = KS_API_MAJOR,
                       .api_minor = KS_API_MINOR,
                       .name = "noop",
                       .version = KERNSWEEP_PACK_VERSION,
                       .build = KERNSWEEP_PACK_BUILD,
                       .families = kFamilies.data(),
                       .family_count = kFamilies.size()};

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kPack : nullptr;
}
