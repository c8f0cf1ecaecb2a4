// The loops, compiled for each instruction set: of_isa.hpp.
#include "kernels/cpu/libraries/of_isa.hpp"
#include "kernels/cpu/linear/loops.hpp"
#include "kernels/cpu/memory_bound/loops.hpp"
#include "kernels/cpu/memory_bound/row_lengths.hpp"
#include "kernels/cpu/memory_bound/vectors.hpp"
//
#include "kernels/cpu/linear/sum_tiles.hpp"

namespace kernsweep::linear {
namespace {

using namespace memory_bound;  // vectors

typedef std::uint8_t ByteVec __attribute__((vector_size(kLanes)));
typedef std::uint16_t HalfVec __attribute__((vector_size(2 * kLanes)));
typedef std::uint32_t BitVec __attribute__((vector_size(4 * kLanes)));
typedef std::int32_t LooseIntVec __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));

inline Vec smaller(Vec a, Vec b) {
  return a < b ? a : b;
}

void range(const float* x, Index count, float* least, float* most) {
  Vec low[4] = {}, high[4] = {};
  Index i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce)
    for (int v = 0; v < 4; ++v) {
      const Vec each = load(x + i + v * kLanes);
      low[v] = smaller(low[v], each);
      high[v] = larger(high[v], each);
    }
  for (; i < count; i += kLanes) {
    const Vec each = load_part(x + i, count - i < kLanes ? count - i : kLanes, 0);
    low[0] = smaller(low[0], each);
    high[0] = larger(high[0], each);
  }
  const auto less = [](auto a, auto b) { return a < b ? a : b; };
  const auto more = [](auto a, auto b) { return a > b ? a : b; };
  *least = across(low, less);
  *most = across(high, more);
}

// to[i] = f of x[i], one vector at a time; `f` returns the same number of elements of the type of `to`.
template <class To, class F>
inline void convert(const float* x, Index count, To* to, F f) {
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto numbers = f(load(x + i));
    __builtin_memcpy(to + i, &numbers, sizeof numbers);
  }
  if (i == count) return;
  const auto numbers = f(load_part(x + i, count - i, 0));
  for (Index j = 0; i + j < count; ++j) to[i + j] = numbers[j];
}

// Adding 1.5 2^23 rounds to a whole number, which is then in the last bits; its lowest 8 are the byte.
void quantise(const float* x, Index count, const Quantised& as, std::uint8_t* to) {
  const Vec least = all(static_cast<float>(as.least - as.zero));
  const Vec most = all(static_cast<float>(as.most - as.zero));
  const std::uint32_t added = static_cast<std::uint32_t>(as.zero + as.flip);
  convert(
      x, count, to, [&](Vec from) __attribute__((always_inline)) {
        const Vec rounded = smaller(larger(from * as.inverse, least), most) + 0x1.8p23f;
        return __builtin_convertvector(reinterpret_cast<BitVec>(rounded) + added, ByteVec);
      });
}

void to_bf16(const float* x, Index count, std::uint16_t* to) {
  convert(
      x, count, to, [](Vec from) __attribute__((always_inline)) {
        const BitVec bits = reinterpret_cast<BitVec>(from);
        return __builtin_convertvector((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16, HalfVec);
      });
}

template <Activation after>
inline Vec activated(Vec x) {
  if constexpr (after == Activation::relu) return larger(x, Vec{});
  if constexpr (after == Activation::gelu) return gelu_of(x);
  return x;
}

template <Activation after>
void finish_rows(const Finish& f) {
  for (Index r = 0; r < f.rows; ++r) {
    const std::int32_t* const sums = f.sums + r * f.sums_stride;
    write<false>(
        f.y + r * f.y_stride, f.columns, [&](const auto& where) __attribute__((always_inline)) {
          const auto whole = *reinterpret_cast<const LooseIntVec*>(sums + where.at) -
                             *reinterpret_cast<const LooseIntVec*>(f.taken_off + where.at);
          const Vec sum =
              __builtin_convertvector(static_cast<IntVec>(whole), Vec) * load(f.scales + where.at);
          return activated<after>(f.bias == nullptr ? sum : sum + where(f.bias));
        });
  }
}

void finish(const Finish& f) {
  if (f.after == Activation::relu) return finish_rows<Activation::relu>(f);
  if (f.after == Activation::gelu) return finish_rows<Activation::gelu>(f);
  finish_rows<Activation::none>(f);
}

template <Activation after>
void finish_one(float* y, const float* bias, Index columns) {
  write<false>(
      y, columns, [&](const auto& where) __attribute__((always_inline)) {
        return activated<after>(bias == nullptr ? where(y) : where(y) + where(bias));
      });
}

void finish_row(float* y, const float* bias, Index columns, Activation after) {
  if (after == Activation::relu) return finish_one<Activation::relu>(y, bias, columns);
  if (after == Activation::gelu) return finish_one<Activation::gelu>(y, bias, columns);
  finish_one<Activation::none>(y, bias, columns);
}

}  // namespace

constinit const Loops KERNSWEEP_OF_ISA(kLoops) = {
    .isa = KERNSWEEP_VECTOR_BYTES == 64 ? "avx512_vnni" : KERNSWEEP_ISA,
    .columns = Tiles::kColumns,
    .group = Tiles::kGroup,
    .interleaved = Tiles::kInterleaved,
    .flip = Tiles::kFlip,
    .range = range,
    .quantise = quantise,
    .to_bf16 = to_bf16,
    .multiply = multiply<Tiles::kRows>,
    .finish = finish,
    .finish_row = finish_row,
};

}  // namespace kernsweep::linear
