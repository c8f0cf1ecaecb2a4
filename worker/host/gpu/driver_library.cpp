#include "worker/host/gpu/driver_library.hpp"

#include <dlfcn.h>

namespace kernsweep {

DriverLibrary::DriverLibrary(const char* file) : DriverLibrary(file, RTLD_NOW | RTLD_LOCAL) {}

DriverLibrary DriverLibrary::loaded(const char* file) {
  return {file, RTLD_NOW | RTLD_NOLOAD};
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
