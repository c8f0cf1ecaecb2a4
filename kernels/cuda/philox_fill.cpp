#include "kernels/cuda/philox_fill.hpp"

#include "kernels/cuda/fatbins.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

Grid grid_for_words(std::int64_t n, const Device& device) {
  return grid_for((n + 3) / 4, kBlockThreads, device);
}

}  // namespace

PhiloxFill::PhiloxFill(const Device& device) : device_(device), module_(loaded(kernsweep_fatbin_philox)) {}

void PhiloxFill::words(std::uint32_t* out, std::int64_t n, std::uint64_t seed, std::uint32_t random_stream,
                       const Stream& stream) const {
  if (n == 0) return;
  launch(module_.kernel<PhiloxWordsArguments>("philox_words"), grid_for_words(n, device_), stream,
         {out, n, seed, random_stream});
}

void PhiloxFill::uniform(float* out, std::int64_t n, std::uint64_t seed, UniformF32 range,
                         const Stream& stream) const {
  if (n == 0) return;
  launch(module_.kernel<PhiloxUniformArguments>("philox_uniform_f32"), grid_for_words(n, device_), stream,
         {out, n, seed, range});
}

}  // namespace kernsweep::cuda
