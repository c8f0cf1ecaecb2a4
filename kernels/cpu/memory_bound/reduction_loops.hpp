// Sums, sums of squares and maxima; included by loops_of_isa.cpp only.
//
// Sums of a few thousand elements are in f32, and the sums of these in f64, so that rounding errors do not
// grow with the length of an array.
#pragma once

namespace kernsweep::memory_bound {
namespace {

// join(a, term(x)) accumulates x, beginning with kNone; term(kNone) is kNone.
struct Sum {
  static constexpr float kNone = 0;
  static Vec term(Vec x) { return x; }
  template <class T>
  static T join(T a, T b) {
    return a + b;
  }
};
struct Squares : Sum {
  static Vec term(Vec x) { return x * x; }
};
struct Maximum {
  static constexpr float kNone = -kInfinity;
  static Vec term(Vec x) { return x; }
  static Vec join(Vec a, Vec b) { return larger(a, b); }
  static float join(float a, float b) { return larger(a, b); }
  static double join(double a, double b) { return a > b ? a : b; }
};

template <class Op>
double reduce_run(const float* x, Index count) {
  const auto joined = [](auto a, auto b) { return Op::join(a, b); };
  double out = Op::kNone;
  for (Index begin = 0; begin < count; begin += kStageElements) {
    const Index end = count - begin < kStageElements ? count : begin + kStageElements;
    Vec parts[4] = {all(Op::kNone), all(Op::kNone), all(Op::kNone), all(Op::kNone)};
    Index i = begin;
    for (; i + kAtOnce <= end; i += kAtOnce)
      for (Index k = 0; k < 4; ++k) parts[k] = Op::join(parts[k], Op::term(load(x + i + k * kLanes)));
    for (; i < end; i += kLanes) {
      const Vec last = load_part(x + i, end - i < kLanes ? end - i : kLanes, Op::kNone);
      parts[0] = Op::join(parts[0], Op::term(last));
    }
    out = Op::join(out, static_cast<double>(across(parts, joined)));
  }
  return out;
}

// out[j] = the join of four rows of x, or `rows` of them, and out[j].
template <class Op>
inline void join_rows(const float* x, Index rows, Index stride, Index width, float* out) {
  if (rows == 4) {
    write<false>(out, width, [&](const auto& where) {
      const Vec low = Op::join(Op::term(where(x)), Op::term(where(x + stride)));
      const Vec high = Op::join(Op::term(where(x + 2 * stride)), Op::term(where(x + 3 * stride)));
      return Op::join(where(out), Op::join(low, high));
    });
  } else {
    for (Index r = 0; r < rows; ++r)
      write<false>(out, width, [&](const auto& where) {
        return Op::join(where(out), Op::term(where(x + r * stride)));
      });
  }
}

template <class Op>
void reduce_rows(const float* x, Index rows, Index stride, Index width, float* out) {
  write<false>(out, width, [](const auto&) { return all(Op::kNone); });
  for (Index r = 0; r < rows; r += 4)
    join_rows<Op>(x + r * stride, rows - r < 4 ? rows - r : 4, stride, width, out);
}

}  // namespace
}  // namespace kernsweep::memory_bound
