// cblas_sgemm and cblas_dgemm of the library in `blas.library`; a batch is a loop of calls, an epilogue a
// separate pass after all of them (epilogue_pass.hpp) on the threads of the job.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/gemm/epilogue_pass.hpp"
#include "kernels/cpu/gemm/variants.hpp"
#include "kernels/cpu/libraries/cblas.hpp"

namespace kernsweep {
namespace {

class Blas {
 public:
  using Settings = BlasSettings;

  static void can_run(const GemmProblem& problem) {
    if (problem.tf32 || (problem.dtype != Dtype::f32 && problem.dtype != Dtype::f64))
      throw pack::Refused(KS_UNSUPPORTED,
                          fmt::format("CBLAS multiplies f32 and f64, not {}", problem.dtype_name()));
    for (const std::int64_t size : {problem.m, problem.n, problem.k, problem.lda, problem.ldb, problem.ldc})
      if (size > std::numeric_limits<int>::max())
        throw pack::Refused(KS_UNSUPPORTED,
                            fmt::format("{} is more than the 32-bit integers of CBLAS can say", size));
  }

  Blas(const GemmProblem& problem, const Settings& settings, pack::Setup& setup)
      : problem_(problem),
        library_((can_run(problem), settings.open(setup))),
        a_(setup.tensor(0).data),
        b_(setup.tensor(1).data),
        bias_(problem.epilogue.has_bias ? setup.tensor(2).data : nullptr),
        c_(problem, setup) {
    if (!problem.epilogue.is_none()) team_ = team_of(setup);
  }

  void run() {
    if (problem_.is_empty()) return;
    problem_.dtype == Dtype::f32 ? compute<float>(&Cblas::sgemm) : compute<double>(&Cblas::dgemm);
  }

  ks_tensor output() const { return c_.view(problem_); }

  std::string runtime() const {
    if (team_ == nullptr) return library_->runtime();
    return fmt::format("{} epilogue {} threads={}", library_->runtime(), tbb_runtime(), team_->threads());
  }

 private:
  template <class T, class Gemm>
  void compute(Gemm gemm) {
    T* const c = static_cast<T*>(c_.data());
    if (problem_.k == 0) {  // an empty sum, which some CBLAS libraries reject
      std::fill_n(c, problem_.batch * problem_.m * problem_.ldc, T{0});
    } else {
      for (std::int64_t batch = 0; batch < problem_.batch; ++batch) multiply<T>(batch, gemm);
    }
    if (team_ != nullptr) finish_product(problem_, static_cast<const T*>(bias_), c, *team_);
  }

  template <class T, class Gemm>
  void multiply(std::int64_t batch, Gemm gemm) const {
    const auto whole = [](std::int64_t size) { return static_cast<int>(size); };
    const T* a = static_cast<const T*>(a_) + batch * problem_.op_a().batch_stride;
    const T* b = static_cast<const T*>(b_) + batch * problem_.op_b().batch_stride;
    T* c = static_cast<T*>(c_.data()) + batch * problem_.m * problem_.ldc;
    ((*library_).*gemm)(problem_.trans_a, problem_.trans_b, whole(problem_.m), whole(problem_.n),
                        whole(problem_.k), a, whole(problem_.lda), b, whole(problem_.ldb), c,
                        whole(problem_.ldc), T{0});
  }

  GemmProblem problem_;
  std::shared_ptr<const Cblas> library_;
  const void* a_;
  const void* b_;
  const void* bias_;
  std::unique_ptr<Team> team_;  // threads of the epilogue; null if there is none
  GemmOutput c_;
};

// If the usual library is missing, the host may have another, which the sweep must name.
ks_status available(ks_why why) {
  ks_status status = KS_OK;
  static_cast<void>(Cblas::open(BlasSettings{}.library.c_str(), 1, status, why));
  return status == KS_OK ? KS_OK : KS_UNSUPPORTED;
}

}  // namespace

pack::Variant gemm_blas() {
  return pack::variant<Blas>("blas", "cblas_sgemm, cblas_dgemm of any CBLAS library: f32, f64", available)
      .of<GemmProblem>();
}

}  // namespace kernsweep
