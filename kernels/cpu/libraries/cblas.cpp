#include "kernels/cpu/libraries/cblas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/cpu/libraries/cblas_make.hpp"
#include "kernels/cpu/libraries/library_file.hpp"
#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {
namespace {

// From the CBLAS standard (Basic Linear Algebra Subprograms Technical Forum, 2001, appendix B).
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

// One of the library's own functions; `Int` has the width of its integers.
template <class Real, class Int>
using Gemm = void (*)(int order, int trans_a, int trans_b, Int m, Int n, Int k, Real alpha, const Real* a,
                      Int lda, const Real* b, Int ldb, Real beta, Real* c, Int ldc);

int transpose(bool trans) {
  return trans ? kTranspose : kNoTranspose;
}

// BLAS forbids a leading dimension below the row length and below 1, even for empty matrices.
int at_least_one(int leading) {
  return leading < 1 ? 1 : leading;
}

// OpenBLAS allocates a buffer of this size (BUFFER_SIZE, 32 << 22 on x86-64, arm64 and POWER) for each
// thread when the thread first needs one, and a stack for each thread that it starts. If the allocation of
// a buffer fails, it is repeated without end (blas_memory_alloc, driver/others/memory.c).
constexpr std::size_t kOpenblasBuffer = std::size_t{128} << 20, kThreadStack = std::size_t{8} << 20;

bool memory_is_limited() {
  rlimit data{}, space{};
  return (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY) ||
         (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY);
}

// Allocates several pieces, as OpenBLAS does: one piece of the total size might be refused.
bool can_still_take(std::size_t bytes, std::size_t pieces) {
  std::vector<void*> taken;
  bool all = true;
  for (std::size_t i = 0; i < pieces && all; ++i) {
    void* const piece = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    all = piece != MAP_FAILED;
    if (all) taken.push_back(piece);
  }
  for (void* const piece : taken) munmap(piece, bytes);
  return all;
}

std::string openblas_lacks_memory(int threads) {
  const auto count = static_cast<std::size_t>(std::max(1, threads));
  if (can_still_take(kOpenblasBuffer + (count > 1 ? kThreadStack : 0), count)) return "";
  return fmt::format(
      "OpenBLAS takes {} MiB for each of its {} threads, and may wait forever for memory that this process "
      "may not use; give the worker more memory (--memory), or take another library",
      kOpenblasBuffer >> 20, count);
}

// Makes OpenBLAS allocate its buffers now, with a product that is large enough for its blocked algorithm.
void take_openblas_buffers(const Cblas& library) {
  constexpr int kSize = 256;
  const std::vector<float> zeros(std::size_t{kSize} * kSize);
  std::vector<float> product(zeros.size());
  library.sgemm(false, false, kSize, kSize, kSize, zeros.data(), kSize, zeros.data(), kSize, product.data(),
                kSize);
}

}  // namespace

std::shared_ptr<const Cblas> Cblas::open(const char* file_name, int threads, ks_status& status,
                                         ks_why why) {
  const auto refuse_open = [&](ks_status reason, const std::string& text) {
    status = refuse(reason, why, text);
    return std::shared_ptr<const Cblas>();
  };
  if (file_name == nullptr || *file_name == '\0')
    return refuse_open(KS_BAD_PARAMETER, "blas.library is empty; name a file such as libopenblas.so.0");
  // OpenBLAS allocates buffers when it is loaded, so check before; other file names are recognised later.
  static bool has_buffers = false;
  const bool limited = !has_buffers && memory_is_limited();
  if (limited && std::string_view(file_name).find("openblas") != std::string_view::npos)
    if (const std::string lack = openblas_lacks_memory(threads); !lack.empty())
      return refuse_open(KS_OUT_OF_MEMORY, lack);
  void* library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return refuse_open(
        KS_FAILED,
        fmt::format("{}; install the package that holds {}, or name another file in blas.library",
                    reason != nullptr ? reason : "the library cannot be opened", file_name));
  }
  const BlasFile file(library);
  if (!file.is_found())
    return refuse_open(KS_FAILED,
                       fmt::format("{} has no cblas_sgemm or no cblas_dgemm; name a CBLAS library in "
                                   "blas.library",
                                   file_name));
  auto opened = std::make_shared<Cblas>();
  opened->sgemm_ = file.function<AnyGemm>("cblas_sgemm");
  opened->dgemm_ = file.function<AnyGemm>("cblas_dgemm");
  opened->is_wide_ = file.has_wide_integers();
  opened->takes_several_calls_ = file.is_openblas_with_threads();
  file.set_threads(threads);
  if (limited && file.is_openblas()) {
    if (const std::string lack = openblas_lacks_memory(1); !lack.empty())
      return refuse_open(KS_OUT_OF_MEMORY, lack);
    take_openblas_buffers(*opened);
    has_buffers = true;
  }
  opened->runtime_ = fmt::format("{}{} file={}", file.described(), opened->is_wide_ ? " integers=64" : "",
                                 file_of(reinterpret_cast<void*>(opened->sgemm_)));
  status = KS_OK;
  return opened;
}

template <class Real>
void Cblas::multiply(AnyGemm gemm, bool trans_a, bool trans_b, int m, int n, int k, const Real* a, int lda,
                     const Real* b, int ldb, Real* c, int ldc, Real beta) const {
  const auto call = [&]<class Int>(Int) {
    reinterpret_cast<Gemm<Real, Int>>(gemm)(kRowMajor, transpose(trans_a), transpose(trans_b), m, n, k,
                                            Real{1}, a, at_least_one(lda), b, at_least_one(ldb), beta, c,
                                            at_least_one(ldc));
  };
  if (is_wide_)
    call(std::int64_t{});
  else
    call(int{});
}

void Cblas::sgemm(bool trans_a, bool trans_b, int m, int n, int k, const float* a, int lda, const float* b,
                  int ldb, float* c, int ldc, float beta) const {
  multiply(sgemm_, trans_a, trans_b, m, n, k, a, lda, b, ldb, c, ldc, beta);
}

void Cblas::dgemm(bool trans_a, bool trans_b, int m, int n, int k, const double* a, int lda,
                  const double* b, int ldb, double* c, int ldc, double beta) const {
  multiply(dgemm_, trans_a, trans_b, m, n, k, a, lda, b, ldb, c, ldc, beta);
}

}  // namespace kernsweep
