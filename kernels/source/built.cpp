#include "kernels/source/built.hpp"

#include <dlfcn.h>
#include <link.h>

#include "kernels/api/pack_params.hpp"

namespace kernsweep::source {
namespace {

// Threads of a library such as OpenMP's remain after a call, so the libraries remain, too.
void keep_other_libraries(void* except) {
  const link_map* own = nullptr;
  if (dlinfo(except, RTLD_DI_LINKMAP, &own) != 0 || own == nullptr) return;
  for (const link_map* each = own->l_next; each != nullptr; each = each->l_next)
    (void)dlopen(each->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

template <class Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

void Built::Close::operator()(void* library) const {
  dlclose(library);
}

Built Built::open(const char* path) {
  Built out;
  out.library_.reset(dlopen(path, RTLD_NOW | RTLD_LOCAL));
  if (out.library_) out.call_ = function_of<Call>(out.library_.get(), "kernsweep_source_call");
  if (out.call_ == nullptr) {
    const char* const reason = dlerror();
    throw pack::Refused(KS_FAILED, std::string("the built file cannot be loaded: ") +
                                       (reason != nullptr ? reason : path) +
                                       "; add the library that has it to `compile`, as -lm");
  }
  keep_other_libraries(out.library_.get());
  return out;
}

std::string Built::compiler() const {
  const auto named = function_of<const char* (*)()>(library_.get(), "kernsweep_source_compiler");
  return named != nullptr ? named() : "";
}

bool Built::returns_integer() const {
  constexpr int kInteger = 1;  // call.c
  const auto kind =
      function_of<int (*)(void* const*, const double*)>(library_.get(), "kernsweep_source_kind");
  return kind != nullptr && kind(nullptr, nullptr) == kInteger;
}

void Built::use_threads(int threads) const {
  if (const auto set = function_of<void (*)(int)>(library_.get(), "omp_set_num_threads")) set(threads);
}

}  // namespace kernsweep::source
