#include "kernels/cpu/libraries/cblas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/cpu/libraries/library_file.hpp"
#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {
namespace {

// From the CBLAS standard (Basic Linear Algebra Subprograms Technical Forum, 2001, appendix B).
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

using Sgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                       const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
using Dgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                       const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

int transpose(bool trans) {
  return trans ? kTranspose : kNoTranspose;
}

// BLAS forbids a leading dimension below the row length and below 1, even for empty matrices.
int at_least_one(int leading) {
  return leading < 1 ? 1 : leading;
}

// Builds with 64-bit integers export the same names; they would misread 32-bit integers.
bool has_wide_integers(void* library) {
  if (const auto config = symbol<const char* (*)()>(library, "openblas_get_config"))
    return std::string_view(config()).find("USE64BITINT") != std::string_view::npos;
  if (const auto bits = symbol<std::int64_t (*)()>(library, "bli_info_get_blas_int_type_size"))
    return static_cast<std::int32_t>(bits()) == 64;
  return false;
}

// OpenBLAS ignores a number above its compiled limit, so `describe` reads the number back.
void set_threads(void* library, int threads) {
  if (const auto set = symbol<void (*)(int)>(library, "openblas_set_num_threads")) return set(threads);
  if (const auto set = symbol<void (*)(std::int64_t)>(library, "bli_thread_set_num_threads"))
    return set(threads);
  if (const auto set = symbol<void (*)(int)>(library, "MKL_Set_Num_Threads")) return set(threads);
}

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." -> "OpenBLAS 0.3.21"
std::string first_two_words(std::string_view text) {
  const std::size_t first = text.find(' ');
  return std::string(text.substr(0, first == std::string_view::npos ? first : text.find(' ', first + 1)));
}

std::string describe_openblas(void* library) {
  const auto config = symbol<const char* (*)()>(library, "openblas_get_config");
  const auto core = symbol<const char* (*)()>(library, "openblas_get_corename");
  const auto threads = symbol<int (*)()>(library, "openblas_get_num_threads");
  return fmt::format("{} core={} threads={}", first_two_words(config()),
                     core != nullptr ? core() : "unknown", threads != nullptr ? threads() : 0);
}

// OpenBLAS allocates a buffer of this size (BUFFER_SIZE, 32 << 22 on x86-64, arm64 and POWER) for each
// thread when the thread first needs one, and a stack for each thread that it starts. If the allocation of
// a buffer fails, it tries again without end (blas_memory_alloc, driver/others/memory.c).
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
      "OpenBLAS takes {} MiB for each of its threads, here {}, and may wait without end for "
      "what this process may not have; give the worker more memory (--memory), or take "
      "another library",
      kOpenblasBuffer >> 20, count);
}

// Makes OpenBLAS allocate its buffers now, with a product that is large enough for its blocked algorithm.
void take_openblas_buffers(Sgemm sgemm) {
  constexpr int kSize = 256;
  const std::vector<float> zeros(std::size_t{kSize} * kSize);
  std::vector<float> product(zeros.size());
  sgemm(kRowMajor, kNoTranspose, kNoTranspose, kSize, kSize, kSize, 1.0F, zeros.data(), kSize, zeros.data(),
        kSize, 0.0F, product.data(), kSize);
}

std::string describe_blis(void* library) {
  const auto version = symbol<const char* (*)()>(library, "bli_info_get_version_str");
  const auto arch_id = symbol<int (*)()>(library, "bli_arch_query_id");
  const auto arch_name = symbol<const char* (*)(int)>(library, "bli_arch_string");
  const auto threads = symbol<std::int64_t (*)()>(library, "bli_thread_get_num_threads");
  const bool knows_arch = arch_id != nullptr && arch_name != nullptr;
  // With the number, because BLIS_ARCH_TYPE may be a number, and versions of BLIS number differently.
  return fmt::format("BLIS {} arch={} threads={}", version(),
                     knows_arch ? fmt::format("{} arch_id={}", arch_name(arch_id()), arch_id()) : "unknown",
                     threads != nullptr ? static_cast<int>(threads()) : 0);
}

std::string describe_mkl(void* library) {
  char version[256] = "MKL";
  if (const auto get = symbol<void (*)(char*, int)>(library, "MKL_Get_Version_String"))
    get(version, static_cast<int>(sizeof version));
  version[sizeof version - 1] = '\0';
  const auto threads = symbol<int (*)()>(library, "MKL_Get_Max_Threads");
  return fmt::format("{} threads={}", version, threads != nullptr ? threads() : 0);
}

std::string describe(void* library) {
  if (dlsym(library, "openblas_get_config") != nullptr) return describe_openblas(library);
  if (dlsym(library, "bli_info_get_version_str") != nullptr) return describe_blis(library);
  if (dlsym(library, "MKL_Set_Num_Threads") != nullptr) return describe_mkl(library);
  return "CBLAS of unknown make";
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
  auto opened = std::make_shared<Cblas>();
  opened->sgemm_ = symbol<Gemm>(library, "cblas_sgemm");
  opened->dgemm_ = symbol<Gemm>(library, "cblas_dgemm");
  if (opened->sgemm_ == nullptr || opened->dgemm_ == nullptr)
    return refuse_open(KS_FAILED,
                       fmt::format("{} has no cblas_sgemm or no cblas_dgemm; name a CBLAS library in "
                                   "blas.library",
                                   file_name));
  if (has_wide_integers(library))
    return refuse_open(KS_UNSUPPORTED,
                       fmt::format("{} is built with 64-bit integers; name the 32-bit build (LP64) "
                                   "in blas.library",
                                   file_name));
  set_threads(library, threads);
  if (limited && dlsym(library, "openblas_get_config") != nullptr) {
    if (const std::string lack = openblas_lacks_memory(1); !lack.empty())
      return refuse_open(KS_OUT_OF_MEMORY, lack);
    take_openblas_buffers(reinterpret_cast<Sgemm>(opened->sgemm_));
    has_buffers = true;
  }
  opened->runtime_ =
      fmt::format("{} file={}", describe(library), file_of(reinterpret_cast<void*>(opened->sgemm_)));
  status = KS_OK;
  return opened;
}

void Cblas::sgemm(bool trans_a, bool trans_b, int m, int n, int k, const float* a, int lda, const float* b,
                  int ldb, float* c, int ldc) const {
  reinterpret_cast<Sgemm>(sgemm_)(kRowMajor, transpose(trans_a), transpose(trans_b), m, n, k, 1.0F, a,
                                  at_least_one(lda), b, at_least_one(ldb), 0.0F, c, at_least_one(ldc));
}

void Cblas::dgemm(bool trans_a, bool trans_b, int m, int n, int k, const double* a, int lda,
                  const double* b, int ldb, double* c, int ldc) const {
  reinterpret_cast<Dgemm>(dgemm_)(kRowMajor, transpose(trans_a), transpose(trans_b), m, n, k, 1.0, a,
                                  at_least_one(lda), b, at_least_one(ldb), 0.0, c, at_least_one(ldc));
}

}  // namespace kernsweep
