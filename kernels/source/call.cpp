// Calls a function of a source file of the user, written in C++: as call.c does. The types of arrays are
// checked.
#include KERNSWEEP_SOURCE

#include <cstddef>
#include <type_traits>

namespace kernsweep_source {

// The elements of an operand. Converts to a pointer to elements of this size and kind, or to rows, vectors
// and structs of such elements.
template <std::size_t bytes, bool real>
struct Array {
  void* data;

  template <class Type>
  operator Type*() const {
    using Element = typename std::remove_cv<typename std::remove_all_extents<Type>::type>::type;
    check<Element>(std::is_void<Element>());
    return static_cast<Type*>(data);
  }

 private:
  template <class Element>
  static void check(std::true_type) {}
  template <class Element>
  static void check(std::false_type) {
    constexpr bool is_number = std::is_arithmetic<Element>::value;
    static_assert(bytes == 0 || (is_number ? sizeof(Element) == bytes : sizeof(Element) % bytes == 0),
                  "the data type of an operand is not the one that the function takes");
    static_assert(bytes < 4 || !is_number || std::is_floating_point<Element>::value == real,
                  "the data type of an operand is not the one that the function takes");
  }
};

using f64 = Array<8, true>;
using f32 = Array<4, true>;
using bf16 = Array<2, true>;
using f16 = Array<2, true>;
using s8 = Array<1, false>;
using u8 = Array<1, false>;
using s32 = Array<4, false>;
using s64 = Array<8, false>;
using f8e4m3 = Array<1, true>;
using f8e5m2 = Array<1, true>;
using any = Array<0, false>;

}  // namespace kernsweep_source

#define KERNSWEEP_ARRAY(at, dtype) (kernsweep_source::dtype{kernsweep_arrays[at]})
#define KERNSWEEP_NUMBER(at) (kernsweep_numbers[at])
#define KERNSWEEP_SHOWN extern "C" __attribute__((visibility("default")))

KERNSWEEP_SHOWN const char* kernsweep_source_compiler() {
  return __VERSION__;
}

// What the function returns, as in call.c: 0 nothing, 1 an integer, 8 a real number.
KERNSWEEP_SHOWN int kernsweep_source_kind(void* const* kernsweep_arrays, const double* kernsweep_numbers) {
  (void)kernsweep_arrays, (void)kernsweep_numbers;
#ifdef KERNSWEEP_RETURNS
  return std::is_floating_point<decltype(KERNSWEEP_CALL)>::value ? 8 : 1;
#else
  return 0;
#endif
}

KERNSWEEP_SHOWN void kernsweep_source_call(void* const* kernsweep_arrays, const double* kernsweep_numbers,
                                           void* kernsweep_result) {
  (void)kernsweep_arrays, (void)kernsweep_numbers, (void)kernsweep_result;
#ifdef KERNSWEEP_RETURNS
  using Result = decltype(KERNSWEEP_CALL);
  static_assert(!std::is_void<Result>::value,
                "the function returns nothing: give an operand the role `output` or `in_place`");
  static_assert(std::is_void<Result>::value || std::is_arithmetic<Result>::value,
                "the function returns no number: give an operand the role `output` or `in_place`");
  using Stored = typename std::conditional<std::is_floating_point<Result>::value, double, long long>::type;
  *static_cast<Stored*>(kernsweep_result) = static_cast<Stored>(KERNSWEEP_CALL);
#else
  KERNSWEEP_CALL;
#endif
}
