#include "kernels/python/cpython.hpp"

#include "kernels/python/cpython_interpreter.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace kernsweep::python {
namespace {

// Packs, and with them the interpreter's library, are opened in local scope; but extension modules are not
// linked with that library and need its symbols in the global scope.
void show_library_to_modules() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<void*>(&Py_IsInitialized), &about) != 0 && about.dli_fname != nullptr)
    dlopen(about.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

std::string initialize() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.parse_argv = 0;
  config.write_bytecode = 0;
  // Without a program name, the first python3 of PATH would determine the module folders, maybe of another
  // version.
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, KERNSWEEP_PYTHON_PROGRAM);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (!PyStatus_Exception(status)) return "";
  return std::string("Python could not be started: ") +
         (status.err_msg ? status.err_msg : "no reason given");
}

std::string put_working_directory_first() {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  PyObject* const path = PySys_GetObject("path");  // borrowed
  const Ref folder(PyUnicode_DecodeFSDefault(here.c_str()));
  if (path != nullptr && folder && PyList_Insert(path, 0, folder.get()) == 0) return "";
  return "sys.path could not be extended: " + take_exception();
}

}  // namespace

std::string start_interpreter() {
  if (Py_IsInitialized()) return "";
  show_library_to_modules();
  const std::string flaw = initialize();
  return flaw.empty() ? put_working_directory_first() : flaw;
}

const char* interpreter_version() {
  return "CPython " PY_VERSION;
}

}  // namespace kernsweep::python
