/* A CUDA driver of two GPUs. Its part: none (no device), broken (cuInit fails), dies (abort), slice (the
 * first one is a slice of a card), silent (NVML tells little). */
#include "tests/process/fake_gpu/part.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuInit(unsigned flags) {
  if (simulates("dies")) abort();
  if (simulates("none")) return 100;
  return simulates("broken") ? 803 : (int)flags;
}
EXPORT int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
EXPORT int cuGetErrorName(int status, const char** text) {
  *text = status == 803   ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
          : status == 100 ? "CUDA_ERROR_NO_DEVICE"
                          : "CUDA_ERROR_UNKNOWN";
  return 0;
}
/* CUDA_VISIBLE_DEVICES=1: the second one alone, as the real driver would. */
static int hidden(void) {
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  return visible && strcmp(visible, "1") == 0;
}
EXPORT int cuDeviceGetCount(int* count) {
  *count = hidden() ? 1 : 2;
  return 0;
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal + hidden();
  return 0;
}
EXPORT int cuDeviceGetName(char* name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "NVIDIA Fake 9000");
  return 0;
}
EXPORT int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  for (int i = 0; i < 16; ++i) uuid[i] = (unsigned char)(16 * device + i);
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = (size_t)(80 - 40 * device) << 30;
  return 0;
}
EXPORT int cuDeviceGetPCIBusId(char* id, int size, int device) {
  snprintf(id, (size_t)size, "0000:%02d:00.0", device + 1);
  return 0;
}
EXPORT int cuDeviceGetAttribute(int* value, int which, int device) {
  (void)device;
  switch (which) {
    case 16:
      *value = 132;
      return 0;
    case 38:
      *value = 50 << 20;
      return 0;
    case 75:
      *value = 9;
      return 0;
    case 76:
      *value = 0;
      return 0;
    default:
      return 1;
  }
}
