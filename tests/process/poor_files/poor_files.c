/* A file system that lacks what a database needs, for files whose names contain ".db": loaded by LD_PRELOAD.
 * $POOR_FILES names what is missing: "locks", or "maps" (shared maps). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int lacks(const char* what, int file) {
  const char* const missing = getenv("POOR_FILES");
  char link[64], path[4096];
  if (!missing || strcmp(missing, what) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return strstr(path, ".db") != NULL;
}

#define SHOWN __attribute__((visibility("default")))

static int control(const char* name, int file, int command, void* argument) {
  int (*next)(int, int, ...);
  *(void**)&next = dlsym(RTLD_NEXT, name);
  const int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (locks && lacks("locks", file)) {
    errno = ENOLCK;
    return -1;
  }
  return next(file, command, argument);
}

SHOWN int fcntl(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return control("fcntl", file, command, argument);
}

SHOWN int fcntl64(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return control("fcntl64", file, command, argument);
}

SHOWN void* mmap(void* at, size_t size, int protection, int flags, int file, off_t from) {
  void* (*next)(void*, size_t, int, int, int, off_t);
  *(void**)&next = dlsym(RTLD_NEXT, "mmap");
  if (file >= 0 && (flags & MAP_SHARED) && lacks("maps", file)) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  return next(at, size, protection, flags, file, from);
}

SHOWN void* mmap64(void* at, size_t size, int protection, int flags, int file, off_t from) {
  return mmap(at, size, protection, flags, file, from);
}
