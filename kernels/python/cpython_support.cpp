#include "kernels/python/cpython_support.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdarg>
#include <set>
#include <string_view>
#include <vector>

namespace kernsweep::python {

extern const char* const kSupport;

namespace {

// The dictionary in which support.py was run; empty, with an exception, if it failed.
PyObject* names() {
  static Ref* const one = [] {  // never freed, like the interpreter
    auto* const made = new Ref;
    Ref all(PyDict_New());
    const Ref name(PyUnicode_FromString("kernsweep.support"));
    if (!all || !name || PyDict_SetItemString(all.get(), "__name__", name.get()) != 0 ||
        PyDict_SetItemString(all.get(), "__builtins__", PyEval_GetBuiltins()) != 0)
      return made;
    const Ref code(Py_CompileString(kSupport, kSupportFile, Py_file_input));
    const Ref run(code ? PyEval_EvalCode(code.get(), all.get(), all.get()) : nullptr);
    if (run) *made = std::move(all);
    return made;
  }();
  return one->get();
}

// Names of functions without parameters that return a number of threads, each with a part of the names of
// the libraries that have it.
struct Asked {
  std::string_view library;
  const char* function;
};
constexpr Asked kAsked[] = {{"openblas", "openblas_get_num_threads"},
                            {"openblas", "openblas_get_num_threads64_"},
                            {"openblas", "scipy_openblas_get_num_threads"},
                            {"openblas", "scipy_openblas_get_num_threads64_"},
                            {"libmkl_rt", "MKL_Get_Max_Threads"},
                            {"libblis", "bli_thread_get_num_threads"},
                            {"libgomp", "omp_get_max_threads"},
                            {"libiomp", "omp_get_max_threads"},
                            {"libomp", "omp_get_max_threads"}};

std::string threads_text(int count) {
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

std::vector<std::string> loaded_paths() {
  std::vector<std::string> out;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* all) {
        if (info->dlpi_name && *info->dlpi_name)
          static_cast<std::vector<std::string>*>(all)->emplace_back(info->dlpi_name);
        return 0;
      },
      &out);
  return out;
}

}  // namespace

Ref support(const char* function, const char* format, ...) {
  PyObject* const all = names();
  PyObject* const found = all ? PyDict_GetItemString(all, function) : nullptr;  // borrowed
  if (!found) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_RuntimeError, "the pack's own functions could not be made");
    return Ref();
  }
  va_list values;
  va_start(values, format);
  const Ref arguments(Py_VaBuildValue(format, values));
  va_end(values);
  return Ref(arguments ? PyObject_Call(found, arguments.get(), nullptr) : nullptr);
}

std::string threads_of_libraries() {
  std::set<std::string> lines;
  for (const std::string& path : loaded_paths()) {
    const std::string name = path.substr(path.rfind('/') + 1);
    for (const Asked& asked : kAsked) {
      if (name.find(asked.library) == std::string::npos) continue;
      void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
      auto* const threads = library ? reinterpret_cast<int (*)()>(dlsym(library, asked.function)) : nullptr;
      if (threads) lines.insert(name + ": " + threads_text(threads()));
      if (library) dlclose(library);
    }
  }
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "; ") + line;
  return out;
}

}  // namespace kernsweep::python
