/* A CBLAS that believes every processor to be ancient unless it is told otherwise, as OpenBLAS does with one
 * that is newer than itself; and that prints while it is opened. */
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT const char* openblas_get_config(void) {
  return "OpenBLAS 0.0.1 DYNAMIC_ARCH";
}

EXPORT const char* openblas_get_corename(void) {
  const char* told = getenv("OPENBLAS_CORETYPE");
  return told ? told : "Prescott";
}

EXPORT void cblas_sgemm(void) {}
EXPORT void cblas_dgemm(void) {}

__attribute__((constructor)) static void greet(void) {
  puts("runtime of a library that talks");
  fflush(stdout);
}
