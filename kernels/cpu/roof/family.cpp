#include "kernels/cpu/roof/loops.hpp"
#include "kernels/cpu/roof/roof.hpp"

namespace kernsweep::roof {

using pack::param;

std::vector<pack::Param<Problem>> Problem::params() {
  constexpr double kMost = 0x1p42;
  return {param<&Problem::op>(
              {.name = "op",
               .summary = "what is asked for: arithmetic, or the memory's reading, copying, adding",
               .fallback = "fma",
               .choices = "fma|read|copy|triad"}),
          param<&Problem::type>({.name = "dtype",
                                 .summary = "operands of fma; arrays are f64. tf32: f32, but the "
                                            "arithmetic may keep only 10 bits of fraction",
                                 .fallback = "f64",
                                 .choices = "f64|f32|tf32|bf16|f16|s8"}),
          param<&Problem::operations>(
              {.name = "operations",
               .summary = "fma: operations of one run, all threads together; rounded up to 1536",
               .fallback = "134217728",
               .least = 1,
               .most = kMost}),
          param<&Problem::bytes>({.name = "bytes",
                                  .summary = "read, copy, triad: size of all arrays, all threads together",
                                  .fallback = "268435456",
                                  .least = 1,
                                  .most = kMost}),
          param<&Problem::passes>({.name = "passes",
                                   .summary = "read, copy, triad: how often a run goes over the arrays",
                                   .fallback = "1",
                                   .least = 1,
                                   .most = kMost}),
          param<&Problem::non_temporal>({.name = "non_temporal",
                                         .summary = "copy, triad: stores that bypass the caches",
                                         .fallback = "false",
                                         .setting = true})};
}

void Problem::check() {
  tf32 = type == "tf32";
  dtype = pack::detail::dtype_named(tf32 ? "f32" : type);
  blocks = (operations + kBlockOperations - 1) / kBlockOperations;
  if (op == Op::fma) return;
  const int of_element = 8 * arrays_of(op);
  elements = bytes / of_element;
  if (elements < 1)
    throw pack::Refused(KS_BAD_PARAMETER, "bytes is " + std::to_string(bytes) + "; " +
                                              (op == Op::read   ? "read"
                                               : op == Op::copy ? "copy"
                                                                : "triad") +
                                              " needs " + std::to_string(of_element) + " at least");
  if (dtype != KS_F64)
    throw pack::Refused(KS_UNSUPPORTED, "arrays are f64; leave dtype out, or measure fma");
}

ks_work Problem::work() const {
  if (op == Op::fma) return {.flops = static_cast<double>(blocks * kBlockOperations)};
  const double all = static_cast<double>(elements) * static_cast<double>(passes);
  const double flops = op == Op::copy ? 0 : op == Op::triad ? 2 : 1;
  return {.flops = flops * all, .bytes = 8.0 * arrays_of(op) * all};
}

}  // namespace kernsweep::roof
