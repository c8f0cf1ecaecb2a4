#include "kernels/cpu/gemm/blas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "kernels/cpu/gemm/epilogue_pass.hpp"
#include "kernels/cpu/libraries/cblas.hpp"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/libraries/variant.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep {
namespace {

constexpr char kUsualLibrary[] = "libopenblas.so.0";

const ks_param_doc kParams[] = {
    {"blas.library", KS_TEXT, kUsualLibrary, nullptr, "file name of a CBLAS library, as dlopen takes it"},
};

class Blas {
 public:
  static ks_status can_run(const ks_params* params, ks_why why) {
    GemmProblem problem;
    return read(params, problem, why);
  }

  static ks_status prepare(const ks_params* params, const ks_context& context, const ks_tensor* inputs,
                           std::unique_ptr<Blas>& made, ks_why why) {
    auto kernel = std::make_unique<Blas>();
    if (const ks_status status = read(params, kernel->problem_, why); status != KS_OK) return status;
    ks_status status = KS_OK;
    kernel->library_ =
        Cblas::open(Params(params).text("blas.library", kUsualLibrary), context.threads, status, why);
    if (status != KS_OK) return status;
    kernel->a_ = inputs[0].data;
    kernel->b_ = inputs[1].data;
    kernel->runtime_ = kernel->library_->runtime();
    status = kernel->c_.allocate(kernel->problem_, context, why);
    if (status == KS_OK && !kernel->problem_.epilogue.is_none())
      status = kernel->prepare_epilogue(context, inputs, why);
    if (status == KS_OK) made = std::move(kernel);
    return status;
  }

  ks_status run() {
    if (problem_.is_empty()) return KS_OK;
    return problem_.dtype == Dtype::f32 ? compute<float>(&Cblas::sgemm) : compute<double>(&Cblas::dgemm);
  }

  ks_status output(ks_tensor& out) {
    c_.view(out);
    return KS_OK;
  }

  const char* runtime() const { return runtime_.c_str(); }

 private:
  static ks_status read(const ks_params* params, GemmProblem& problem, ks_why why) {
    if (const ks_status status = read_gemm(params, problem, why); status != KS_OK) return status;
    if (const ks_status status = Params(params).check(kParams, std::size(kParams), why); status != KS_OK)
      return status;
    if (problem.tf32 || (problem.dtype != Dtype::f32 && problem.dtype != Dtype::f64))
      return refuse(KS_UNSUPPORTED, why,
                    fmt::format("CBLAS multiplies f32 and f64, not {}", problem.dtype_name()));
    for (const std::int64_t size : {problem.m, problem.n, problem.k, problem.lda, problem.ldb, problem.ldc})
      if (size > std::numeric_limits<int>::max())
        return refuse(KS_UNSUPPORTED, why,
                      fmt::format("{} is more than the 32-bit integers of CBLAS can say", size));
    return KS_OK;
  }

  ks_status prepare_epilogue(const ks_context& context, const ks_tensor* inputs, ks_why why) {
    if (problem_.epilogue.has_bias) bias_ = inputs[2].data;
    ks_status status = KS_OK;
    team_ = Team::make(context.threads, status, why);
    if (status == KS_OK)
      runtime_ += fmt::format(" epilogue {} threads={}", tbb_runtime(), team_->threads());
    return status;
  }

  template <class T, class Gemm>
  ks_status compute(Gemm gemm) {
    T* const c = static_cast<T*>(c_.data());
    if (problem_.k == 0) {  // an empty sum, which some CBLAS libraries reject
      std::fill_n(c, problem_.batch * problem_.m * problem_.ldc, T{0});
    } else {
      for (std::int64_t batch = 0; batch < problem_.batch; ++batch) multiply<T>(batch, gemm);
    }
    if (team_ == nullptr) return KS_OK;
    return finish_product(problem_, static_cast<const T*>(bias_), c, *team_);
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
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  const void* bias_ = nullptr;
  std::shared_ptr<const Cblas> library_;
  std::unique_ptr<Team> team_;  // threads of the epilogue; null if there is none
  GemmOutput c_;
  std::string runtime_;
};

// If the usual library is missing, the host may have another, which the sweep must name.
ks_status available(ks_why why) {
  ks_status status = KS_OK;
  static_cast<void>(Cblas::open(kUsualLibrary, 1, status, why));
  return status == KS_OK ? KS_OK : KS_UNSUPPORTED;
}

}  // namespace

const ks_variant kGemmBlas =
    make_variant<Blas>("blas", "cblas_sgemm, cblas_dgemm of any CBLAS library: f32, f64", kParams,
                       std::size(kParams), &available);

}  // namespace kernsweep
