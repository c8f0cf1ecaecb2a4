/* CBLAS libraries of all makes, one for each definition below: the plain products of the standard, with the
 * names, the width of integers and the functions of its own that the make has. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#if defined(WIDE) || defined(SCIPY64)
typedef int64_t Int;
#else
typedef int32_t Int;
#endif
#ifdef SCIPY64
#define SPELLED(name) scipy_##name##64_
#else
#define SPELLED(name) name
#endif

int threads = 1; /* of the library, hidden */

#define PRODUCT(name, Real)                                                                                \
  EXPORT void SPELLED(name)(int order, int trans_a, int trans_b, Int m, Int n, Int k, Real alpha,          \
                            const Real* a, Int lda, const Real* b, Int ldb, Real beta, Real* c, Int ldc) { \
    if (order != 101) return;                                                                              \
    for (Int i = 0; i < m; ++i)                                                                            \
      for (Int j = 0; j < n; ++j) {                                                                        \
        Real sum = 0;                                                                                      \
        for (Int p = 0; p < k; ++p)                                                                        \
          sum += (trans_a == 111 ? a[i * lda + p] : a[p * lda + i]) *                                      \
                 (trans_b == 111 ? b[p * ldb + j] : b[j * ldb + p]);                                       \
        c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);                            \
      }                                                                                                    \
  }
PRODUCT(cblas_sgemm, float)
PRODUCT(cblas_dgemm, double)

EXPORT double SPELLED(cblas_dasum)(Int n, const double* x, Int step) {
  double sum = 0;
  for (Int i = 0; i < n; ++i) sum += x[i * step] < 0 ? -x[i * step] : x[i * step];
  return sum;
}

#if defined(SCIPY64) || defined(FLEXIBLAS)
EXPORT const char* SPELLED(openblas_get_config)(void) {
  return "OpenBLAS 0.3.99 USE64BITINT DYNAMIC_ARCH";
}
EXPORT const char* SPELLED(openblas_get_corename)(void) {
  return "Fake";
}
EXPORT void SPELLED(openblas_set_num_threads)(int count) {
  threads = count;
}
EXPORT int SPELLED(openblas_get_num_threads)(void) {
  return threads;
}
#endif
#ifdef FLEXIBLAS
EXPORT void flexiblas_get_version(int* major, int* minor, int* patch) {
  *major = 3, *minor = 4, *patch = 5;
}
EXPORT int flexiblas_current_backend(char* name, size_t size) {
  return strncpy(name, "NETLIB", size) != NULL;
}
EXPORT void flexiblas_set_num_threads(int count) {
  threads = count;
}
EXPORT int flexiblas_get_num_threads(void) {
  return threads;
}
#endif
#ifdef MKL
EXPORT void MKL_Get_Version_String(char* text, int size) {
  strncpy(text, "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 20260915", (size_t)size);
}
EXPORT void MKL_Set_Num_Threads(int count) {
  threads = count;
}
EXPORT int MKL_Get_Max_Threads(void) {
  return threads;
}
#endif
#ifdef NVPL
EXPORT int nvpl_blas_get_version(void) {
  return 10203;
}
EXPORT void nvpl_blas_set_num_threads(int count) {
  threads = count;
}
EXPORT int nvpl_blas_get_max_threads(void) {
  return threads;
}
#endif
#ifdef AOCL
EXPORT const char* bli_info_get_version_str(void) {
  return "AOCL-BLAS 5.0.0 Build 20241014";
}
EXPORT int bli_arch_query_id(void) {
  return 4;
}
EXPORT const char* bli_arch_string(int id) {
  return id == 4 ? "zen5" : "none";
}
EXPORT void bli_thread_set_num_threads(int64_t count) {
  threads = (int)count;
}
EXPORT int64_t bli_thread_get_num_threads(void) {
  return threads;
}
#endif
#ifdef ARMPL
EXPORT void armplversion(int32_t* major, int32_t* minor, int32_t* patch, const char** tag) {
  *major = 24, *minor = 10, *patch = 1, *tag = "fake";
}
#endif
#ifdef ATLAS
EXPORT void ATL_buildinfo(void) {}
#endif
