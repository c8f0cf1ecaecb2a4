#include <fmt/format.h>

#include <array>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cuda/memory/memory.hpp"

namespace kernsweep::cuda {
namespace {

constexpr std::int64_t kBytesDefault = std::int64_t{1} << 30;
constexpr std::int64_t kBytesMax = std::int64_t{1} << 50;

const std::array kParams = {
    ks_param_doc{"bytes", KS_INTEGER, "1073741824", nullptr,
                 "bytes of device memory that a run allocates, writes once and reads once"},
};

ks_status inputs(const ks_params* params, ks_input*, size_t, size_t* count, ks_why why) {
  std::int64_t bytes = 0;
  *count = 0;
  return parse_memory(params, bytes, why);
}

// Every word written once and read once.
ks_status work(const ks_params* params, ks_work* result, ks_why why) {
  std::int64_t bytes = 0;
  if (const ks_status status = parse_memory(params, bytes, why); status != KS_OK) return status;
  const std::int64_t words = bytes / 8;
  *result = {.flops = 0, .bytes = 16.0 * static_cast<double>(words)};
  return KS_OK;
}

ks_status tolerance(const ks_params*, ks_tolerance* result) {
  *result = {};  // equal
  return KS_OK;
}

const std::array kVariants = {&kMemoryCuda, &kMemoryNaive};

}  // namespace

ks_status parse_memory(const ks_params* params, std::int64_t& bytes, ks_why why) {
  const Params point(params);
  if (const ks_status status = point.check(kParams.data(), kParams.size(), why); status != KS_OK)
    return status;
  bytes = point.integer("bytes", kBytesDefault);
  if (bytes >= 8 && bytes <= kBytesMax) return KS_OK;
  return refuse(KS_BAD_PARAMETER, why, fmt::format("bytes is {}; it must be 8 to 2^50", bytes));
}

const ks_family kMemoryFamily = {.name = "memory",
                                 .summary = "a working set in a GPU's memory, and whether it fits",
                                 .params = kParams.data(),
                                 .param_count = kParams.size(),
                                 .reference = "naive",
                                 .inputs = inputs,
                                 .work = work,
                                 .tolerance = tolerance,
                                 .variants = kVariants.data(),
                                 .variant_count = kVariants.size()};

}  // namespace kernsweep::cuda
