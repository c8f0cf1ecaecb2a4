#include "kernels/python/cpython_kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "kernels/python/cpython_interpreter.hpp"
#include "kernels/python/cpython_modules.hpp"
#include "kernels/python/cpython_parameters.hpp"
#include "kernels/python/cpython_support.hpp"

namespace kernsweep::python {
namespace {

constexpr std::string_view kUnsupported = "kernsweep.support.Unsupported";

// PyTorch, CuPy and others have exceptions of this name that are not derived from MemoryError.
bool is_out_of_memory(PyObject* type) {
  return PyErr_GivenExceptionMatches(type, PyExc_MemoryError) != 0 ||
         name_of_type(type).ends_with("OutOfMemoryError");
}

// Whether the function has a parameter of that name, or accepts any (**name). Without a signature, neither
// seed nor threads are passed.
bool takes(PyObject* parameters, const char* name) {
  const Ref named(PyMapping_GetItemString(parameters, name));
  PyErr_Clear();
  if (named) return true;
  const Ref values(PyMapping_Values(parameters));
  for (Py_ssize_t i = 0; values && i < PyList_Size(values.get()); ++i) {
    const Ref kind(PyObject_GetAttrString(PyList_GetItem(values.get(), i), "kind"));
    constexpr long kVarKeyword = 4;  // inspect.Parameter.VAR_KEYWORD
    if (kind && PyLong_AsLong(kind.get()) == kVarKeyword) return true;
  }
  PyErr_Clear();
  return false;
}

void add_if_taken(PyObject* parameters, PyObject* keywords, const char* name, Ref value) {
  if (!value || PyDict_GetItemString(keywords, name) != nullptr || !takes(parameters, name)) return;
  PyDict_SetItemString(keywords, name, value.get());
}

// The mapping of the function's parameters; null if it has no signature, as some builtins.
Ref signature_of(PyObject* function) {
  const Ref inspect(PyImport_ImportModule("inspect"));
  const Ref signature(inspect ? PyObject_CallMethod(inspect.get(), "signature", "O", function) : nullptr);
  Ref parameters(signature ? PyObject_GetAttrString(signature.get(), "parameters") : nullptr);
  PyErr_Clear();
  return parameters;
}

void add_seed_and_threads(PyObject* parameters, PyObject* keywords, const ks_context& context) {
  if (!parameters) return;
  add_if_taken(parameters, keywords, "seed", Ref(PyLong_FromUnsignedLongLong(context.seed)));
  add_if_taken(parameters, keywords, "threads", Ref(PyLong_FromLong(context.threads)));
  PyErr_Clear();
}

// The `keywords` that the function accepts.
Ref taken_of(PyObject* function, PyObject* keywords) {
  const Ref parameters = signature_of(function);
  Ref taken(PyDict_New());
  const Ref names(PyDict_Keys(keywords));
  for (Py_ssize_t i = 0; parameters && taken && names && i < PyList_Size(names.get()); ++i) {
    PyObject* const name = PyList_GetItem(names.get(), i);  // borrowed
    if (takes(parameters.get(), text_of(name).c_str()))
      PyDict_SetItem(taken.get(), name, PyDict_GetItemWithError(keywords, name));
  }
  PyErr_Clear();
  return taken;
}

// Reports to the host of a reference which parameters the reference gets: a list of names.
void report_reads(const ks_context& context, PyObject* names) {
  std::string text;
  for (Py_ssize_t i = 0; i < PyList_Size(names); ++i)
    text += (text.empty() ? "" : "|") + text_of(PyList_GetItem(names, i));
  if (context.report_source) context.report_source(context.host, "reads", text.c_str(), "");
}

// Those of its signature.
void report_parameters(PyObject* signature, const ks_context& context) {
  constexpr const char* kNoName = "*";  // taken only by a function that accepts any
  if (!signature || takes(signature, kNoName)) return;
  if (const Ref names(PyMapping_Keys(signature)); names) report_reads(context, names.get());
  PyErr_Clear();
}

bool is_reference(const ks_params& params) {
  return std::any_of(params.items, params.items + params.count, [](const ks_param& param) {
    return std::string_view(param.name) == "python.is_reference";
  });
}

// The keywords for a call that only checks the function before a sweep; null for a real call.
const char* asked_keywords(const ks_params& params) {
  for (std::size_t i = 0; i < params.count; ++i)
    if (std::string_view(params.items[i].name) == "python.keywords") return params.items[i].text;
  return nullptr;
}

// The object that "module:name" names; null, with `flaw`, on failure.
Ref found_by(const std::string& module_name, const std::string& path, Flaw& flaw) {
  Ref found(PyImport_ImportModule(module_name.c_str()));
  if (!found) {
    look_for_failed_import(module_name);
    flaw = flaw_of_exception("importing '" + module_name + "': ");
    return Ref();
  }
  std::string_view rest = path;
  while (!rest.empty()) {
    const auto dot = rest.find('.');
    const std::string name(rest.substr(0, dot));
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    found = Ref(PyObject_GetAttrString(found.get(), name.c_str()));
    if (!found) {
      flaw = flaw_of_exception("looking for '" + path + "': ");
      return Ref();
    }
  }
  return found;
}

// Records that the state of the process is what the user's modules need, once for each imported module.
void report_imports(const ks_context& context) {
  static Py_ssize_t known = 0;
  PyObject* const modules = PyImport_GetModuleDict();  // borrowed
  const Py_ssize_t now = modules ? PyDict_Size(modules) : 0;
  if (now == known || !context.report_source) return;
  known = now;
  context.report_source(context.host, "imported", "", "");
}

// Attribute of a class or an object, and of `imports`.
Ref settings_of(const Parameters& given, const ks_context& context) {
  Ref values(PyDict_Copy(given.values.get()));
  const auto add = [&](const char* name, const Ref& value) {
    if (values && value && !PyDict_GetItemString(values.get(), name))
      PyDict_SetItemString(values.get(), name, value.get());
  };
  add("seed", Ref(PyLong_FromUnsignedLongLong(context.seed)));
  add("threads", Ref(PyLong_FromLong(context.threads)));
  return values;
}

Flaw not_names(const std::string& named, PyObject* said) {
  return {KS_FAILED,
          "imports of '" + named + "' is " + type_name(said) +
              "; it must be a list of names of modules, or a function of the settings that returns one"};
}

// Imports the modules that `imports` of the function or class names (a list or a function of the settings)
// before the function is called. The slot has already done that where it can (kernsweep-slot.py); a note
// reports which. An exception of an import is raised again where the function imports the module.
bool import_named(const std::string& named, PyObject* found, const Parameters& given,
                  const ks_context& context, Flaw& flaw) {
  Ref said(PyObject_GetAttrString(found, "imports"));
  PyErr_Clear();
  if (!said) return true;
  if (PyCallable_Check(said.get()))
    said = Ref(PyObject_CallFunctionObjArgs(said.get(), settings_of(given, context).get(), nullptr));
  if (!said) return flaw = flaw_of_exception("imports of '" + named + "': "), false;
  const bool is_list = PyList_Check(said.get()) || PyTuple_Check(said.get());
  const Ref names(is_list ? PySequence_List(said.get()) : nullptr);
  std::string text;
  for (Py_ssize_t i = 0; names && i < PyList_Size(names.get()); ++i) {
    PyObject* const name = PyList_GetItem(names.get(), i);  // borrowed
    if (!PyUnicode_Check(name)) return flaw = not_names(named, said.get()), false;
    if (const Ref imported(PyImport_Import(name)); imported)
      text += (text.empty() ? "" : ", ") + text_of(name);
    PyErr_Clear();
  }
  if (!names) return flaw = not_names(named, said.get()), false;
  PyObject* const by_slot = PySys_GetObject("_kernsweep_imports");  // borrowed
  const Ref before(by_slot ? PySequence_List(by_slot) : nullptr);
  const bool once = before && PyObject_RichCompareBool(before.get(), names.get(), Py_EQ) == 1;
  PyErr_Clear();
  if (text.empty() || !context.report_source) return true;
  const std::string note =
      (once ? "its slot has imported, once for all such jobs: " : "its own process has imported: ") + text;
  context.report_source(context.host, "imported", note.c_str(), "");
  return true;
}

bool is_true(const Ref& object) {
  return object && PyObject_IsTrue(object.get()) == 1;
}

// Of `values`, what `reference_params` of a class or object names, and the seed; all, if it has no such
// list.
bool keep_reference_params(const std::string& named, PyObject* object, const ks_context& context,
                           Ref& values, Flaw& flaw) {
  const Ref said(PyObject_GetAttrString(object, "reference_params"));
  PyErr_Clear();
  if (!said || said.get() == Py_None) return true;
  const bool is_list = PyList_Check(said.get()) || PyTuple_Check(said.get());
  const Ref names(is_list ? PySequence_List(said.get()) : nullptr);
  Ref kept(PyDict_New());
  const auto keep = [&](PyObject* name) {
    PyObject* const value = PyDict_GetItemWithError(values.get(), name);
    if (value) PyDict_SetItem(kept.get(), name, value);
  };
  if (!names || !kept) {
    flaw = {KS_FAILED, "reference_params of '" + named + "' is " + type_name(said.get()) +
                           "; it must be a list of names of parameters"};
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(names.get()); ++i) keep(PyList_GetItem(names.get(), i));
  if (const Ref seed(PyUnicode_FromString("seed")); seed) keep(seed.get());
  report_reads(context, names.get());
  values = std::move(kept);
  return !PyErr_Occurred() || (flaw = flaw_of_exception("reference_params of '" + named + "': "), false);
}

// A class or object with setup() and run().
bool make_of_form(const std::string& named, PyObject* object, const Parameters& given,
                  const ks_context& context, Kernel& out, Flaw& flaw) {
  Ref values = settings_of(given, context);
  if (out.is_reference && !keep_reference_params(named, object, context, values, flaw)) return false;
  const char* const maker = out.is_reference ? "reference_of_form" : "made_of_form";
  Ref made = support(maker, "(sOOO)", named.c_str(), object, values.get(), given.operands.get());
  if (!made) {
    flaw = flaw_of_exception("");
    return false;
  }
  if (out.is_reference) {
    out.is_output = true;
    out.call = std::move(made);
    return true;
  }
  const auto part = [&](Py_ssize_t at) { return held(PyTuple_GetItem(made.get(), at)); };
  out.metrics = part(0);
  out.call = part(1);
  if (Ref output = part(2); output.get() != Py_None) out.output = std::move(output);
  out.work = part(3);
  return true;
}

bool make_of_function(const std::string& named, PyObject* function, const Parameters& given,
                      const ks_context& context, Kernel& out, Flaw& flaw) {
  Ref keywords(PyDict_Copy(given.values.get()));
  if (!keywords || PyDict_Update(keywords.get(), given.operands.get()) != 0)
    return flaw = flaw_of_exception(""), false;
  if (out.is_reference) keywords = taken_of(function, keywords.get());
  const Ref signature = signature_of(function);
  add_seed_and_threads(signature.get(), keywords.get(), context);
  if (out.is_reference) report_parameters(signature.get(), context);
  const Ref none(PyTuple_New(0));
  out.call = Ref(none ? PyObject_Call(function, none.get(), keywords.get()) : nullptr);
  if (!out.call) return flaw = flaw_of_exception(""), false;
  const bool is_callable = PyCallable_Check(out.call.get()) != 0;
  out.is_output = out.is_reference && !is_callable;
  if (!is_callable && !out.is_output) {
    flaw = {KS_FAILED, "'" + named + "' returned " + type_name(out.call.get()) +
                           "; it must return a function without parameters, which is then timed"};
    return false;
  }
  out.metrics = held(out.call.get());
  if (!out.is_output) out.work = support("work_of", "(OO)", out.call.get(), given.values.get());
  return out.is_output || out.work || (flaw = flaw_of_exception(""), false);
}

}  // namespace

Flaw flaw_of_exception(const std::string& doing) {
  end_forked_child();
  Flaw flaw{KS_FAILED, ""};
  PyObject* const type = PyErr_Occurred();
  const bool is_refused = type != nullptr && name_of_type(type) == kUnsupported;
  if (is_refused || PyErr_ExceptionMatches(PyExc_NotImplementedError)) flaw.status = KS_UNSUPPORTED;
  if (type != nullptr && is_out_of_memory(type)) flaw.status = KS_OUT_OF_MEMORY;
  flaw.reason = doing + take_exception();
  if (is_refused) flaw.reason = flaw.reason.substr(kUnsupported.size() + 2);  // the message of supports()
  return flaw;
}

bool make_kernel(const std::string& named, const ks_params& params, const ks_context& context,
                 const ks_tensor* inputs, Kernel& out, Flaw& flaw) {
  note_code_that_is_opened();
  if (flaw.reason = look_in_working_directory(); !flaw.reason.empty())
    return flaw.status = KS_FAILED, false;
  const std::string module = named.substr(0, named.find(':'));
  const std::string path = named.substr(std::min(named.size(), module.size() + 1));
  Ref found = found_by(module, path, flaw);
  if (!found) return false;
  const bool is_form = is_true(support("is_form", "(O)", found.get()));
  PyErr_Clear();
  if (!is_form && !PyCallable_Check(found.get())) {
    flaw = {KS_FAILED, "'" + named + "' is " + type_name(found.get()) +
                           "; name a function, or what has setup(params, inputs) and run(state)"};
    return false;
  }
  if (const char* const keywords = asked_keywords(params)) {
    out.is_output = true;
    out.call = support("fits", "(sOs)", named.c_str(), found.get(), keywords);
    return out.call || (flaw = flaw_of_exception(""), false);
  }
  out.is_reference = is_reference(params);
  Parameters given;
  flaw.status = parameters_of(params, inputs, given, flaw.reason);
  if (flaw.status != KS_OK) return false;
  if (!out.is_reference && !import_named(named, found.get(), given, context, flaw)) return false;
  report_imports(context);
  out.has_begun = static_cast<bool>(
      support("begin", "(Ki)", static_cast<unsigned long long>(context.seed), context.threads));
  PyErr_Clear();
  bool good = false;
  if (is_form)
    good = make_of_form(named, found.get(), given, context, out, flaw);
  else
    good = make_of_function(named, found.get(), given, context, out, flaw);
  (void)support("prepared", "(i)", context.threads);
  PyErr_Clear();
  const char* const profile = std::getenv("KERNSWEEP_PROFILE");
  if (!good || profile == nullptr || out.is_reference) return good;
  const Ref written = support("profile", "(Os)", out.call.get(), profile);
  return written || (flaw = flaw_of_exception(""), false);
}

}  // namespace kernsweep::python
