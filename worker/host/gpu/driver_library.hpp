// A library of a GPU driver, opened at run time because it may be missing. It is never closed.
#pragma once

#include <string>

namespace kernsweep {

class DriverLibrary {
 public:
  explicit DriverLibrary(const char* file);
  // Of a library that something else in this process has loaded; not open if nothing has.
  static DriverLibrary loaded(const char* file);
  bool is_open() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  // Null if this version of the library has no such function, or the library is not open.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address_of(name));
  }

 private:
  DriverLibrary(const char* file, int flags);
  void* address_of(const char* name) const;

  void* handle_;
  std::string error_;
};

}  // namespace kernsweep
