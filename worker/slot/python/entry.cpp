// kernsweep-slot as an extension module of Python, for packs that need an interpreter (interpreter.hpp).
// It uses the limited API of 3.10 alone.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <sys/prctl.h>

#include <csignal>
#include <string>
#include <vector>

#include "worker/host/children.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/python/renewal.hpp"
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

void belong_to_worker() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);      // also where a script stands between it and the worker
  prctl(PR_SET_NAME, "kernsweep-slot");  // as the program, for ps and pgrep
}

// function(descriptor): as function_to_import().
PyObject* function(PyObject*, PyObject* descriptor) {
  const long number = PyLong_AsLong(descriptor);
  if (PyErr_Occurred()) return nullptr;
  belong_to_worker();
  kernsweep::adopt_orphans();  // what a job leaves is ended before the next one
  return PyUnicode_DecodeFSDefault(kernsweep::function_to_import(static_cast<int>(number)).c_str());
}

// remember(files)
PyObject* remember(PyObject*, PyObject* files) {
  std::vector<std::string> texts;
  for (Py_ssize_t i = 0; i < PyList_Size(files); ++i)
    if (!text_of(PyList_GetItem(files, i), texts.emplace_back())) return nullptr;
  kernsweep::remember_imported(texts);
  Py_RETURN_NONE;
}

PyObject* is_stale(PyObject*, PyObject*) {
  return PyBool_FromLong(kernsweep::is_imported_stale() ? 1 : 0);
}

PyObject* end_children(PyObject*, PyObject*) {
  kernsweep::end_children();
  Py_RETURN_NONE;
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
  belong_to_worker();
  std::vector<char*> pointers;
  for (std::string& each : texts) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  return PyLong_FromLong(kernsweep::slot_main(static_cast<int>(texts.size()), pointers.data()));
}

PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, "Runs kernsweep-slot in this process; its exit status."},
    {"function", function, METH_O, "The function whose module is to be imported; \"\": none."},
    {"remember", remember, METH_O, "Remembers the files that were imported."},
    {"is_stale", is_stale, METH_NOARGS, "Whether one of them was replaced."},
    {"end_children", end_children, METH_NOARGS, "Ends all children of this process."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "kernsweep_slot", "", -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_kernsweep_slot() {
  return PyModule_Create(&module);
}
