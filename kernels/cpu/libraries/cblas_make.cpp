#include "kernels/cpu/libraries/cblas_make.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kernsweep {
namespace {

// Plain names first, because MKL also has those of 64-bit integers. scipy_: the builds of OpenBLAS for
// NumPy and SciPy.
constexpr BlasSpelling kSpellings[] = {
    {"", ""}, {"", "64_"}, {"", "_64"}, {"scipy_", ""}, {"scipy_", "64_"}};

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." -> "OpenBLAS 0.3.21"
std::string first_two_words(std::string_view text) {
  const std::size_t first = text.find(' ');
  return std::string(text.substr(0, first == std::string_view::npos ? first : text.find(' ', first + 1)));
}

std::string with_threads(const std::string& text, int threads) {
  return fmt::format("{} threads={}", text, threads);
}

int number_from(const BlasFile& library, const char* name) {
  const auto get = library.function<int (*)()>(name);
  return get != nullptr ? get() : 0;
}

// Its aliases for functions of other libraries do not identify those libraries.
std::string describe_flexiblas(const BlasFile& library) {
  int major = 0, minor = 0, patch = 0;
  char backend[128] = "unknown";
  if (const auto get = library.function<void (*)(int*, int*, int*)>("flexiblas_get_version"))
    get(&major, &minor, &patch);
  library.function<int (*)(char*, std::size_t)>("flexiblas_current_backend")(backend, sizeof backend);
  return with_threads(fmt::format("FlexiBLAS {}.{}.{} backend={}", major, minor, patch, backend),
                      number_from(library, "flexiblas_get_num_threads"));
}

std::string describe_openblas(const BlasFile& library) {
  const auto config = library.function<const char* (*)()>("openblas_get_config");
  const auto core = library.function<const char* (*)()>("openblas_get_corename");
  return with_threads(
      fmt::format("{} core={}", first_two_words(config()), core != nullptr ? core() : "unknown"),
      number_from(library, "openblas_get_num_threads"));
}

// AMD's AOCL is a BLIS that reports its own name: "AOCL-BLAS 5.0.0 Build 20241014".
std::string describe_blis(const BlasFile& library) {
  const std::string version = library.function<const char* (*)()>("bli_info_get_version_str")();
  const auto arch_id = library.function<int (*)()>("bli_arch_query_id");
  const auto arch_name = library.function<const char* (*)(int)>("bli_arch_string");
  const auto threads = library.function<std::int64_t (*)()>("bli_thread_get_num_threads");
  const bool knows_arch = arch_id != nullptr && arch_name != nullptr;
  // With the number, because BLIS_ARCH_TYPE may be a number, and versions of BLIS number differently.
  return with_threads(
      fmt::format("{} arch={}", version.starts_with("AOCL") ? first_two_words(version) : "BLIS " + version,
                  knows_arch ? fmt::format("{} arch_id={}", arch_name(arch_id()), arch_id()) : "unknown"),
      threads != nullptr ? static_cast<int>(threads()) : 0);
}

// "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build ..." -> "2026.2"
std::string version_of_mkl(const BlasFile& library) {
  char text[256] = "";
  if (const auto get = library.function<void (*)(char*, int)>("MKL_Get_Version_String"))
    get(text, static_cast<int>(sizeof text));
  text[sizeof text - 1] = '\0';
  constexpr std::string_view kBefore = "Version ";
  const std::string_view all = text;
  const auto at = all.find(kBefore);
  if (at == std::string_view::npos) return "unknown";
  return std::string(all.substr(at + kBefore.size(), all.substr(at + kBefore.size()).find_first_of(" -")));
}

// Its kernels are in a separate library for each instruction set, which MKL opens when it first computes:
// libmkl_avx512.so.3 -> "avx512".
std::string kernels_of_mkl() {
  std::string found = "unknown";
  const auto look = [](dl_phdr_info* info, std::size_t, void* out) {
    const std::string_view file = info->dlpi_name;
    const std::string_view name = file.substr(file.rfind('/') + 1);
    for (const char* const set : {"def", "mc", "mc3", "avx", "avx2", "avx512", "avx10"})
      if (name.starts_with(fmt::format("libmkl_{}.", set))) *static_cast<std::string*>(out) = set;
    return 0;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

// Row-major, as all calls of Cblas: alpha 1, beta 0, 1 x 1.
void compute_one(const BlasFile& library) {
  const double one = 1;
  double product = 0;
  const auto call = [&]<class Int>(Int) {
    using Dgemm = void (*)(int, int, int, Int, Int, Int, double, const double*, Int, const double*, Int,
                           double, double*, Int);
    library.function<Dgemm>("cblas_dgemm")(101, 111, 111, 1, 1, 1, 1.0, &one, 1, &one, 1, 0.0, &product, 1);
  };
  if (library.has_wide_integers())
    call(std::int64_t{});
  else
    call(int{});
}

std::string describe_mkl(const BlasFile& library) {
  compute_one(library);
  return with_threads(fmt::format("MKL {} core={}", version_of_mkl(library), kernels_of_mkl()),
                      number_from(library, "MKL_Get_Max_Threads"));
}

std::string describe_nvpl(const BlasFile& library) {
  const int version = number_from(library, "nvpl_blas_get_version");
  return with_threads(fmt::format("NVPL {}.{}.{}", version / 10000, version / 100 % 100, version % 100),
                      number_from(library, "nvpl_blas_get_max_threads"));
}

// Its integers may have either width; these variables are large enough for both on a little-endian
// processor.
std::string describe_armpl(const BlasFile& library) {
  std::int64_t major = 0, minor = 0, patch = 0;
  const char* tag = nullptr;
  library.function<void (*)(std::int64_t*, std::int64_t*, std::int64_t*, const char**)>("armplversion")(
      &major, &minor, &patch, &tag);
  return fmt::format("ArmPL {}.{}.{}", major, minor, patch);
}

// The number of threads was fixed when it was built, and only the name of its file has its version.
std::string describe_atlas(const BlasFile&) {
  return "ATLAS";
}

void set_by_int(const BlasFile& library, const char* name, int threads) {
  if (const auto set = library.function<void (*)(int)>(name)) set(threads);
}

// A make: the function that identifies it, the one that sets its threads (null: none), and the one that
// describes it.
struct Make {
  const char* known_by;
  const char* sets_threads;
  std::string (*describe)(const BlasFile& library);
};
constexpr Make kMakes[] = {
    {"flexiblas_current_backend", "flexiblas_set_num_threads", &describe_flexiblas},
    {"openblas_get_config", "openblas_set_num_threads", &describe_openblas},
    {"bli_info_get_version_str", "bli_thread_set_num_threads", &describe_blis},
    {"MKL_Set_Num_Threads", "MKL_Set_Num_Threads", &describe_mkl},
    {"nvpl_blas_get_version", "nvpl_blas_set_num_threads", &describe_nvpl},
    {"armplversion", nullptr, &describe_armpl},
    {"ATL_buildinfo", nullptr, &describe_atlas},
};

const Make* make_of(const BlasFile& library) {
  for (const Make& make : kMakes)
    if (library.function<void*>(make.known_by) != nullptr) return &make;
  return nullptr;
}

}  // namespace

BlasFile::BlasFile(void* handle) : handle_(handle) {
  for (const BlasSpelling& spelling : kSpellings) {
    spelling_ = spelling;
    is_found_ = true;
    for (const char* const name : {"cblas_sgemm", "cblas_dgemm"}) {
      const std::string spelled = std::string(spelling.before) + name + spelling.behind;
      is_found_ = is_found_ && dlsym(handle_, spelled.c_str()) != nullptr;
    }
    if (is_found_) return;
  }
}

void* BlasFile::address_of(const char* name) const {
  const std::string spelled = std::string(spelling_.before) + name + spelling_.behind;
  void* const found = dlsym(handle_, spelled.c_str());
  return found != nullptr ? found : dlsym(handle_, name);
}

bool BlasFile::has_wide_integers() const {
  const auto sum = function<double (*)(std::int64_t, const double*, std::int64_t)>("cblas_dasum");
  constexpr std::int64_t kOneOrNone = -(std::int64_t{1} << 32) + 1;
  const double one = 1;
  return sum != nullptr && sum(kOneOrNone, &one, 1) == 0;
}

bool BlasFile::is_openblas() const {
  const Make* const make = make_of(*this);
  return make != nullptr && make->describe == &describe_openblas;
}

bool BlasFile::is_openblas_with_threads() const {
  return is_openblas() && number_from(*this, "openblas_get_parallel") != 0;
}

// OpenBLAS ignores a number above its compiled limit, so `described` reads the number back.
void BlasFile::set_threads(int threads) const {
  const Make* const make = make_of(*this);
  if (make == nullptr || make->sets_threads == nullptr) return;
  if (make->describe != &describe_blis) return set_by_int(*this, make->sets_threads, threads);
  if (const auto set = function<void (*)(std::int64_t)>(make->sets_threads)) set(threads);
}

std::string BlasFile::described() const {
  const Make* const make = make_of(*this);
  return make != nullptr ? make->describe(*this) : "CBLAS of unknown make";
}

}  // namespace kernsweep
