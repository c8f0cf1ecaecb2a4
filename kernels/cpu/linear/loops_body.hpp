// Included once by each loops_<isa>.cpp, as kernels/cpu/memory_bound/loops_body.hpp is. Everything but the
// table is in the unnamed namespace: the linker must not share functions that were compiled for different
// sets.
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

// Adding 1.5 2^23 rounds to a whole number, which is then in the last bits; its lowest 8 are the byte.
void quantise(const float* x, Index count, const Quantised& as, std::uint8_t* to) {
  const Vec least = all(static_cast<float>(as.least - as.zero));
  const Vec most = all(static_cast<float>(as.most - as.zero));
  const std::uint32_t added = static_cast<std::uint32_t>(as.zero + as.flip);
  const auto bytes_of = [&](Vec from) __attribute__((always_inline)) {
    const Vec rounded = smaller(larger(from * as.inverse, least), most) + 0x1.8p23f;
    return __builtin_convertvector(reinterpret_cast<BitVec>(rounded) + added, ByteVec);
  };
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const ByteVec bytes = bytes_of(load(x + i));
    __builtin_memcpy(to + i, &bytes, sizeof bytes);
  }
  if (i == count) return;
  const ByteVec bytes = bytes_of(load_part(x + i, count - i, 0));
  for (Index j = 0; i + j < count; ++j) to[i + j] = bytes[j];
}

void to_bf16(const float* x, Index count, std::uint16_t* to) {
  const auto halves_of = [](Vec from) __attribute__((always_inline)) {
    const BitVec bits = reinterpret_cast<BitVec>(from);
    return __builtin_convertvector((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16, HalfVec);
  };
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const HalfVec halves = halves_of(load(x + i));
    __builtin_memcpy(to + i, &halves, sizeof halves);
  }
  if (i == count) return;
  const HalfVec halves = halves_of(load_part(x + i, count - i, 0));
  for (Index j = 0; i + j < count; ++j) to[i + j] = halves[j];
}

template <After after>
inline Vec activated(Vec x) {
  if constexpr (after == After::relu) return larger(x, Vec{});
  if constexpr (after == After::gelu) return gelu_of(x);
  return x;
}

template <After after>
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
  if (f.after == After::relu) return finish_rows<After::relu>(f);
  if (f.after == After::gelu) return finish_rows<After::gelu>(f);
  finish_rows<After::none>(f);
}

template <After after>
void finish_one(float* y, const float* bias, Index columns) {
  write<false>(
      y, columns, [&](const auto& where) __attribute__((always_inline)) {
        return activated<after>(bias == nullptr ? where(y) : where(y) + where(bias));
      });
}

void finish_row(float* y, const float* bias, Index columns, After after) {
  if (after == After::relu) return finish_one<After::relu>(y, bias, columns);
  if (after == After::gelu) return finish_one<After::gelu>(y, bias, columns);
  finish_one<After::none>(y, bias, columns);
}

}  // namespace

constinit const Loops KERNSWEEP_LOOPS = {
    .isa = KERNSWEEP_LOOPS_ISA,
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
