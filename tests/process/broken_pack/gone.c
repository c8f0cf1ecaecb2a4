/* A library that a pack is linked with, and that no loader finds. */
__attribute__((visibility("default"))) const void* gone(void) {
  return 0;
}
