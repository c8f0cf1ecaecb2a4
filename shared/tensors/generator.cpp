#include "shared/tensors/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <thread>
#include <vector>

#include "shared/tensors/philox.hpp"
#include "shared/tensors/ranges.hpp"

namespace kernsweep {
namespace {

constexpr std::uint32_t kValues = 0;
constexpr std::uint32_t kSparsity = 1;
// Elements per step: words, variates and result stay in the first-level cache. A multiple of 4, so that
// every step begins with a whole block.
constexpr std::size_t kStep = 2048;

// A description, reduced to the numbers the loops need.
struct Recipe {
  enum class Kind { uniform32, uniform64, normal, integers };
  Kind kind = Kind::uniform32;
  Dtype dtype = Dtype::f32;
  std::uint64_t seed = 0;
  int words = 1;  // per element
  UniformRange<float> range32{};
  UniformRange<double> range64{};
  double mean = 0.0;
  double deviation = 1.0;
  std::int64_t first = 0;  // integers
  std::uint64_t numbers = 1;
  std::uint64_t keep_below = std::uint64_t{1} << 32;  // 2^32: dense
};

void make_uniform(Recipe& recipe, double a, double b) {
  const double bottom = smallest_from(recipe.dtype, a);
  const double top = largest_below(recipe.dtype, b);
  if (recipe.dtype == Dtype::f64) {
    recipe.kind = Recipe::Kind::uniform64;
    recipe.words = 2;
    recipe.range64 = {a, b - a, bottom, top};
  } else {
    recipe.kind = Recipe::Kind::uniform32;
    recipe.range32 = {static_cast<float>(a), static_cast<float>(b - a), static_cast<float>(bottom),
                      static_cast<float>(top)};
  }
}

void make_normal(Recipe& recipe, double mean, double deviation) {
  recipe.kind = Recipe::Kind::normal;
  recipe.words = recipe.dtype == Dtype::f64 ? 2 : 1;
  recipe.mean = mean;
  recipe.deviation = deviation;
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
    case Distribution::integers:
      recipe.kind = Recipe::Kind::integers;
      recipe.first = static_cast<std::int64_t>(spec.a);
      recipe.numbers = static_cast<std::uint64_t>(static_cast<std::int64_t>(spec.b) - recipe.first) + 1;
      recipe.words = recipe.numbers <= 0x10000 ? 1 : 2;
      break;
  }
  return recipe;
}

// How a variate becomes an element. Elements of 16 bits are bit patterns, so each Dtype has its own case.
template <Dtype kDtype>
struct As;
#define KS_AS(dtype, element, from_double) \
  template <>                              \
  struct As<dtype> {                       \
    using Element = element;               \
    template <class Variate>               \
    static Element from(Variate x) {       \
      return from_double;                  \
    }                                      \
  }
KS_AS(Dtype::f64, double, static_cast<double>(x));
KS_AS(Dtype::f32, float, static_cast<float>(x));
KS_AS(Dtype::s8, std::int8_t, static_cast<std::int8_t>(x));
KS_AS(Dtype::u8, std::uint8_t, static_cast<std::uint8_t>(x));
KS_AS(Dtype::s32, std::int32_t, static_cast<std::int32_t>(x));
KS_AS(Dtype::s64, std::int64_t, static_cast<std::int64_t>(x));
#undef KS_AS
template <>
struct As<Dtype::bf16> {
  using Element = std::uint16_t;
  static Element from(float x) { return bf16_of(x); }
  static Element from(double x) { return bf16_of(static_cast<float>(x)); }
  static Element from(std::int64_t x) { return bf16_of(static_cast<float>(x)); }
};
template <>
struct As<Dtype::f16> {
  using Element = std::uint16_t;
  static Element from(float x) { return f16_of(x); }
  static Element from(double x) { return f16_of(static_cast<float>(x)); }
  static Element from(std::int64_t x) { return f16_of(static_cast<float>(x)); }
};

struct Scratch {
  alignas(64) std::array<std::uint32_t, 2 * kStep> words;
  alignas(64) std::array<float, kStep> floats;
  alignas(64) std::array<double, kStep> doubles;
};

template <Dtype kDtype, class Variate>
void convert(const Variate* variates, std::size_t count, typename As<kDtype>::Element* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = As<kDtype>::from(variates[i]);
}

template <Dtype kDtype>
void fill_integers(const Recipe& recipe, const std::uint32_t* words, std::size_t count,
                   typename As<kDtype>::Element* out) {
  if (recipe.words == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto offset = static_cast<std::int64_t>((words[i] * recipe.numbers) >> 32);
      out[i] = As<kDtype>::from(recipe.first + offset);
    }
    return;
  }
  __extension__ using Wide = unsigned __int128;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t pair = words[2 * i] | static_cast<std::uint64_t>(words[2 * i + 1]) << 32;
    const auto offset = static_cast<std::int64_t>((static_cast<Wide>(pair) * recipe.numbers) >> 64);
    out[i] = As<kDtype>::from(recipe.first + offset);
  }
}

// Elements [first, first + count) to `out`; first is a multiple of kStep and count at most kStep.
template <Dtype kDtype>
void fill_step(const Recipe& recipe, const Loops& loops, Instructions instructions, std::uint64_t first,
               std::size_t count, typename As<kDtype>::Element* out, Scratch& scratch) {
  const auto words_for = [&](std::uint32_t stream, std::uint64_t per_element) {
    const std::size_t whole = (count * per_element + 3) / 4 * 4;
    fill_philox(recipe.seed, stream, first * per_element / 4, std::span(scratch.words.data(), whole),
                instructions);
    return scratch.words.data();
  };
  const std::uint32_t* words = words_for(kValues, static_cast<std::uint64_t>(recipe.words));
  switch (recipe.kind) {
    case Recipe::Kind::uniform32:
      if constexpr (kDtype == Dtype::f32) {
        loops.uniform_f32(words, count, recipe.range32, out);
      } else {
        loops.uniform_f32(words, count, recipe.range32, scratch.floats.data());
        convert<kDtype>(scratch.floats.data(), count, out);
      }
      break;
    case Recipe::Kind::uniform64:
      loops.uniform_f64(words, count, recipe.range64, scratch.doubles.data());
      convert<kDtype>(scratch.doubles.data(), count, out);
      break;
    case Recipe::Kind::normal: {
      const auto fill = recipe.words == 1 ? loops.normal_of_word : loops.normal_of_pair;
      fill(words, count, recipe.mean, recipe.deviation, scratch.doubles.data());
      convert<kDtype>(scratch.doubles.data(), count, out);
      break;
    }
    case Recipe::Kind::integers:
      fill_integers<kDtype>(recipe, words, count, out);
      break;
  }
  if (recipe.keep_below >> 32 != 0) return;
  const std::uint32_t* sparsity = words_for(kSparsity, 1);
  const auto limit = static_cast<std::uint32_t>(recipe.keep_below);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = sparsity[i] < limit ? out[i] : typename As<kDtype>::Element{};
}

template <Dtype kDtype>
void fill_elements(const Recipe& recipe, Instructions instructions, std::uint64_t begin, std::uint64_t end,
                   std::byte* tensor) {
  const Loops& loops = loops_for(instructions);
  Scratch scratch;
  auto* elements = reinterpret_cast<typename As<kDtype>::Element*>(tensor);
  for (std::uint64_t first = begin; first < end; first += kStep) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, end - first));
    fill_step<kDtype>(recipe, loops, instructions, first, count, elements + first, scratch);
  }
}

using Fill = void (*)(const Recipe&, Instructions, std::uint64_t, std::uint64_t, std::byte*);

Fill fill_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return fill_elements<Dtype::f64>;
    case Dtype::f32:
      return fill_elements<Dtype::f32>;
    case Dtype::bf16:
      return fill_elements<Dtype::bf16>;
    case Dtype::f16:
      return fill_elements<Dtype::f16>;
    case Dtype::s8:
      return fill_elements<Dtype::s8>;
    case Dtype::u8:
      return fill_elements<Dtype::u8>;
    case Dtype::s32:
      return fill_elements<Dtype::s32>;
    case Dtype::s64:
      return fill_elements<Dtype::s64>;
  }
  return nullptr;
}

}  // namespace

Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads) {
  return generate(spec, out, threads, widest_instructions());
}

Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads, Instructions instructions) {
  if (const Status valid = spec.valid(); !valid) return valid;
  if (spec.file)
    return failure(fmt::format("{}: comes from a file; it is read, not generated", spec.summary()));
  if (out.size() != spec.bytes())
    return failure(
        fmt::format("{}: needs {} bytes, but the buffer has {}", spec.summary(), spec.bytes(), out.size()));
  KS_ASSERT(reinterpret_cast<std::uintptr_t>(out.data()) % size_of(spec.dtype) == 0);
  const Recipe recipe = recipe_of(spec);
  const Fill fill = fill_of(spec.dtype);
  const std::uint64_t elements = spec.elements();
  const std::uint64_t steps = (elements + kStep - 1) / kStep;
  const auto parts = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(threads, 1)), 1,
                                               std::max<std::uint64_t>(steps, 1));
  const auto fill_part = [&](std::uint64_t part) {
    const std::uint64_t begin = steps * part / parts * kStep;
    const std::uint64_t end = std::min(steps * (part + 1) / parts * kStep, elements);
    fill(recipe, instructions, begin, end, out.data());
  };
  std::vector<std::jthread> others;
  for (std::uint64_t part = 1; part < parts; ++part) {
    try {
      others.emplace_back(fill_part, part);
    } catch (const std::system_error&) {  // no further thread to be had: this one does its part
      fill_part(part);
    }
  }
  fill_part(0);
  return Done{};
}

}  // namespace kernsweep
