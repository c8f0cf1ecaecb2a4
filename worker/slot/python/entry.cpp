// kernsweep-slot as an extension module of Python, for packs that need an interpreter (interpreter.hpp).
// It uses the limited API of 3.10 alone.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <sys/prctl.h>

#include <csignal>
#include <string>
#include <vector>

#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/slot_main.hpp"

namespace {

// Text of the file system's encoding. Error: an exception is set.
bool text_of(PyObject* object, std::string& out) {
  PyObject* const bytes = PyUnicode_EncodeFSDefault(object);
  char* data = nullptr;
  Py_ssize_t size = 0;
  const bool good = bytes != nullptr && PyBytes_AsStringAndSize(bytes, &data, &size) == 0;
  if (good) out.assign(data, static_cast<std::size_t>(size));
  Py_XDECREF(bytes);
  return good;
}

// run(interpreter, words): the exit status.
PyObject* run(PyObject*, PyObject* arguments) {
  PyObject *interpreter = nullptr, *words = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &interpreter, &words) == 0) return nullptr;
  std::string path;
  std::vector<std::string> texts{"kernsweep-slot"};
  if (!text_of(interpreter, path)) return nullptr;
  for (Py_ssize_t i = 0; i < PyList_Size(words); ++i)
    if (!text_of(PyList_GetItem(words, i), texts.emplace_back())) return nullptr;
  kernsweep::set_this_interpreter(path);
  prctl(PR_SET_PDEATHSIG, SIGKILL);      // also where a script stands between it and the worker
  prctl(PR_SET_NAME, "kernsweep-slot");  // as the program, for ps and pgrep
  std::vector<char*> pointers;
  for (std::string& each : texts) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  return PyLong_FromLong(kernsweep::slot_main(static_cast<int>(texts.size()), pointers.data()));
}

PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, "Runs kernsweep-slot in this process; its exit status."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "kernsweep_slot", "", -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_kernsweep_slot() {
  return PyModule_Create(&module);
}
