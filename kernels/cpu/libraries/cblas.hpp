// Any CBLAS library, opened by file name while a slot runs.
//
// Nothing links against a BLAS: a slot opens only the library that its job names (RTLD_LOCAL, never
// closed), so that two libraries never share a process, and every CBLAS library of a host can be a value of
// an axis. The number of threads is set by the library's own function, if it has one (cblas_make.cpp), in
// addition to the environment of the slot, and is read back for `runtime()`. Builds with 64-bit integers
// (ILP64) are called with those.
#pragma once

#include <memory>
#include <string>

#include "kernels/api/pack.h"

namespace kernsweep {

class Cblas {
 public:
  // `file_name` as for dlopen ("libopenblas.so.0", "/opt/x/libmkl_rt.so"). On failure: null, and `status`
  // with the reason in `why` (the loader's message, and which file to install or name).
  static std::shared_ptr<const Cblas> open(const char* file_name, int threads, ks_status& status,
                                           ks_why why);

  // C[m,n] = op(A) op(B) + beta C, row-major. lda/ldb/ldc in elements.
  void sgemm(bool trans_a, bool trans_b, int m, int n, int k, const float* a, int lda, const float* b,
             int ldb, float* c, int ldc, float beta = 0) const;
  void dgemm(bool trans_a, bool trans_b, int m, int n, int k, const double* a, int lda, const double* b,
             int ldb, double* c, int ldc, double beta = 0) const;

  // Whether several threads may call it at the same time, and each computes its product alone if the
  // library was opened for one thread.
  bool takes_several_calls() const { return takes_several_calls_; }

  // The library's description of itself: "OpenBLAS 0.3.21 core=SkylakeX threads=1
  // file=/usr/lib/.../libopenblas-r0.3.21.so" (links resolved).
  const std::string& runtime() const { return runtime_; }

 private:
  using AnyGemm = void (*)();
  template <class Real>
  void multiply(AnyGemm gemm, bool trans_a, bool trans_b, int m, int n, int k, const Real* a, int lda,
                const Real* b, int ldb, Real* c, int ldc, Real beta) const;

  AnyGemm sgemm_ = nullptr;
  AnyGemm dgemm_ = nullptr;
  bool is_wide_ = false;
  bool takes_several_calls_ = false;
  std::string runtime_;
};

}  // namespace kernsweep
