#include "tensors/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "shared/base/try.hpp"
#include "tensors/parallel_for.hpp"
#include "tensors/philox.hpp"
#include "tensors/ranges.hpp"

namespace kernsweep {
namespace {

constexpr std::uint32_t kValues = 0;
constexpr std::uint32_t kSparsity = 1;
constexpr std::uint32_t kTies = 2;
// Words per step, few enough that they, the variates and the elements stay in the first-level cache.
constexpr std::size_t kStepWords = 1024;
constexpr std::size_t kStepMax = kStepWords * 2;  // elements, at half a word each
constexpr std::size_t kRounding = 8;              // elements; the loops need multiples of it

// The numbers that the loops need, computed from a description.
struct Recipe {
  enum class Kind { uniform, normal, integers };
  Kind kind = Kind::uniform;
  Dtype dtype = Dtype::f32;
  std::uint64_t seed = 0;
  std::size_t bits = 32;  // random bits per element: 16, 32 or 64
  UniformRange<float> range32{};
  UniformRange<double> range64{};
  NormalShape<float> shape32{};
  NormalShape<double> shape64{};
  IntegerRun run{};
  std::uint64_t columns = 0;  // of outliers: elements of the last dimension; otherwise 0
  std::uint64_t period = 1;
  double factor = 1;
  std::uint64_t keep_below = std::uint64_t{1} << 32;  // 2^32: dense

  bool dense() const { return keep_below >> 32 != 0; }
  std::size_t step() const { return kStepWords * 32 / bits; }  // elements
};

std::size_t bits_for_floats(Dtype dtype) {
  return dtype == Dtype::f64 ? 64 : dtype == Dtype::f32 ? 32 : 16;
}

std::size_t bits_for_integers(std::uint64_t numbers) {
  return numbers <= 0x100 ? 16 : numbers <= 0x10000 ? 32 : 64;
}

void make_uniform(Recipe& recipe, double a, double b) {
  const double bottom = smallest_from(recipe.dtype, a);
  const double top = largest_below(recipe.dtype, b);
  recipe.kind = Recipe::Kind::uniform;
  recipe.bits = bits_for_floats(recipe.dtype);
  if (recipe.dtype == Dtype::f64)
    recipe.range64 = {a, b - a, bottom, top};
  else
    recipe.range32 = {static_cast<float>(a), static_cast<float>(b - a), static_cast<float>(bottom),
                      static_cast<float>(top)};
}

void make_normal(Recipe& recipe, double mean, double deviation) {
  recipe.kind = Recipe::Kind::normal;
  recipe.bits = bits_for_floats(recipe.dtype);
  recipe.shape64 = {mean, deviation};
  if (recipe.dtype != Dtype::f64)
    recipe.shape32 = {static_cast<float>(mean), static_cast<float>(deviation)};
}

Recipe recipe_of(const TensorSpec& spec) {
  Recipe recipe;
  recipe.dtype = spec.dtype;
  recipe.seed = spec.seed;
  recipe.keep_below = static_cast<std::uint64_t>(std::ceil(spec.density * 0x1p32));
  switch (spec.distribution) {
    case Distribution::uniform:
      make_uniform(recipe, spec.a, spec.b);
      break;
    case Distribution::normal:
      make_normal(recipe, spec.a, spec.b);
      break;
    case Distribution::kaiming:
      make_normal(recipe, 0.0, std::sqrt(2.0 / static_cast<double>(spec.fan_in)));
      break;
    case Distribution::xavier: {
      const double fans = static_cast<double>(spec.fan_in) + static_cast<double>(spec.fan_out);
      const double bound = std::sqrt(6.0 / fans);
      make_uniform(recipe, -bound, bound);
      break;
    }
    case Distribution::outliers:
      make_normal(recipe, 0.0, 1.0);
      recipe.columns = spec.shape.empty() ? 1 : static_cast<std::uint64_t>(spec.shape.back());
      recipe.period = static_cast<std::uint64_t>(spec.b);
      recipe.factor = spec.a;
      break;
    case Distribution::integers:
      recipe.kind = Recipe::Kind::integers;
      recipe.run.first = static_cast<std::int64_t>(spec.a);
      recipe.run.numbers =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(spec.b) - recipe.run.first) + 1;
      recipe.bits = bits_for_integers(recipe.run.numbers);
      break;
  }
  return recipe;
}

struct Scratch {
  alignas(64) std::array<std::uint32_t, kStepWords> words;
  alignas(64) std::array<float, kStepMax> floats;
  alignas(64) std::array<std::byte, kStepMax * sizeof(double)> last;  // of a step that is not whole
};

// One thread's work on one tensor.
class Maker {
 public:
  Maker(const Recipe& recipe, Instructions instructions)
      : recipe_(recipe), instructions_(instructions), loops_(loops_for(instructions)) {}

  // Writes elements [begin, end) to their places in `tensor`. Requires: begin is a multiple of the step.
  void fill(std::uint64_t begin, std::uint64_t end, std::byte* tensor) {
    const std::size_t size = size_of(recipe_.dtype);
    const std::size_t step = recipe_.step();
    for (std::uint64_t first = begin; first < end; first += step) {
      std::byte* const place = tensor + first * size;
      if (end - first >= step) {
        fill_step(first, step, place);
        continue;
      }
      const auto count = static_cast<std::size_t>(end - first);
      fill_step(first, (count + kRounding - 1) / kRounding * kRounding, scratch_.last.data());
      std::memcpy(place, scratch_.last.data(), count * size);
    }
  }

 private:
  // Elements [first, first + count). Requires: count is a multiple of kRounding, at most a step.
  void fill_step(std::uint64_t first, std::size_t count, std::byte* out) {
    const std::uint32_t* const words = words_for(kValues, first, count, recipe_.bits);
    const bool is_short = is_float(recipe_.dtype) && size_of(recipe_.dtype) < sizeof(float);
    std::byte* const variates = is_short ? reinterpret_cast<std::byte*>(scratch_.floats.data()) : out;
    fill_variates(words, count, variates);
    if (recipe_.dtype == Dtype::f64)
      enlarge_outliers(first, count, reinterpret_cast<double*>(variates));
    else if (recipe_.columns > 0)
      enlarge_outliers(first, count, reinterpret_cast<float*>(variates));
    if (is_short) shorten_floats(count, out);
    if (!recipe_.dense()) thin_out(first, count, out);
  }

  template <class T>
  void enlarge_outliers(std::uint64_t first, std::size_t count, T* out) const {
    if (recipe_.columns == 0) return;
    for (std::size_t i = 0; i < count; ++i)
      if ((first + i) % recipe_.columns % recipe_.period == recipe_.period - 1)
        out[i] *= static_cast<T>(recipe_.factor);
  }

  void shorten_floats(std::size_t count, std::byte* out) {
    const float* const from = scratch_.floats.data();
    if (is_8bit_float(recipe_.dtype))
      (recipe_.dtype == Dtype::f8e4m3 ? loops_.f8e4m3_of_floats : loops_.f8e5m2_of_floats)(
          from, count, reinterpret_cast<std::uint8_t*>(out));
    else
      (recipe_.dtype == Dtype::bf16 ? loops_.bf16_of_floats : loops_.f16_of_floats)(
          from, count, reinterpret_cast<std::uint16_t*>(out));
  }

  const std::uint32_t* words_for(std::uint32_t stream, std::uint64_t first, std::size_t count,
                                 std::size_t bits) {
    const std::span<std::uint32_t> words(scratch_.words.data(), count * bits / 32);
    fill_philox(recipe_.seed, stream, first / (128 / bits), words, instructions_);
    return words.data();
  }

  // Writes the element type, or f32 for shorter floats.
  void fill_variates(const std::uint32_t* words, std::size_t count, std::byte* out) {
    if (recipe_.kind == Recipe::Kind::integers)
      fill_integers(words, count, out);
    else if (recipe_.dtype == Dtype::f64)
      fill_doubles(words, count, reinterpret_cast<double*>(out));
    else
      fill_floats(words, count, reinterpret_cast<float*>(out));
  }

  void fill_doubles(const std::uint32_t* words, std::size_t count, double* out) {
    if (recipe_.kind == Recipe::Kind::uniform)
      loops_.uniform_of_pair(words, count, recipe_.range64, out);
    else
      loops_.normal_of_pair(words, count, recipe_.shape64, out);
  }

  void fill_floats(const std::uint32_t* words, std::size_t count, float* out) {
    const bool halves = recipe_.bits == 16;
    if (recipe_.kind == Recipe::Kind::uniform)
      (halves ? loops_.uniform_of_half : loops_.uniform_of_word)(words, count, recipe_.range32, out);
    else
      (halves ? loops_.normal_of_half : loops_.normal_of_word)(words, count, recipe_.shape32, out);
  }

  void fill_integers(const std::uint32_t* words, std::size_t count, std::byte* out) {
    if (recipe_.bits == 64) loops_.scale_pairs(scratch_.words.data(), count, recipe_.run.numbers);
    const IntegerLoops& loops = recipe_.bits == 16   ? loops_.integers_of_half
                                : recipe_.bits == 32 ? loops_.integers_of_word
                                                     : loops_.integers_of_pair;
    switch (recipe_.dtype) {
      case Dtype::f64:
        return loops.f64(words, count, recipe_.run, out);
      case Dtype::f32:
      case Dtype::bf16:
      case Dtype::f16:
      case Dtype::f8e4m3:
      case Dtype::f8e5m2:
        return loops.f32(words, count, recipe_.run, out);
      case Dtype::s8:
      case Dtype::u8:
        return loops.s8(words, count, recipe_.run, out);
      case Dtype::s32:
        return loops.s32(words, count, recipe_.run, out);
      case Dtype::s64:
        return loops.s64(words, count, recipe_.run, out);
    }
  }

  // Zeroes elements for `density`. Requires at most kStepMax elements. If a half equals the upper half of
  // the limit, which happens for one in 65536, a half of another stream decides.
  void thin_out(std::uint64_t first, std::size_t count, std::byte* out) {
    const std::size_t size = size_of(recipe_.dtype);
    const Thin thin = size == 1   ? loops_.thin1
                      : size == 2 ? loops_.thin2
                      : size == 4 ? loops_.thin4
                                  : loops_.thin8;
    const auto upper = static_cast<std::uint32_t>(recipe_.keep_below >> 16);
    const std::uint32_t* const words = words_for(kSparsity, first, count, 16);
    if (!thin(words, count, upper, out)) return;
    const auto lower = static_cast<std::uint32_t>(recipe_.keep_below & 0xffff);
    for (std::size_t i = 0; i < count; ++i) {
      if (half_of(words[i / 2], i) != upper) continue;
      std::array<std::uint32_t, 4> ties;
      fill_philox(recipe_.seed, kTies, (first + i) / 8, ties, Instructions::plain);
      if (half_of(ties[i % 8 / 2], i) >= lower) std::memset(out + i * size, 0, size);
    }
  }

  static std::uint32_t half_of(std::uint32_t word, std::size_t i) {
    return i % 2 == 0 ? word & 0xffffu : word >> 16;
  }

  const Recipe& recipe_;
  Instructions instructions_;
  const Loops& loops_;
  Scratch scratch_;
};

}  // namespace

Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads) {
  return generate(spec, out, threads, widest_instructions());
}

Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads, Instructions instructions) {
  KS_RETURN_IF_ERROR(spec.valid());
  if (spec.file)
    return failure(fmt::format("{}: comes from a file; it is read, not generated", spec.summary()));
  if (out.size() != spec.bytes())
    return failure(
        fmt::format("{}: needs {} bytes, but the buffer has {}", spec.summary(), spec.bytes(), out.size()));
  KS_ASSERT(reinterpret_cast<std::uintptr_t>(out.data()) % size_of(spec.dtype) == 0);
  const Recipe recipe = recipe_of(spec);
  const std::uint64_t elements = spec.elements();
  const std::uint64_t step = recipe.step();
  const std::uint64_t steps = (elements + step - 1) / step;
  const auto parts = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(threads, 1)), 1,
                                               std::max<std::uint64_t>(steps, 1));
  const auto fill_part = [&](std::uint64_t part) {
    const std::uint64_t begin = steps * part / parts * step;
    const std::uint64_t end = std::min(steps * (part + 1) / parts * step, elements);
    Maker(recipe, instructions).fill(begin, end, out.data());
  };
  in_parts(parts, fill_part);
  return Done{};
}

}  // namespace kernsweep
