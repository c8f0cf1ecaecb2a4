// oneDNN (formerly DNNL): a matrix product, a convolution or a pass over arrays as one prepared operation
// on the processor.
//
// A caller describes its operands as they are in memory, with any strides; the library computes directly on
// them, or, for an operand that is `chosen`, in a layout of its own choice. An input is converted to that
// layout once, when the operation is made; the result is converted back by `fetch`. So `run` is only the
// computation, for packed weights of an inference engine as well as for plain ones.
//
// Threads: Debian's oneDNN runs on OpenMP (libgomp). The number is set for the calling thread before the
// operation is made (oneDNN plans for it) and before each run, so an operation must run on the thread that
// made it.
//
// Every buffer comes from context->allocate; inputs are never written. Exceptions of the library end here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/reference/gemm/epilogue.hpp"

namespace kernsweep {

struct DnnlOperand {
  ks_dtype dtype = KS_F32;
  std::vector<std::int64_t>
      dims;  // logical, in oneDNN's order: [batch,] rows, columns; n c h w; [g] o i h w
  std::vector<std::int64_t> strides;  // of the caller's layout, in elements, one for each of dims
  bool chosen = false;                // the library computes in a layout of its choice
  const void* data = nullptr;         // inputs only; may be null for `can_*` and for empty operands
};

struct DnnlOperands {
  DnnlOperand source;
  DnnlOperand weights;
  DnnlOperand result;
  // Fused: result = activation(source x weights + bias). The bias of a product has the rank of the result
  // and all extents 1 but the last, that of a convolution one extent, the channels of the result.
  std::optional<DnnlOperand> bias;
  Activation activation = Activation::none;
  // For a product of rank 2 of 8-bit numbers: result = activation(scale column_scales[j] (source - zero) x
  // weights + bias). The library has its fast kernels only for column scales that it knows in advance, so
  // these are fixed when the operation is made; the data of `scale` and `zero` is read in each run.
  std::vector<float> column_scales;  // one for each column of the result; empty: no scales at all
  std::optional<DnnlOperand> scale;  // f32, 1 x 1; only with column_scales; absent: 1
  std::optional<DnnlOperand> zero;   // s32, one element
  // For a convolution: the library may round chosen weights of s8, as it does without VNNI. Otherwise such
  // a convolution is KS_UNSUPPORTED.
  bool may_round = false;
};

enum class DnnlAlgorithm { direct, winograd, automatic };

// One value per spatial dimension. Dilation 1 is dense here, as in PyTorch and ONNX (oneDNN itself counts
// from 0).
struct DnnlWindow {
  std::vector<std::int64_t> strides, dilations, padding_before, padding_after;
  DnnlAlgorithm algorithm = DnnlAlgorithm::direct;
};

// Which gradient of a convolution is computed: that of its source, from the weights and the gradient of the
// result; or that of its weights, from the source and the gradient of the result.
enum class DnnlGradient { source, weights };

// A pass over whole arrays: element by element, or along one dimension.
enum class DnnlPassKind {
  softmax,              // over the last dimension
  layer_normalization,  // over the last dimension; inputs x, scale, shift (of that extent)
  relu,
  gelu_tanh,
  logistic,
  swish,
  exp,
  add,  // of two inputs
  mul,
  sum,  // of the elements along the dimensions whose extent in the result is 1
  mean,
  max,
  l2_norm,
  reorder  // the same elements in the strides of the result
};

struct DnnlPass {
  DnnlPassKind kind = DnnlPassKind::softmax;
  std::vector<DnnlOperand> inputs;  // none is `chosen`
  DnnlOperand result;
  float epsilon = 0;  // of layer_normalization: added to the variance
};

class DnnlOperation {
 public:
  ~DnnlOperation();

  // Whether the library has an implementation for these operands on this processor: KS_OK, KS_UNSUPPORTED
  // or KS_BAD_PARAMETER with a reason. Allocates nothing and compiles nothing.
  static ks_status can_multiply(const DnnlOperands& operands, ks_why why);
  static ks_status can_convolve(const DnnlOperands& operands, const DnnlWindow& window, ks_why why);
  static ks_status can_pass(const DnnlPass& pass, ks_why why);

  // result = activation(source x weights + bias), ranks 2 or 3 (batch first). On failure null, with
  // `status` and `why`.
  static std::unique_ptr<DnnlOperation> multiply(const DnnlOperands& operands, const ks_context& context,
                                                 ks_status& status, ks_why why);
  // Forward convolution (a cross-correlation, as all deep-learning libraries define it), weights [g] o i h
  // w.
  static std::unique_ptr<DnnlOperation> convolve(const DnnlOperands& operands, const DnnlWindow& window,
                                                 const ks_context& context, ks_status& status, ks_why why);
  // A gradient of that convolution. `operands` are those of the convolution; the one named by `of` is
  // computed, and has no data; `result` has that of the gradient of the result. Direct sums only.
  static ks_status can_convolve_backward(DnnlGradient of, const DnnlOperands& operands,
                                         const DnnlWindow& window, ks_why why);
  static std::unique_ptr<DnnlOperation> convolve_backward(DnnlGradient of, const DnnlOperands& operands,
                                                          const DnnlWindow& window,
                                                          const ks_context& context, ks_status& status,
                                                          ks_why why);
  // On failure null, with `status` and `why`.
  static std::unique_ptr<DnnlOperation> pass(const DnnlPass& pass, const ks_context& context,
                                             ks_status& status, ks_why why);

  ks_status run();

  // The last result in the caller's strides; converted first if the result is `chosen`. Null if the
  // conversion failed. Spans `result_bytes` of the caller's layout.
  const void* fetch();

  // "oneDNN 2.6.3 isa=avx512_core_bf16 threads=1 impl=brg:avx512_core_bf16"
  const std::string& runtime() const;

 private:
  class Body;
  explicit DnnlOperation(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// "oneDNN 2.6.3 isa=avx512_core_bf16": version and instruction set of all operations; for `available`.
std::string dnnl_runtime();

// Whether its products of 8-bit numbers are exact for all numbers. Without VNNI an x86-64 adds pairs of
// them in 16 bits, which saturate ("Nuances of int8 computations").
bool dnnl_is_exact_in_8_bits();

}  // namespace kernsweep
