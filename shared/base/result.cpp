#include "shared/base/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace kernsweep {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "kernsweep: bug: %s does not hold at %s:%d; please report this line\n", condition,
               file, line);
  std::abort();
}

}  // namespace kernsweep
