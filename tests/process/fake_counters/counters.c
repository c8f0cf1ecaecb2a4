/* A processor that counts, for machines that show no counters: loaded into a slot by LD_PRELOAD. It has all
 * events but the misses of the last level, and each thread is said to have had the same number of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t count_of(const struct perf_event_attr* wanted) {
  if (wanted->type != PERF_TYPE_HARDWARE) return 1000000;
  if (wanted->config == PERF_COUNT_HW_CPU_CYCLES) return 2000000000;
  return wanted->config == PERF_COUNT_HW_INSTRUCTIONS ? 5000000000 : 0;
}

/* What is read from the descriptor: the count and how long it was wanted, of which it counted three
 * quarters. */
static long open_counter(const struct perf_event_attr* wanted) {
  const uint64_t reading[3] = {count_of(wanted) * 3 / 4, 4000, 3000};
  const int file = memfd_create("counter", MFD_CLOEXEC);
  return file >= 0 && pwrite(file, reading, sizeof reading, 0) == sizeof reading ? file : -1;
}

__attribute__((visibility("default"))) long syscall(long number, ...) {
  static long (*next)(long, ...);
  long words[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) words[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_perf_event_open) {
    const struct perf_event_attr* const wanted = (const struct perf_event_attr*)words[0];
    if (wanted->type != PERF_TYPE_HW_CACHE || (wanted->config & 0xff) != PERF_COUNT_HW_CACHE_LL)
      return open_counter(wanted);
    errno = ENOENT;
    return -1;
  }
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "syscall");
  return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
