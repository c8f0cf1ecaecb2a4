// The variants by libraries: a dense product, and sparse ones of MKL and Eigen.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/libraries/cblas_make.hpp"
#include "kernels/cpu/libraries/library_file.hpp"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/spmm/variants.hpp"

namespace kernsweep::spmm {

Dense::Dense(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      blas_(settings.open(setup)),
      a_(setup.allocate<float>(static_cast<std::size_t>(problem.m * problem.k))),
      b_(dense_operand(setup)),
      y_(setup.output<float>({problem.m, problem.n})) {
  const Csr given = sparse_operand(problem, setup);
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.m); ++i)
    for (auto p = static_cast<std::size_t>(given.begins[i]);
         p < static_cast<std::size_t>(given.begins[i + 1]); ++p)
      a_[i * static_cast<std::size_t>(problem.k) + static_cast<std::size_t>(given.columns[p])] =
          given.values[p];
  setup.report_work(work_of(problem, static_cast<std::int64_t>(given.values.size()),
                            4 * static_cast<double>(problem.m) * static_cast<double>(problem.k)));
}

void Dense::run() {
  if (y_.empty()) return;
  if (problem_.k == 0) return std::fill(y_.begin(), y_.end(), 0.0F);  // some libraries reject an empty sum
  const int m = static_cast<int>(problem_.m), n = static_cast<int>(problem_.n),
            k = static_cast<int>(problem_.k);
  blas_->sgemm(false, false, m, n, k, a_.data(), k, b_.data(), n, y_.data(), n);
}

// Source: oneMKL developer reference, "Inspector-executor Sparse BLAS Routines"; constants of mkl_spblas.h.
struct Mkl::Functions {
  static constexpr int kZeroBased = 0, kNoTranspose = 10, kGeneral = 20, kRowMajor = 101, kSuccess = 0;
  struct Description {
    int type, mode, diagonal;
  };
  int (*create)(void** handle, int indexing, int rows, int cols, std::int32_t* begins, std::int32_t* ends,
                std::int32_t* columns, float* values);
  int (*hint)(void* handle, int operation, Description, int layout, int columns, int calls);
  int (*optimize)(void* handle);
  int (*multiply)(int operation, float alpha, void* handle, Description, int layout, const float* b,
                  int columns, int ldb, float beta, float* y, int ldy);
  int (*destroy)(void* handle);
  static constexpr Description kPlain{kGeneral, 0, 0};
};

namespace {

constexpr char kNoEigen[] = "this build has no Eigen; install libeigen3-dev and build again";

void* open_library(const std::string& file) {
  if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const reason = dlerror();
  throw pack::Refused(
      KS_UNSUPPORTED,
      fmt::format("{}; install MKL (PyPI's package mkl has it), or name its file in mkl.library",
                  reason != nullptr ? reason : "the library cannot be opened"));
}

// Refused: MKL returned an error.
void check(int status, const char* doing) {
  if (status != 0)
    throw pack::Refused(KS_FAILED, fmt::format("MKL's status is {} while {}", status, doing));
}

}  // namespace

std::vector<pack::Param<Mkl::Settings>> Mkl::Settings::params() {
  return {pack::param<&Settings::library>({.name = "mkl.library",
                                           .summary = "file name of MKL, as dlopen takes it",
                                           .fallback = "libmkl_rt.so.3",
                                           .setting = true})};
}

Mkl::Mkl(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem), a_(sparse_operand(problem, setup)), functions_(new Functions) {
  void* const library = open_library(settings.library);
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr)
      throw pack::Refused(KS_UNSUPPORTED, fmt::format("{} has no {}; name a library of MKL in mkl.library",
                                                      settings.library, name));
  };
  find(functions_->create, "mkl_sparse_s_create_csr");
  find(functions_->hint, "mkl_sparse_set_mm_hint");
  find(functions_->optimize, "mkl_sparse_optimize");
  find(functions_->multiply, "mkl_sparse_s_mm");
  find(functions_->destroy, "mkl_sparse_destroy");
  const BlasFile blas(library);
  if (blas.has_wide_integers())
    throw pack::Refused(KS_UNSUPPORTED, "MKL takes 64-bit integers here; unset MKL_INTERFACE_LAYER");
  blas.set_threads(setup.threads());
  runtime_ =
      fmt::format("{} file={}", blas.described(), file_of(reinterpret_cast<void*>(functions_->multiply)));
  b_ = dense_operand(setup);
  y_ = setup.output<float>({problem.m, problem.n});
  setup.report_work(work_of(problem, static_cast<std::int64_t>(a_.values.size()), a_.bytes()));
  if (y_.empty() || a_.values.empty()) return;
  const int m = static_cast<int>(problem.m), k = static_cast<int>(problem.k),
            n = static_cast<int>(problem.n);
  check(functions_->create(&handle_, Functions::kZeroBased, m, k, a_.begins.data(), a_.begins.data() + 1,
                           a_.columns.data(), a_.values.data()),
        "it reads the matrix");
  constexpr int kManyCalls = 1000;
  // A hint that it cannot use is not an error.
  functions_->hint(handle_, Functions::kNoTranspose, Functions::kPlain, Functions::kRowMajor, n,
                   kManyCalls);
  const int status = functions_->optimize(handle_);
  if (status != Functions::kSuccess) functions_->destroy(handle_);  // an exception here runs no destructor
  check(status, "it repacks the matrix");
}

Mkl::~Mkl() {
  if (handle_ != nullptr) functions_->destroy(handle_);
}

void Mkl::run() {
  if (handle_ == nullptr) return std::fill(y_.begin(), y_.end(), 0.0F);
  const int n = static_cast<int>(problem_.n);
  check(functions_->multiply(Functions::kNoTranspose, 1.0F, handle_, Functions::kPlain,
                             Functions::kRowMajor, b_.data(), n, n, 0.0F, y_.data(), n),
        "it multiplies");
}

EigenCsr::EigenCsr(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      eigen_(*find_eigen(settings.isa)),
      threads_(setup.threads()),
      a_(sparse_operand(problem, setup)),
      b_(dense_operand(setup)),
      y_(setup.output<float>({problem.m, problem.n})) {
  if (eigen_.multiply == nullptr) throw pack::Refused(KS_UNSUPPORTED, kNoEigen);
  if (threads_ > 1 && !eigen_.has_threads)
    throw pack::Refused(KS_UNSUPPORTED,
                        "this build's Eigen has no threads: OpenMP was missing; threads: 1");
  setup.report_work(work_of(problem, static_cast<std::int64_t>(a_.values.size()), a_.bytes()));
}

void EigenCsr::run() {
  if (a_.values.empty()) return std::fill(y_.begin(), y_.end(), 0.0F);
  eigen_.multiply({a_.begins.data(), a_.columns.data(), a_.values.data(), b_.data(), y_.data(), problem_.n,
                   0, problem_.m},
                  problem_.k, threads_);
}

std::string EigenCsr::runtime() const {
  return fmt::format("Eigen {} isa={} threads={}", eigen_.version, eigen_.isa, threads_);
}

ks_status eigen_available(ks_why why) {
  return kEigenBaseline.multiply != nullptr ? KS_OK : refuse(KS_UNSUPPORTED, why, kNoEigen);
}

ks_status mkl_available(ks_why why) {
  try {
    open_library(Mkl::Settings{}.library);
    return KS_OK;
  } catch (const pack::Refused& refused) {
    return refuse(refused.status(), why, refused.what());
  }
}

}  // namespace kernsweep::spmm
