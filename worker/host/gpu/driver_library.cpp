#include "worker/host/gpu/driver_library.hpp"

#include <dlfcn.h>

namespace kernsweep {

DriverLibrary::DriverLibrary(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_) return;
  const char* const reason = dlerror();
  error_ = reason ? reason : std::string(file) + " cannot be opened";
}

void* DriverLibrary::address_of(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

}  // namespace kernsweep
