// A shared object that a sweep's build has made of a source file of the user (call.c, call.cpp).
#pragma once

#include <memory>
#include <string>

namespace kernsweep::source {

// Loaded as long as the object lives, so that variables of the source have their first values in each job.
class Built {
 public:
  using Call = void (*)(void* const* arrays, const double* numbers, void* result);

  // Throws pack::Refused: the file cannot be loaded, for example because a library is missing.
  static Built open(const char* path);

  Call call() const { return call_; }  // null before open
  std::string compiler() const;        // version as the compiler names it
  bool returns_integer() const;        // what the function returns, if that is the output

  // Requests `threads` threads of OpenMP, if the file uses it.
  void use_threads(int threads) const;

 private:
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
  Call call_ = nullptr;
};

}  // namespace kernsweep::source
