// A library of a GPU driver, opened at run time because it may be missing. It is never closed.
#pragma once

#include <string>

namespace kernsweep {

class DriverLibrary {
 public:
  explicit DriverLibrary(const char* file);
  // A library that another part of this process has loaded; not open if none has. The loader is asked again
  // only after this process has loaded another object, because each search reads the whole library path.
  static DriverLibrary loaded(const char* file);
  bool is_open() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  // Null if this version of the library has no such function, or the library is not open.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address_of(name));
  }

 private:
  DriverLibrary() = default;
  DriverLibrary(const char* file, int flags);
  void* address_of(const char* name) const;

  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace kernsweep
