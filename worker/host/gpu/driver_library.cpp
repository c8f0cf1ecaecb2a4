#include "worker/host/gpu/driver_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <map>
#include <mutex>

namespace kernsweep {
namespace {

// How many objects this process has ever loaded. No system call.
unsigned long long objects_loaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = object->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

}  // namespace

DriverLibrary::DriverLibrary(const char* file) : DriverLibrary(file, RTLD_NOW | RTLD_LOCAL) {}

DriverLibrary DriverLibrary::loaded(const char* file) {
  static std::mutex mutex;
  static std::map<std::string, unsigned long long> missing;  // file: objects that were loaded without it
  const std::lock_guard lock(mutex);
  const auto known = missing.find(file);
  const unsigned long long now = objects_loaded();
  if (known != missing.end() && known->second == now) return {};
  DriverLibrary found(file, RTLD_NOW | RTLD_NOLOAD);
  if (!found.is_open()) missing[file] = now;
  return found;
}

DriverLibrary::DriverLibrary(const char* file, int flags) : handle_(dlopen(file, flags)) {
  if (handle_) return;
  const char* const reason = dlerror();
  error_ = reason ? reason : std::string(file) + " cannot be opened";
}

void* DriverLibrary::address_of(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

}  // namespace kernsweep
