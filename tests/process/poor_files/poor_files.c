/* A file system that lacks what a database needs, for files whose names contain $POOR_NAME (".db"):
 * loaded by LD_PRELOAD. $POOR_FILES names what fails: "locks", "maps" (shared maps), "writes", "syncs",
 * "removal" or "access"; $POOR_ERRNO is the error, $POOR_AFTER how many calls succeed before. */
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

static int number(const char* name, int otherwise) {
  const char* const given = getenv(name);
  return given ? atoi(given) : otherwise;
}

static int path_lacks(const char* what, const char* path) {
  static int calls;
  const char* const missing = getenv("POOR_FILES");
  const char* const name = getenv("POOR_NAME");
  if (!missing || strcmp(missing, what) != 0 || !strstr(path, name ? name : ".db")) return 0;
  if (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) < number("POOR_AFTER", 0)) return 0;
  errno = number("POOR_ERRNO", strcmp(what, "maps") == 0 ? ENODEV : ENOLCK);
  return 1;
}

static int lacks(const char* what, int file) {
  const char* const missing = getenv("POOR_FILES");
  char link[64], path[4096];
  if (!missing || strcmp(missing, what) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return path_lacks(what, path);
}

#define SHOWN __attribute__((visibility("default")))

static int control(const char* name, int file, int command, void* argument) {
  int (*next)(int, int, ...);
  *(void**)&next = dlsym(RTLD_NEXT, name);
  const int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (locks && lacks("locks", file)) return -1;
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
  if (file >= 0 && (flags & MAP_SHARED) && lacks("maps", file)) return MAP_FAILED;
  return next(at, size, protection, flags, file, from);
}

SHOWN void* mmap64(void* at, size_t size, int protection, int flags, int file, off_t from) {
  return mmap(at, size, protection, flags, file, from);
}

SHOWN ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at) {
  ssize_t (*next)(int, const void*, size_t, off_t);
  *(void**)&next = dlsym(RTLD_NEXT, "pwrite64");
  return lacks("writes", file) ? -1 : next(file, bytes, size, at);
}

SHOWN ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return pwrite64(file, bytes, size, at);
}

SHOWN int fsync(int file) {
  int (*next)(int);
  *(void**)&next = dlsym(RTLD_NEXT, "fsync");
  return lacks("syncs", file) ? -1 : next(file);
}

SHOWN int fdatasync(int file) {
  return fsync(file);
}

SHOWN int unlink(const char* path) {
  int (*next)(const char*);
  *(void**)&next = dlsym(RTLD_NEXT, "unlink");
  return path_lacks("removal", path) ? -1 : next(path);
}

SHOWN int access(const char* path, int how) {
  int (*next)(const char*, int);
  *(void**)&next = dlsym(RTLD_NEXT, "access");
  return (how & W_OK) != 0 && path_lacks("access", path) ? -1 : next(path, how);
}
