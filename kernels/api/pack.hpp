// A pack in C++: the C interface of pack.h with parameters that are declared once and read into a struct,
// spans instead of pointers, and no exception across the interface. Needs C++20, this file and pack.h.
//
//   struct Problem {                            // the parameters of a point, and what follows from them
//     std::int64_t n = 0;
//     static auto params() {
//       return std::vector{param<&Problem::n>({.name = "n", .summary = "elements", .least = 0})};
//     }
//     auto inputs() const { return std::vector{Input{"x", KS_F32, {n}}}; }
//     ks_work work() const { return {.flops = double(n), .bytes = 8.0 * double(n)}; }
//     ks_tolerance tolerance() const { return {.relative = 1e-6}; }
//   };
//   struct Twice {                              // a variant
//     std::span<const float> x;
//     std::span<float> y;
//     Twice(const Problem& p, Setup& setup) : x(setup.input<float>(0)), y(setup.output<float>({p.n})) {}
//     void run() { for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i]; }
//   };
//   KERNSWEEP_PACK("doubling", "1.0", family<Problem>("double", "y = 2 x", {}, variant<Twice>("loop", "")))
//
// A problem has params(), and may have inputs(), work() and tolerance(); a missing one counts as none. It
// may have check() const, which throws Refused for values that do not fit together; so may Settings. A
// variant has the constructor, which is `prepare` of pack.h and not timed, and run(), which is timed. It
// may have
//   static void can_run(const Problem&);   // cheap, before anything is allocated; throws Refused
//   ks_tensor output() const;              // otherwise the output is what setup.output() gave
//   std::string runtime() const;           // the library that it uses, and its settings
//   std::vector<ks_declared_metric> metrics() const;
//   static constexpr const char* device = "gpu";  // computes on the GPU of its process
//   double elapsed() const;                // seconds of the last run by the device's own clock
//   static constexpr double elapsed_resolution = 1e-6;
//   void run_many(std::uint64_t runs);     // up to runs_max runs, passed to the device before it begins
//   static constexpr std::uint64_t runs_max = 128;
//   void evict();                          // makes the caches of the device cold
//   struct Settings;                       // parameters of its own, with params()
// With Settings the constructor is (const Problem&, const Settings&, Setup&), and can_run may have both,
// too. All of them may throw: Refused with its status, std::bad_alloc as KS_OUT_OF_MEMORY, others as
// KS_FAILED. For anything else (outputs that are objects of other code) a pack uses the C interface.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pack_params.hpp"

namespace kernsweep::pack {

// An operand: see ks_input. Uniform in [-1, 1) unless another distribution is set.
struct Input {
  std::string name;
  ks_dtype dtype = KS_F32;
  std::vector<std::int64_t> shape;  // dense, row-major
  ks_distribution distribution = KS_UNIFORM;
  double a = -1, b = 1;
  std::int64_t fan_in = 0, fan_out = 0;
  double density = 1;
};

// The ks_dtype of T. Types that C++ lacks (bf16, f16, 8-bit floats) have no T: name their ks_dtype.
template <class T>
constexpr ks_dtype dtype_of() {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, std::int8_t> ||
                    std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int32_t> ||
                    std::is_same_v<T, std::int64_t>,
                "no data type of the interface is this one; name it: setup.output<T>(shape, KS_BF16)");
  if constexpr (std::is_same_v<T, double>) return KS_F64;
  if constexpr (std::is_same_v<T, float>) return KS_F32;
  if constexpr (std::is_same_v<T, std::int8_t>) return KS_S8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return KS_U8;
  if constexpr (std::is_same_v<T, std::int32_t>) return KS_S32;
  if constexpr (std::is_same_v<T, std::int64_t>) return KS_S64;
}

// The size of an element.
constexpr std::size_t bytes_of(ks_dtype dtype) {
  switch (dtype) {
    case KS_F64:
    case KS_S64:
      return 8;
    case KS_F32:
    case KS_S32:
      return 4;
    case KS_BF16:
    case KS_F16:
      return 2;
    default:
      return 1;
  }
}

// A dense view of `data`. Throws Refused for more than KS_RANK_MAX extents, a negative extent, or more
// elements than 63 bits count.
inline ks_tensor dense(const void* data, ks_dtype dtype, const std::vector<std::int64_t>& shape) {
  if (shape.size() > KS_RANK_MAX) throw Refused(KS_FAILED, "an array has more than 8 dimensions");
  ks_tensor out{};
  out.data = data;
  out.dtype = dtype;
  out.rank = static_cast<std::int32_t>(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    out.shape[d] = shape[d];
    out.strides[d] = stride;
    if (shape[d] < 0 || __builtin_mul_overflow(stride, std::max<std::int64_t>(1, shape[d]), &stride))
      throw Refused(KS_BAD_PARAMETER, "an array has a negative extent, or more elements than can be");
  }
  return out;
}

// The argument of a variant's constructor, valid only during it. The memory that it returns is owned by the
// host and lives as long as the variant.
class Setup {
 public:
  Setup(const ks_context& context, const ks_tensor* inputs, std::size_t count)
      : inputs_(inputs, count), output_(dense(nullptr, KS_F64, {0})) {
    std::memcpy(&context_, &context, std::min(sizeof context_, context.size));  // an older host has less
  }

  int threads() const { return context_.threads; }  // may compute, including the calling one
  std::uint64_t seed() const { return context_.seed; }
  const ks_context& context() const { return context_; }  // for libraries that have the C interface
  std::size_t inputs() const { return inputs_.size(); }

  // The operand as given by inputs() of the problem. Throws Refused if `i` is too large.
  const ks_tensor& tensor(std::size_t i) const {
    if (i >= inputs_.size()) throw Refused(KS_FAILED, "the variant reads an operand that no point has");
    return inputs_[i];
  }
  // Its elements. Throws Refused if they have another type than T. Elements of bf16 and f16, which C++
  // lacks, are read as std::uint16_t, 8-bit floats as std::uint8_t.
  template <class T>
  std::span<const T> input(std::size_t i) const {
    const ks_tensor& it = tensor(i);
    if (!holds<T>(it.dtype)) throw Refused(KS_FAILED, "the variant reads an operand as another type");
    return {static_cast<const T*>(it.data), elements(it)};
  }
  // Writable elements of an operand that the family names in `in_place`: its content is restored before the
  // next call. It is the output if there is no other.
  template <class T>
  std::span<T> in_place(std::size_t i) {
    const std::span<const T> content = input<T>(i);
    if (output_.data == nullptr) output_ = tensor(i);
    return {const_cast<T*>(content.data()), content.size()};
  }
  // Zero-filled, aligned to 4096 bytes, followed by a guard page. Throws Refused without memory.
  template <class T>
  std::span<T> allocate(std::size_t count) {
    if (count == 0) return {};
    const bool fits = count <= std::numeric_limits<std::size_t>::max() / sizeof(T);
    void* const memory = fits ? context_.allocate(context_.host, count * sizeof(T)) : nullptr;
    if (memory == nullptr)
      throw Refused(KS_OUT_OF_MEMORY, "the host has no memory for " + std::to_string(count) +
                                          " elements of " + std::to_string(sizeof(T)) + " bytes");
    return {static_cast<T*>(memory), count};
  }
  // Allocates the output with this shape.
  template <class T>
  std::span<T> output(const std::vector<std::int64_t>& shape, ks_dtype dtype = dtype_of<T>()) {
    output_ = dense(nullptr, dtype, shape);
    const std::span<T> out = allocate<T>(elements(output_));
    output_.data = out.data();
    return out;
  }
  // Allocates an output whose type depends on the point.
  std::span<std::byte> output_of(ks_dtype dtype, const std::vector<std::int64_t>& shape) {
    output_ = dense(nullptr, dtype, shape);
    std::size_t bytes = elements(output_);
    if (__builtin_mul_overflow(bytes, bytes_of(dtype), &bytes))
      throw Refused(KS_OUT_OF_MEMORY, "the host has no memory for an output of more than 2^64 bytes");
    const std::span<std::byte> out = allocate<std::byte>(bytes);
    output_.data = out.data();
    return out;
  }
  const ks_tensor& shown() const { return output_; }  // without elements if there is no output
  // Reports the real work of a call, if work() of the problem is only an estimate.
  void report_work(const ks_work& work) const {
    if (context_.report_work != nullptr) context_.report_work(context_.host, &work);
  }
  // Reports a file that the variant has read in addition to its operands (ks_context::report_source).
  void report_source(const char* role, const char* name, const char* path) const {
    if (context_.report_source != nullptr) context_.report_source(context_.host, role, name, path);
  }
  // Reports why a call fails (ks_context::explain).
  void explain(const char* reason) const {
    if (context_.explain != nullptr) context_.explain(context_.host, reason);
  }

 private:
  template <class T>
  static bool holds(ks_dtype dtype) {
    if constexpr (std::is_same_v<T, std::uint16_t>) return dtype == KS_BF16 || dtype == KS_F16;
    const bool byte = dtype == KS_F8E4M3 || dtype == KS_F8E5M2;
    if constexpr (std::is_same_v<T, std::uint8_t>) return byte || dtype == KS_U8;
    if constexpr (!std::is_same_v<T, std::uint16_t>) return dtype == dtype_of<T>();
  }
  static std::size_t elements(const ks_tensor& tensor) {
    std::size_t count = 1;
    for (std::int32_t d = 0; d < tensor.rank; ++d) count *= static_cast<std::size_t>(tensor.shape[d]);
    return count;
  }

  ks_context context_{};
  std::span<const ks_tensor> inputs_;
  ks_tensor output_;
};

}  // namespace kernsweep::pack

#include "pack_entries.hpp"

// Names the compiler; Kernsweep's own build defines a longer text with the options.
#ifndef KERNSWEEP_PACK_BUILD
#define KERNSWEEP_PACK_BUILD "compiler " __VERSION__
#endif

// The pack: KERNSWEEP_PACK("name", "version", family<Problem>(...), ...). Once, in the global namespace.
#define KERNSWEEP_PACK(name, version, ...)                                                      \
  namespace kernsweep::pack {                                                                   \
  static const Pack& made_pack() {                                                              \
    static const Pack* const made = new Pack(name, version, KERNSWEEP_PACK_BUILD, __VA_ARGS__); \
    return *made;                                                                               \
  }                                                                                             \
  }                                                                                             \
  extern "C" KS_EXPORT const ks_pack* kernsweep_pack(std::uint32_t host_major, std::uint32_t) { \
    return kernsweep::pack::open(host_major, kernsweep::pack::made_pack);                       \
  }
