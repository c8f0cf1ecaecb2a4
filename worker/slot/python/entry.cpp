// kernsweep-slot as an extension module of Python, for packs that need an interpreter (interpreter.hpp). It
// uses only the limited API of 3.10.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <functional>
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
  prctl(PR_SET_PDEATHSIG, SIGKILL);      // also if a script is between it and the worker
  prctl(PR_SET_NAME, "kernsweep-slot");  // as the program, for ps and pgrep
}

// function(descriptor): see function_to_import().
PyObject* function(PyObject*, PyObject* descriptor) {
  const long number = PyLong_AsLong(descriptor);
  if (PyErr_Occurred()) return nullptr;
  belong_to_worker();
  kernsweep::adopt_orphans();  // processes that a job leaves are ended before the next job
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

// end_children(but)
PyObject* end_children(PyObject*, PyObject* but) {
  std::vector<pid_t> kept;
  for (Py_ssize_t i = 0; i < PyList_Size(but); ++i)
    kept.push_back(static_cast<pid_t>(PyLong_AsLong(PyList_GetItem(but, i))));
  if (PyErr_Occurred()) return nullptr;
  kernsweep::end_children(kernsweep::Children::all, kept);
  Py_RETURN_NONE;
}

PyObject* object_of(const kernsweep::wire::Value& value) {
  if (value.has_boolean()) return PyBool_FromLong(value.boolean() ? 1 : 0);
  if (value.has_integer()) return PyLong_FromLongLong(value.integer());
  if (value.has_real()) return PyFloat_FromDouble(value.real());
  return PyUnicode_DecodeUTF8(value.text().data(), static_cast<Py_ssize_t>(value.text().size()), "replace");
}

void add(PyObject* dict, std::string name, PyObject* value) {
  std::ranges::replace(name, '.', '_');
  if (value) PyDict_SetItemString(dict, name.c_str(), value);
  Py_XDECREF(value);
}

// The settings of the run's first job, in the form for a function.
PyObject* settings_of(const kernsweep::wire::SlotSetup& setup, const kernsweep::wire::Run& run) {
  PyObject* const settings = PyDict_New();
  kernsweep::wire::JobBody body;
  if (!settings || run.jobs().empty() || !body.ParseFromString(run.jobs(0).body())) return settings;
  for (const auto& plan : run.plans()) {
    if (plan.sweep() != run.jobs(0).sweep()) continue;
    for (int i = 0; i < plan.columns_size() && i < body.values_size(); ++i)
      if (body.values(i).kind_case() != kernsweep::wire::Value::KIND_NOT_SET)
        add(settings, plan.columns(i), object_of(body.values(i)));
    add(settings, "seed", PyLong_FromUnsignedLongLong(plan.seed()));
  }
  add(settings, "threads", PyLong_FromUnsignedLong(setup.threads()));
  return settings;
}

// Calls `hands_over`, a function of the settings.
bool is_handed_over(PyObject* hands_over, const kernsweep::wire::SlotSetup& setup,
                    const kernsweep::wire::Run& run) {
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* const settings = settings_of(setup, run);
  PyObject* const said = settings ? PyObject_CallFunctionObjArgs(hands_over, settings, nullptr) : nullptr;
  const bool is_true = said && PyObject_IsTrue(said) == 1;
  PyErr_Clear();
  Py_XDECREF(said);
  Py_XDECREF(settings);
  PyGILState_Release(state);
  return is_true;
}

// run(interpreter, words, hands_over): the exit status.
PyObject* run(PyObject*, PyObject* arguments) {
  PyObject *interpreter = nullptr, *words = nullptr, *hands_over = nullptr;
  if (PyArg_ParseTuple(arguments, "OOO", &interpreter, &words, &hands_over) == 0) return nullptr;
  if (hands_over != Py_None) kernsweep::set_hand_over_question(std::bind_front(is_handed_over, hands_over));
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
    {"end_children", end_children, METH_O, "Ends the children of this process but those given."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "kernsweep_slot", "", -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_kernsweep_slot() {
  return PyModule_Create(&module);
}
