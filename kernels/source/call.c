/* Calls a function of a source file of the user, written in C. A sweep with `source` compiles this file
 * into a shared object, by the user's own command with these definitions added:
 *   KERNSWEEP_SOURCE   "matmul.c", which this file includes
 *   KERNSWEEP_CALL     matmul(KERNSWEEP_NUMBER(0), KERNSWEEP_ARRAY(0, f32))
 *   KERNSWEEP_RETURNS  the result of the function is the output */
#include KERNSWEEP_SOURCE

#pragma GCC diagnostic error "-Wint-conversion"
#pragma GCC diagnostic error "-Wimplicit-function-declaration"

#define KERNSWEEP_ARRAY(at, dtype) (kernsweep_arrays[at])
#define KERNSWEEP_NUMBER(at) (kernsweep_numbers[at])
#define KERNSWEEP_SHOWN __attribute__((visibility("default")))

KERNSWEEP_SHOWN const char* kernsweep_source_compiler(void) {
  return __VERSION__;
}

/* What the function returns, as gcc and clang number kinds of types: 0 nothing, 1 an integer, 8 a real
 * number. */
KERNSWEEP_SHOWN int kernsweep_source_kind(void* const* kernsweep_arrays, const double* kernsweep_numbers) {
  (void)kernsweep_arrays, (void)kernsweep_numbers;
#ifdef KERNSWEEP_RETURNS
  return __builtin_classify_type(KERNSWEEP_CALL);
#else
  return 0;
#endif
}

KERNSWEEP_SHOWN void kernsweep_source_call(void* const* kernsweep_arrays, const double* kernsweep_numbers,
                                           void* kernsweep_result) {
  (void)kernsweep_arrays, (void)kernsweep_numbers, (void)kernsweep_result;
#ifdef KERNSWEEP_RETURNS
  _Static_assert(!__builtin_types_compatible_p(__typeof__(KERNSWEEP_CALL), void),
                 "the function returns nothing: give an operand the role `output` or `in_place`");
  _Static_assert(
      __builtin_classify_type(KERNSWEEP_CALL) == 1 || __builtin_classify_type(KERNSWEEP_CALL) == 8,
      "the function returns no number: give an operand the role `output` or `in_place`");
  if (__builtin_classify_type(KERNSWEEP_CALL) == 1) {
    *(long long*)kernsweep_result = (long long)KERNSWEEP_CALL;
  } else {
    *(double*)kernsweep_result = (double)KERNSWEEP_CALL;
  }
#else
  KERNSWEEP_CALL;
#endif
}
