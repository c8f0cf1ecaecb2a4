// The make of an open CBLAS library, the spelling of its functions, and its description of itself.
//
// Internal to Cblas. Each make has functions of its own for its version, the kernels that it has chosen and
// its number of threads; CBLAS itself has none for any of these.
#pragma once

#include <string>

namespace kernsweep {

// How a library spells the names of CBLAS and its own: `scipy_cblas_sgemm64_`.
struct BlasSpelling {
  const char* before = "";
  const char* behind = "";
};

class BlasFile {
 public:
  // `handle`: from dlopen, open as long as this process. `is_found()`: it has cblas_sgemm and cblas_dgemm
  // in a known spelling.
  explicit BlasFile(void* handle);
  bool is_found() const { return is_found_; }

  // Null if the library has no such function, neither in its spelling nor unchanged.
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(address_of(name));
  }
  // Whether its integers have 64 bits (ILP64). Many builds with both widths export the same names, so one
  // function is called with -2^32 + 1 elements, which is no element in one width and one element in the
  // other.
  bool has_wide_integers() const;
  bool is_openblas() const;
  // An OpenBLAS with threads of its own: several threads may call it at a time.
  bool is_openblas_with_threads() const;
  void set_threads(int threads) const;  // by the library's own function, if it has one
  // "OpenBLAS 0.3.21 core=SkylakeX threads=1". Computes a small product if the library chooses its kernels
  // then.
  std::string described() const;

 private:
  void* address_of(const char* name) const;

  void* handle_;
  BlasSpelling spelling_;
  bool is_found_ = false;
};

}  // namespace kernsweep
