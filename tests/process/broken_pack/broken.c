/* Packs that cannot be used, one for each fault that CMakeLists.txt defines. */
#include "kernels/api/pack.h"

const ks_pack* nowhere(void);
const ks_pack* gone(void);

const ks_pack* kernsweep_pack(uint32_t major, uint32_t minor) {
  (void)major;
  (void)minor;
#if defined(CRASHES)
  __builtin_trap();
#elif defined(UNDEFINED)
  return nowhere();
#elif defined(MISSING_LIBRARY)
  return gone();
#else /* OTHER_VERSION */
  static const ks_pack kPack = {.api_major = KS_API_MAJOR + 1, .name = "broken"};
  return &kPack;
#endif
}
