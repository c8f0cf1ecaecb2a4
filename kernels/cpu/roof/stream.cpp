// copy and triad over a working set of any size, with the loops of the family stream.
#include "kernels/cpu/stream/stream.hpp"

#include <memory>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/libraries/variant.hpp"
#include "kernels/cpu/parallel/tbb.hpp"
#include "kernels/cpu/roof/roof.hpp"

namespace kernsweep::roof {
namespace {

constexpr std::int64_t kLine = 8;  // elements of f64

class Stream {
 public:
  static ks_status can_run(const ks_params* params, ks_why why) {
    Stream chosen;
    return chosen.choose(params, why);
  }

  static ks_status prepare(const ks_params* params, const ks_context& context, const ks_tensor*,
                           std::unique_ptr<Stream>& made, ks_why why) {
    auto kernel = std::make_unique<Stream>();
    ks_status status = kernel->choose(params, why);
    if (status != KS_OK) return status;
    kernel->team_ = Team::make(context.threads, status, why);
    if (kernel->team_ == nullptr) return status;
    const auto bytes = static_cast<std::size_t>(kernel->problem_.elements) * sizeof(double);
    for (int i = 0; i < arrays_of(kernel->problem_.op); ++i) {
      kernel->arrays_[i] = static_cast<double*>(context.allocate(context.host, bytes));
      if (kernel->arrays_[i] == nullptr && bytes > 0)
        return refuse(KS_OUT_OF_MEMORY, why, "no memory for the arrays");
    }
    if (status = kernel->touch_first(); status == KS_OK) made = std::move(kernel);
    return status;
  }

  ks_status run() {
    return team_->each(team_->threads(), [this](std::int64_t part) {
      const double* const second = problem_.op == Op::triad ? arrays_[2] : arrays_[1];
      for (std::int64_t pass = 0; pass < problem_.passes; ++pass)
        stream::compute(loop_, arrays_[1], second, arrays_[0], begin_of(part), begin_of(part + 1));
    });
  }

  ks_status output(ks_tensor& out) {
    Extent extent;
    for (std::int64_t i = 0; i < problem_.elements; ++i) extent.add(arrays_[0][i]);
    values_[0] = extent.smallest;
    values_[1] = extent.largest;
    view_of(values_, out);
    return KS_OK;
  }

  const char* runtime() const { return tbb_runtime(); }

 private:
  ks_status choose(const ks_params* params, ks_why why) {
    if (const ks_status status = parse(params, problem_, why); status != KS_OK) return status;
    if (arrays_of(problem_.op) < 2)
      return refuse(KS_UNSUPPORTED, why, "fma and read are done by the variants avx512, avx2 and plain");
    if (problem_.non_temporal && !stream::has_non_temporal_stores())
      return refuse(KS_UNSUPPORTED, why, "this architecture has no non-temporal stores here");
    loop_ = {.op = problem_.op == Op::copy ? stream::Op::copy : stream::Op::triad,
             .dtype = KS_F64,
             .n = problem_.elements,
             .non_temporal = problem_.non_temporal};
    return KS_OK;
  }

  std::int64_t begin_of(std::int64_t part) const {
    return share(problem_.elements, kLine, part, team_->threads());
  }

  // Each array is first written by the threads that will use it, so that its pages are near them.
  ks_status touch_first() {
    return team_->each(team_->threads(), [this](std::int64_t part) {
      for (int i = 0; i < arrays_of(problem_.op); ++i)
        for (std::int64_t at = begin_of(part); at < begin_of(part + 1); ++at) arrays_[i][at] = i;
    });
  }

  Problem problem_;
  stream::Problem loop_;
  std::unique_ptr<Team> team_;
  double* arrays_[3] = {};  // z, x, y: of zeros, ones and twos
  double values_[2] = {};
};

}  // namespace

const ks_variant kStream = make_variant<Stream>(
    "stream", "copy and triad by the loops of the family stream, as the compiler vectorises them");

}  // namespace kernsweep::roof
