#include "kernels/python/cpython.hpp"

#include "kernels/python/cpython_interpreter.hpp"

#include <filesystem>

namespace kernsweep::python {
namespace {

std::string put_working_directory_first() {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  PyObject* const path = PySys_GetObject("path");  // borrowed
  const Ref folder(PyUnicode_DecodeFSDefault(here.c_str()));
  PyObject* const first = path ? PyList_GetItem(path, 0) : nullptr;  // borrowed
  PyErr_Clear();
  const Ref is_there(first && folder ? PyObject_RichCompare(first, folder.get(), Py_EQ) : nullptr);
  if (is_there && is_there.get() == Py_True) return "";  // the slot has imported the module from there
  if (path != nullptr && folder && PyList_Insert(path, 0, folder.get()) == 0) return "";
  return "sys.path could not be extended: " + take_exception();
}

}  // namespace

std::string look_in_working_directory() {
  static bool is_ready = false;
  if (is_ready) return "";
  const std::string flaw = put_working_directory_first();
  is_ready = flaw.empty();
  return flaw;
}

const char* interpreter_version() {
  static const std::string text = [] {
    const std::string whole = Py_GetVersion();  // "3.11.2 (main, ...) [GCC 12.2.0]"
    return "CPython " + whole.substr(0, whole.find(' '));
  }();
  return text.c_str();
}

}  // namespace kernsweep::python
