/* A CBLAS that dies as soon as it is opened. */
#include <stdlib.h>

__attribute__((constructor)) static void die(void) {
  abort();
}
