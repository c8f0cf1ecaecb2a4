// A pack whose variants report their library, or die before they can.
#include <stdio.h>

#include "kernels/api/pack.h"

static ks_status inputs(const ks_params* params, ks_input* out, size_t capacity, size_t* count,
                        ks_why why) {
  (void)why;
  *count = capacity > 0 ? 1 : 0;
  out[0].dtype = KS_F64;
  out[0].rank = 2;
  out[0].shape[0] = params->items[0].integer;
  out[0].shape[1] = 3;
  return KS_OK;
}

static ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                         size_t count, void** state, ks_why why) {
  static double sum;
  (void)params;
  (void)why;
  sum = static_cast<double>(context->threads);  // 1, and operands of zeros add nothing
  for (size_t i = 0; count == 1 && i < static_cast<size_t>(inputs[0].shape[0] * inputs[0].strides[0]); ++i)
    sum += static_cast<const double*>(inputs[0].data)[i];
  *state = &sum;
  return KS_OK;
}
static ks_status refuse(const ks_params*, const ks_context*, const ks_tensor*, size_t, void**, ks_why why) {
  snprintf(why.text, why.size, "libnone.so.1 is not here");
  return KS_FAILED;
}
static ks_status run(void* state) {
  *static_cast<double*>(state) += 1;
  return KS_OK;
}
static ks_status fail(void*) {
  return KS_FAILED;
}
static void release(void*) {}
static const char* runtime(void* state) {
  static char text[64];
  snprintf(text, sizeof text, "Lib 1.0 caf\xE9 core=%.0f\nthreads=1", *static_cast<double*>(state));
  return text;
}

static const ks_param_doc params[] = {{"m", KS_INTEGER, nullptr, nullptr, "rows"}};
static const ks_variant good = {
    .name = "good", .prepare = prepare, .run = run, .release = release, .runtime = runtime};
static const ks_variant silent = {.name = "silent", .prepare = prepare, .run = run, .release = release};
static const ks_variant refusing = {.name = "refusing", .prepare = refuse, .run = run, .release = release};
static const ks_variant failing = {
    .name = "failing", .prepare = prepare, .run = fail, .release = release, .runtime = runtime};
static const ks_variant hollow = {.name = "hollow"};
static const ks_variant* const variants[] = {&good, &silent, &refusing, &failing, &hollow};
static const ks_family talk = {.name = "talk",
                               .params = params,
                               .param_count = 1,
                               .inputs = inputs,
                               .variants = variants,
                               .variant_count = 5};
static const ks_family* const families[] = {&talk};

const ks_pack* kernsweep_pack(uint32_t, uint32_t) {
  static const ks_pack pack = {KS_API_MAJOR, KS_API_MINOR, "telling", "1", nullptr, families, 1};
  return &pack;
}
