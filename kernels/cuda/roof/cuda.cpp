// The roofs of a GPU: multiply-adds in registers, by its cores or its tensor cores, and the bandwidth of
// its L2 cache and memory.
//
// For fma the grid fills the GPU once, and each thread computes as many whole rounds as `operations` need:
// the work is slightly larger than requested, and the real work is reported.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cpu/roof/loops.hpp"
#include "kernels/cpu/roof/roof.hpp"
#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/roof/roof.hpp"
#include "kernels/cuda/roof/roof_kernels.hpp"
#include "kernels/cuda/variant.hpp"

namespace kernsweep::cuda {
namespace {

using roof::Op;

// How the GPU multiplies a type.
struct Arithmetic {
  const char* name;          // of the kernel
  std::int64_t operations;   // of one round of a thread
  int step;                  // what a round adds to each sum
  std::int64_t counted_max;  // largest sum that is exact; a quarter of f32's for tensor cores
  std::uint32_t ones;        // 32 bits of them
};

constexpr Arithmetic product_of(const char* name, RoofProduct product, std::int64_t counted_max,
                                std::uint32_t ones) {
  return {name, roof_operations(product), roof_depth(product), counted_max, ones};
}

// Whether its tensor cores multiply f64 faster than its other cores: 19.5 against 9.7 TFLOP/s of an A100,
// 67 against 34 of an H100 (NVIDIA's data sheets). On other cards they are slow for f64, or cannot do it.
bool has_f64_products(const Device& device) {
  return (device.compute_major == 8 || device.compute_major == 9) && device.compute_minor == 0;
}

Arithmetic arithmetic_of(const roof::Problem& problem, const Device& device) {
  constexpr std::int64_t kOfF32 = std::int64_t{1} << 24;
  if (problem.tf32) return product_of("roof_fma_tf32", RoofProduct::tf32, kOfF32 / 4, 0x3f800000);
  switch (problem.dtype) {
    case KS_F32:
      return {"roof_fma_f32", kRoofFmaOperations, 1, kOfF32, 0};
    case KS_BF16:
      return product_of("roof_fma_bf16", RoofProduct::bf16, kOfF32 / 4, 0x3f803f80);
    case KS_F16:
      return product_of("roof_fma_f16", RoofProduct::f16, kOfF32 / 4, 0x3c003c00);
    case KS_S8:
      return product_of("roof_fma_s8", RoofProduct::s8, (std::int64_t{1} << 31) - 1, 0x01010101);
    default:
      if (has_f64_products(device))
        return product_of("roof_fma_f64_tensor", RoofProduct::f64, std::int64_t{1} << 53, 0);
      return {"roof_fma_f64", kRoofFmaOperations, 1, std::int64_t{1} << 53, 0};
  }
}

std::string array_kernel_of(const roof::Problem& problem) {
  if (problem.op == Op::read) return "roof_read";
  return fmt::format("roof_{}{}", problem.op == Op::copy ? "copy" : "triad",
                     problem.non_temporal ? "_past" : "");
}

class RoofCuda : public DeviceWork {
 public:
  using Problem = roof::Problem;

  RoofCuda(const Problem& problem, pack::Setup& setup)
      : setup_(setup),
        problem_(problem),
        result_(setup),
        arithmetic_(arithmetic_of(problem_, device)),
        module_(loaded(kernsweep_fatbin_roof)),
        fma_(problem_.op == Op::fma ? module_.kernel<RoofFmaArguments>(arithmetic_.name)
                                    : Kernel<RoofFmaArguments>{}),
        arrays_(problem_.op == Op::fma
                    ? Kernel<RoofArrayArguments>{}
                    : module_.kernel<RoofArrayArguments>(array_kernel_of(problem_).c_str())),
        // As many blocks as the GPU runs at a time, so that no block waits for another to end.
        grid_{problem_.op == Op::fma ? resident_blocks(fma_, kRoofThreads, device)
                                     : resident_blocks(arrays_, kRoofThreads, device),
              kRoofThreads},
        z_(problem_.op == Op::fma    ? 2 * thread_bytes()
           : problem_.op == Op::read ? thread_bytes()
                                     : bytes(),
           memory),
        x_(bytes(), memory),
        y_(problem_.op == Op::triad ? bytes() : 0, memory) {
    if (problem_.op == Op::fma) {
      count_rounds();
    } else {
      refuse_what_no_cache_holds();
      fill(x_, 1);
      fill(y_, 2);
      stream_.synchronize();
    }
  }

  void run() {
    interval_.begin(stream_);
    auto* const z = static_cast<double*>(z_.address());
    if (problem_.op == Op::fma) {
      launch(fma_, grid_, stream_,
             {.rounds = rounds_, .zeros = {}, .one = 1, .ones = arithmetic_.ones, .extents = z});
    } else {
      launch(arrays_, grid_, stream_,
             {z, static_cast<const double*>(x_.address()), static_cast<const double*>(y_.address()),
              problem_.elements, problem_.passes});
    }
    interval_.end(stream_);
    if (problem_.op == Op::fma) report();
  }

  ks_tensor output() const {
    roof::Extent extent;
    std::vector<double> piece(std::min<std::size_t>(z_.bytes() / sizeof(double), kPiece));
    for (std::size_t at = 0; at < z_.bytes() / sizeof(double); at += piece.size()) {
      const std::size_t count = std::min(piece.size(), z_.bytes() / sizeof(double) - at);
      copy_to_host(piece.data(), static_cast<const double*>(z_.address()) + at, count * sizeof(double),
                   stream_);
      stream_.synchronize();
      for (std::size_t i = 0; i < count; ++i) add(extent, static_cast<std::int64_t>(at + i), piece[i]);
    }
    return result_.shown(extent);
  }

  double seconds() const { return interval_.seconds(); }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;  // elements that are checked together

  std::int64_t threads() const { return std::int64_t{grid_.blocks} * grid_.block_threads; }
  std::size_t thread_bytes() const { return static_cast<std::size_t>(threads()) * sizeof(double); }
  std::size_t bytes() const {  // of an array
    return problem_.op == Op::fma ? 0 : static_cast<std::size_t>(problem_.elements) * sizeof(double);
  }

  // Several passes are for arrays that a cache keeps between passes.
  void refuse_what_no_cache_holds() const {
    const std::size_t all = x_.bytes() + y_.bytes() + (problem_.op == Op::read ? 0 : z_.bytes());
    if (problem_.passes == 1 || device.l2_bytes == 0 || all <= device.l2_bytes) return;
    throw Failure(KS_UNSUPPORTED,
                  fmt::format("arrays of {} bytes together, with several passes; the L2 cache "
                              "of this GPU has {} bytes",
                              all, device.l2_bytes));
  }

  void count_rounds() {
    const std::int64_t of_round = threads() * arithmetic_.operations;
    rounds_ = (problem_.blocks * roof::kBlockOperations + of_round - 1) / of_round;
    const std::int64_t most = arithmetic_.counted_max / arithmetic_.step;
    if (rounds_ <= most) return;
    throw Failure(KS_BAD_PARAMETER, fmt::format("operations are at most {} on this GPU: more would not be "
                                                "counted exactly",
                                                most * of_round));
  }

  void report() const {
    const double operations =
        static_cast<double>(rounds_) * static_cast<double>(threads() * arithmetic_.operations);
    setup_.report_work({.flops = operations, .bytes = 0});
  }

  void fill(const DeviceMemory& array, double value) const {
    if (array.bytes() == 0) return;
    launch(module_.kernel<RoofFillArguments>("roof_fill"), grid_, stream_,
           {static_cast<double*>(array.address()), value, problem_.elements});
  }

  // Adds element `i` of the kernel's output, divided so that all elements should be equal.
  void add(roof::Extent& extent, std::int64_t i, double value) const {
    if (problem_.op == Op::fma) {
      extent.add(value / static_cast<double>(rounds_ * arithmetic_.step));
    } else if (problem_.op == Op::read) {
      const std::int64_t pairs = problem_.elements / 2;
      const std::int64_t mine = i < pairs ? (pairs - i + threads() - 1) / threads() : 0;
      const std::int64_t count = 2 * mine + (i == 0 ? problem_.elements % 2 : 0);
      if (count > 0) extent.add(value / static_cast<double>(count * problem_.passes));
    } else {
      extent.add(value);
    }
  }

  pack::Setup setup_;
  Problem problem_;
  roof::Result result_;
  Arithmetic arithmetic_;
  const Module& module_;
  Kernel<RoofFmaArguments> fma_;
  Kernel<RoofArrayArguments> arrays_;
  Grid grid_;
  DeviceMemory z_, x_, y_;  // fma: z has two numbers per thread; read: one
  std::int64_t rounds_ = 0;
  Stream stream_;  // declared after what it works on: destroyed first
  Interval interval_;
};

}  // namespace

pack::Variant roof_cuda() {
  return device_variant<RoofCuda>(
      "cuda",
      "a GPU: multiply-adds (tf32, bf16, f16, s8 by its tensor cores), loads and stores of 16 bytes");
}

}  // namespace kernsweep::cuda
