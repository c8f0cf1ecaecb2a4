#include "kernels/python/cpython.hpp"

#include <sys/types.h>
#include <unistd.h>

namespace kernsweep::python {
namespace {

std::string attribute_text(PyObject* object, const char* name) {
  const Ref attribute(PyObject_GetAttrString(object, name));
  if (attribute) return text_of(attribute.get());
  PyErr_Clear();
  return "?";
}

// " (bench.py, line 12, in prepare)", from the innermost frame; empty if there is none.
std::string place_of(PyObject* traceback) {
  if (traceback == nullptr || traceback == Py_None) return "";
  Py_INCREF(traceback);
  Ref last(traceback);
  while (true) {
    Ref next(PyObject_GetAttrString(last.get(), "tb_next"));
    if (!next || next.get() == Py_None) break;
    last = std::move(next);
  }
  PyErr_Clear();
  const Ref frame(PyObject_GetAttrString(last.get(), "tb_frame"));
  const Ref code(frame ? PyObject_GetAttrString(frame.get(), "f_code") : nullptr);
  PyErr_Clear();
  if (!code || attribute_text(code.get(), "co_filename") == kSupportFile) return "";
  return " (" + attribute_text(code.get(), "co_filename") + ", line " +
         attribute_text(last.get(), "tb_lineno") + ", in " + attribute_text(code.get(), "co_name") + ")";
}

}  // namespace

std::string name_of_type(PyObject* type) {
  const std::string module = attribute_text(type, "__module__");
  const std::string name = attribute_text(type, "__qualname__");
  return module == "builtins" || module == "__main__" || module == "?" ? name : module + "." + name;
}

std::string type_name(PyObject* object) {
  return name_of_type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

std::string text_of(PyObject* object) {
  const Ref text(PyObject_Str(object));
  Py_ssize_t size = 0;
  const char* const bytes = text ? PyUnicode_AsUTF8AndSize(text.get(), &size) : nullptr;
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  return "?";
}

namespace {

// The process that has loaded the pack.
const pid_t loaded_in = getpid();

// The status that SystemExit requests. Prints its text if it has one.
int status_of_exit(PyObject* exit) {
  const Ref code(PyObject_GetAttrString(exit, "code"));
  if (!code || code.get() == Py_None) return 0;
  if (PyLong_Check(code.get()) != 0) return static_cast<int>(PyLong_AsLong(code.get()));
  PySys_WriteStderr("%.1000s\n", text_of(code.get()).c_str());
  return 1;
}

}  // namespace

// Handles an exception as an interpreter does at its end: prints it, except SystemExit.
void end_forked_child() {
  if (getpid() == loaded_in) return;
  int status = 1;
  if (PyErr_ExceptionMatches(PyExc_SystemExit) != 0) {
    PyObject *type = nullptr, *exit = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &exit, &traceback);
    PyErr_NormalizeException(&type, &exit, &traceback);
    status = status_of_exit(exit);
  } else {
    PyErr_Print();
  }
  for (const char* name : {"stdout", "stderr"}) {
    PyObject* const stream = PySys_GetObject(name);  // borrowed
    if (stream != nullptr) Ref(PyObject_CallMethod(stream, "flush", nullptr));
    PyErr_Clear();
  }
  _exit(status);
}

std::string take_exception() {
  PyObject *raw_type = nullptr, *raw_value = nullptr, *raw_traceback = nullptr;
  PyErr_Fetch(&raw_type, &raw_value, &raw_traceback);
  if (raw_type == nullptr) return "no exception was raised";
  PyErr_NormalizeException(&raw_type, &raw_value, &raw_traceback);
  const Ref type(raw_type), value(raw_value), traceback(raw_traceback);
  std::string out = name_of_type(type.get());
  const std::string text = value ? text_of(value.get()) : "";
  if (!text.empty()) out += ": " + text;
  return out + place_of(traceback.get());
}

}  // namespace kernsweep::python
