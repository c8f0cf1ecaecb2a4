// The table of loops that loops_plain.cpp, loops_avx2.cpp and loops_avx512.cpp share, without the few that
// are written with the instructions of one processor. Internal: in anonymous namespaces, because each
// includer is compiled for other instructions.
#pragma once

#include "tensors/loops_integers.hpp"
#include "tensors/loops_normal.hpp"
#include "tensors/loops_uniform.hpp"

namespace kernsweep {
namespace {

constexpr Loops loops_with(decltype(Loops::philox_blocks) philox_blocks,
                           decltype(Loops::f16_of_floats) f16_of_floats,
                           decltype(Loops::scale_pairs) scale_pairs) {
  Loops loops{};
  loops.philox_blocks = philox_blocks;
  loops.uniform_of_half = uniform_of_half;
  loops.uniform_of_word = uniform_of_word;
  loops.uniform_of_pair = uniform_of_pair;
  loops.normal_of_half = normal_of_half;
  loops.normal_of_word = normal_of_word;
  loops.normal_of_pair = normal_of_pair;
  loops.bf16_of_floats = bf16_of_floats;
  loops.f16_of_floats = f16_of_floats;
  loops.f8e4m3_of_floats = f8_of_floats<3, -6, 0x7e>;
  loops.f8e5m2_of_floats = f8_of_floats<2, -14, 0x7c>;
  loops.scale_pairs = scale_pairs;
  loops.integers_of_half = {integers_of_half<std::int8_t>, integers_of_half<std::int32_t>,
                            integers_of_half<std::int64_t>, integers_of_half<float>,
                            integers_of_half<double>};
  loops.integers_of_word = {nullptr, integers_of_word<std::int32_t>, integers_of_word<std::int64_t>,
                            integers_of_word<float>, integers_of_word<double>};
  loops.integers_of_pair = {nullptr, integers_of_pair<std::int32_t>, integers_of_pair<std::int64_t>,
                            integers_of_pair<float>, integers_of_pair<double>};
  loops.thin1 = thin<std::uint8_t>;
  loops.thin2 = thin<std::uint16_t>;
  loops.thin4 = thin<std::uint32_t>;
  loops.thin8 = thin<std::uint64_t>;
  return loops;
}

}  // namespace
}  // namespace kernsweep
