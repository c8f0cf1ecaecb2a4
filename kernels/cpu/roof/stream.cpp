// copy and triad over a working set of any size, with the loops of the family stream.
#include "kernels/cpu/stream/stream.hpp"

#include "kernels/cpu/roof/variants.hpp"

namespace kernsweep::roof {
namespace {

constexpr std::int64_t kLine = 8;  // elements of f64

}  // namespace

void Stream::can_run(const Problem& problem) {
  if (arrays_of(problem.op) < 2)
    throw pack::Refused(KS_UNSUPPORTED, "fma and read are done by the variants avx512, avx2 and plain");
  if (problem.non_temporal && !stream::has_non_temporal_stores())
    throw pack::Refused(KS_UNSUPPORTED, "this architecture has no non-temporal stores here");
}

Stream::Stream(const Problem& problem, pack::Setup& setup)
    : problem_(problem), team_(team_of(setup)), result_(setup) {
  can_run(problem);
  for (int i = 0; i < arrays_of(problem.op); ++i)
    arrays_[i] = setup.allocate<double>(static_cast<std::size_t>(problem.elements)).data();
  // Each array is first written by the threads that will use it, so that its pages are near them.
  on_each(*team_, team_->threads(), [this](std::int64_t part) {
    for (int i = 0; i < arrays_of(problem_.op); ++i)
      for (std::int64_t at = begin_of(part); at < begin_of(part + 1); ++at) arrays_[i][at] = i;
  });
}

void Stream::run() {
  const stream::Problem loop{.op = problem_.op == Op::copy ? stream::Op::copy : stream::Op::triad,
                             .n = problem_.elements,
                             .dtype = KS_F64,
                             .non_temporal = problem_.non_temporal};
  on_each(*team_, team_->threads(), [&](std::int64_t part) {
    const double* const second = problem_.op == Op::triad ? arrays_[2] : arrays_[1];
    for (std::int64_t pass = 0; pass < problem_.passes; ++pass)
      stream::compute(loop, arrays_[1], second, arrays_[0], begin_of(part), begin_of(part + 1));
  });
}

ks_tensor Stream::output() const {
  Extent extent;
  for (std::int64_t i = 0; i < problem_.elements; ++i) extent.add(arrays_[0][i]);
  return result_.shown(extent);
}

std::int64_t Stream::begin_of(std::int64_t part) const {
  return share(problem_.elements, kLine, part, team_->threads());
}

}  // namespace kernsweep::roof
