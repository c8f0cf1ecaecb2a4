/* The management library to cuda.c beside it: the first GPU is cool and alone, the second hot and shared.
 * With "slice" in $TMPDIR/fake_gpu it knows the first one as a slice only, with "lost" the second one has
 * fallen off its bus, with "all lost" both have; with "another lost" one that nobody asks for has, of which
 * the library may tell whoever looks for a card. */
#include "tests/process/fake_gpu/part.h"

#define EXPORT __attribute__((visibility("default")))
enum { kNotSupported = 3, kNotFound = 6, kTooSmall = 7, kLost = 15 };

static int gpus[2] = {0, 1};

EXPORT int nvmlInit_v2(void) {
  return 0;
}
EXPORT int nvmlShutdown(void) {
  return 0;
}
EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  snprintf(text, size, "580.00");
  return 0;
}
EXPORT int nvmlDeviceGetHandleByUUID(const char* uuid, int** device) {
  if (simulates("another lost")) return kLost;
  const char* kind = simulates("slice") ? "MIG" : "GPU";
  if (strcmp(uuid + 3, "-00010203-0405-0607-0809-0a0b0c0d0e0f") == 0 && strncmp(uuid, kind, 3) == 0) {
    *device = &gpus[0];
    return 0;
  }
  if (strcmp(uuid, "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f") == 0) {
    *device = &gpus[1];
    return 0;
  }
  return kNotFound;
}
EXPORT int nvmlDeviceGetMemoryInfo(int* device, unsigned long long* total_free_used) {
  total_free_used[1] = (unsigned long long)(79 - 40 * *device) << 30;
  return 0;
}
EXPORT int nvmlDeviceGetMaxClockInfo(int* device, int which, unsigned* mhz) {
  (void)device;
  *mhz = which == 1 ? 1980 : 3201;
  return 0;
}
EXPORT int nvmlDeviceGetClockInfo(int* device, int which, unsigned* mhz) {
  *mhz = which == 1 ? 1980 - 900 * (unsigned)*device : 3201;
  return 0;
}
EXPORT int nvmlDeviceGetTemperature(int* device, int sensor, unsigned* degrees) {
  (void)sensor;
  *degrees = 31 + 60 * (unsigned)*device;
  if (simulates("all lost") || (simulates("lost") && *device == 1)) return kLost;
  return 0;
}
EXPORT int nvmlDeviceGetPowerUsage(int* device, unsigned* milliwatts) {
  *milliwatts = 75500 + 600000 * (unsigned)*device;
  return 0;
}
/* In millijoules: 5 J from look to look. */
EXPORT int nvmlDeviceGetTotalEnergyConsumption(int* device, unsigned long long* millijoules) {
  static unsigned long long used;
  *millijoules = used += 5000;
  return simulates("silent") || *device > 1 ? kNotSupported : 0;
}
EXPORT int nvmlDeviceGetEnforcedPowerLimit(int* device, unsigned* milliwatts) {
  (void)device;
  *milliwatts = 700000;
  return 0;
}
EXPORT int nvmlDeviceGetEccMode(int* device, unsigned* now, unsigned* pending) {
  (void)device;
  *now = *pending = 1;
  return 0;
}
EXPORT int nvmlDeviceGetMigMode(int* device, unsigned* now, unsigned* pending) {
  *now = *pending = 0;
  return *device == 0 && !simulates("slice") ? 0 : kNotSupported;
}
/* The older name: what a driver before 535 has. */
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(int* device, unsigned long long* reasons) {
  *reasons = *device == 0 ? 0x1 : 0x40 | 0x4;
  return simulates("silent") ? kNotSupported : 0;
}
struct process {
  unsigned pid;
  unsigned long long bytes;
  unsigned instances[2];
};
/* On the second one: twenty, of which the first is its parent's and the others are not ours to see. */
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(int* device, unsigned* count, struct process* out) {
  if (simulates("silent")) return kNotSupported;
  const unsigned there = *device == 0 ? 0 : 20;
  const unsigned room = *count;
  *count = there;
  if (room < there) return kTooSmall;
  for (unsigned i = 0; i < there; ++i) {
    out[i].pid = i == 0 ? 1 : 4000000000U + i;
    out[i].bytes = i == 0 ? 5ULL << 30 : ~0ULL;
  }
  return 0;
}
