/* A good pack that computes nothing: what can be described is described, and some of it carelessly. */
#include <stdio.h>

#include "kernels/api/pack.h"

static ks_status never_available(ks_why why) {
  snprintf(why.text, why.size, "no such device");
  return KS_UNSUPPORTED;
}
static ks_status refuses_without_words(ks_why why) {
  (void)why;
  return KS_FAILED;
}

static const ks_param_doc family_params[] = {{"m", KS_INTEGER, nullptr, nullptr, "rows"},
                                             {"layout", KS_TEXT, "nchw", "nchw|nhwc", nullptr}};
static const ks_param_doc variant_params[] = {{"tile", KS_NULL, "", nullptr, "any"},
                                              {"exact", KS_BOOLEAN, "true", nullptr, "bits"},
                                              {"scale", KS_FLOAT, "0.5", nullptr, "factor"}};

static const ks_variant plain = {.name = "plain", .summary = "caf\xE9"}; /* Latin-1, not UTF-8 */
#ifndef EXAMPLE_MINOR
#define EXAMPLE_MINOR KS_API_MINOR
#define EXAMPLE_SETTINGS "layout|lay"
#define EXAMPLE_PROBLEM "exact"
#define EXAMPLE_IN_PLACE "x|b"
#define EXAMPLE_LEAST "bytes|flop"
#else /* where an older pack has no member: reading it there would end the process */
#define EXAMPLE_SETTINGS reinterpret_cast<const char*>(8)
#define EXAMPLE_PROBLEM reinterpret_cast<const char*>(8)
#define EXAMPLE_IN_PLACE reinterpret_cast<const char*>(8)
#define EXAMPLE_LEAST reinterpret_cast<const char*>(8)
#endif

static const ks_variant tiled = {.name = "tiled",
                                 .summary = "in tiles",
                                 .params = variant_params,
                                 .param_count = 3,
                                 .available = never_available,
                                 .problem_params = EXAMPLE_PROBLEM};
static const ks_variant rude = {.name = "rude", .available = refuses_without_words};
static const ks_variant* const variants[] = {&plain, &tiled, &rude};

static const ks_family example = {.name = "example",
                                  .summary = "computes nothing",
                                  .params = family_params,
                                  .param_count = 2,
                                  .any_params = 1,
                                  .reference = "plain",
                                  .variants = variants,
                                  .variant_count = 3,
                                  .settings = EXAMPLE_SETTINGS,
                                  .constants = "a|b",
                                  .in_place = EXAMPLE_IN_PLACE,
                                  .least = EXAMPLE_LEAST};
static const ks_family empty = {.name = "empty"};
static const ks_family* const families[] = {&example, &empty};

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  static const ks_pack pack = {KS_API_MAJOR, EXAMPLE_MINOR, "example", "1.2", nullptr, families, 2};
  (void)host_major;
  (void)host_minor;
  return &pack;
}
