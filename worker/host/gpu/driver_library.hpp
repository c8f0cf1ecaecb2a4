// A library of a driver, opened when it is there: nothing of ours links against one. Stays open.
#pragma once

#include <string>

namespace kernsweep {

class DriverLibrary {
 public:
  explicit DriverLibrary(const char* file);
  bool is_open() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  // Null: this version of the library has none of that name, or it is not open.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address_of(name));
  }

 private:
  void* address_of(const char* name) const;

  void* handle_;
  std::string error_;
};

}  // namespace kernsweep
