/* A pack of the interface version that its build says. */
#include "kernels/api/pack.h"

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  static const ks_pack pack = {PACK_MAJOR, PACK_MINOR, "versioned", "1", "test", nullptr, 0};
  (void)host_major;
  (void)host_minor;
  return &pack;
}
