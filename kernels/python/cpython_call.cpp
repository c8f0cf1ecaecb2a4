#include "kernels/python/cpython.hpp"

#include "kernels/python/cpython_call.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "kernels/python/cpython_interpreter.hpp"
#include "kernels/python/cpython_kept.hpp"
#include "kernels/python/cpython_metrics.hpp"
#include "kernels/python/cpython_modules.hpp"
#include "kernels/python/cpython_output.hpp"

namespace kernsweep::python {

struct Call::Parts {
  Ref kernel;  // the function that is timed
  Ref result;  // of the last call; declared so that it outlives `view`
  ShownOutput view;
  KeptOutputs kept;
  bool has_run = false;
  bool is_output = false;     // `kernel` is no function, but the output itself
  bool is_reference = false;  // text is an output, too: its bytes
};

namespace {

// PyTorch, CuPy and others have exceptions of this name that are not derived from MemoryError.
bool is_out_of_memory(PyObject* type) {
  const std::string name = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  return PyErr_GivenExceptionMatches(type, PyExc_MemoryError) != 0 || name.ends_with("OutOfMemoryError");
}

// The exception that is set, as status and reason: some exceptions correspond to a status.
Call::Flaw flaw_of_exception(const std::string& doing) {
  Call::Flaw flaw{KS_FAILED, ""};
  if (PyErr_ExceptionMatches(PyExc_NotImplementedError)) flaw.status = KS_UNSUPPORTED;
  PyObject* const type = PyErr_Occurred();
  if (type != nullptr && is_out_of_memory(type)) flaw.status = KS_OUT_OF_MEMORY;
  flaw.reason = doing + take_exception();
  return flaw;
}

Ref held(PyObject* object) {
  Py_XINCREF(object);
  return Ref(object);
}

Ref value_of(const ks_param& param) {
  switch (param.kind) {
    case KS_BOOLEAN:
      return Ref(PyBool_FromLong(param.integer != 0));
    case KS_INTEGER:
      return Ref(PyLong_FromLongLong(param.integer));
    case KS_FLOAT:
      return Ref(PyFloat_FromDouble(param.real));
    case KS_TEXT:
      return Ref(PyUnicode_FromString(param.text));
    default:
      Py_INCREF(Py_None);
      return Ref(Py_None);
  }
}

std::string python_name(const char* name) {
  std::string out = name;
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

// Whether the function has a parameter of that name, or takes any (**name). Without a signature, neither
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

// The mapping of the function's parameters; null: it has no signature, as some builtins.
Ref parameters_of(PyObject* function) {
  const Ref inspect(PyImport_ImportModule("inspect"));
  const Ref signature(inspect ? PyObject_CallMethod(inspect.get(), "signature", "O", function) : nullptr);
  Ref parameters(signature ? PyObject_GetAttrString(signature.get(), "parameters") : nullptr);
  PyErr_Clear();
  return parameters;
}

void add_seed_and_threads(PyObject* function, PyObject* keywords, const ks_context& context) {
  const Ref parameters = parameters_of(function);
  if (!parameters) return;
  add_if_taken(parameters.get(), keywords, "seed", Ref(PyLong_FromUnsignedLongLong(context.seed)));
  add_if_taken(parameters.get(), keywords, "threads", Ref(PyLong_FromLong(context.threads)));
  PyErr_Clear();
}

bool is_reference(const ks_params& params) {
  for (std::size_t i = 0; i < params.count; ++i)
    if (std::strcmp(params.items[i].name, "python.is_reference") == 0) return true;
  return false;
}

const char* format_of(ks_dtype dtype) {
  switch (dtype) {
    case KS_F64:
      return "d";
    case KS_F32:
      return "f";
    case KS_S8:
      return "b";
    case KS_S32:
      return "i";
    case KS_S64:
      return "q";
    case KS_F16:
    case KS_BF16:
      return "H";  // their bits: Python's memoryviews have no such numbers
    default:
      return "B";
  }
}

std::size_t bytes_of(ks_dtype dtype) {
  if (dtype == KS_F16 || dtype == KS_BF16) return 2;
  return dtype == KS_F64 || dtype == KS_S64 ? 8 : dtype == KS_F32 || dtype == KS_S32 ? 4 : 1;
}

// A memoryview of the operand with its shape; null, with an exception, on failure. Python has no view of
// several dimensions without elements: then it is flat. `written`: the function may write to it.
Ref view_of(const ks_tensor& operand, bool written) {
  std::size_t count = 1;
  const Ref shape(PyTuple_New(operand.rank));
  for (std::int32_t d = 0; shape && d < operand.rank; ++d) {
    count *= static_cast<std::size_t>(operand.shape[d]);
    PyTuple_SetItem(shape.get(), d, PyLong_FromLongLong(operand.shape[d]));
  }
  static char nothing = 0;
  char* const data = count == 0 ? &nothing : const_cast<char*>(static_cast<const char*>(operand.data));
  const auto bytes = static_cast<Py_ssize_t>(count * bytes_of(operand.dtype));
  Ref flat(PyMemoryView_FromMemory(data, bytes, written ? PyBUF_WRITE : PyBUF_READ));
  if (!flat || !shape || count == 0) return flat;
  return Ref(PyObject_CallMethod(flat.get(), "cast", "sO", format_of(operand.dtype), shape.get()));
}

// Operands come under two names. "operand.x", a text, describes one that the sweep asks for; these are the
// inputs in the order of their names. "input.x", a number, says which input it is, for a reference.
constexpr std::string_view kDescribed = "operand.", kNumbered = "input.";

bool is_numbered(const ks_param& param) {
  return std::string_view(param.name).starts_with(kNumbered) && param.kind == KS_INTEGER;
}
bool is_described(const ks_param& param) {
  return std::string_view(param.name).starts_with(kDescribed) && param.kind == KS_TEXT;
}
std::string operand_of(const ks_param& param) {
  return param.name + (is_numbered(param) ? kNumbered.size() : kDescribed.size());
}

// Whether a call may write to the operand.
bool is_written(const ks_params& params, const std::string& operand) {
  const auto* const end = params.items + params.count;
  return std::any_of(params.items, end, [&](const ks_param& param) {
    return is_described(param) && operand_of(param) == operand &&
           std::string_view(param.text).ends_with(" in_place");
  });
}

// Those of `keywords` that the function has.
Ref taken_of(PyObject* function, PyObject* keywords) {
  const Ref parameters = parameters_of(function);
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

// The parameters with names that are valid in Python; null, with `flaw`, on failure.
Ref keywords_of(const ks_params& params, const ks_tensor* inputs, Call::Flaw& flaw) {
  Ref keywords(PyDict_New());
  const bool all_numbered = std::any_of(params.items, params.items + params.count, is_numbered);
  std::size_t described = 0;
  for (std::size_t i = 0; keywords && i < params.count; ++i) {
    const ks_param& param = params.items[i];
    if (std::strcmp(param.name, "python") == 0 || std::strcmp(param.name, "python.is_reference") == 0)
      continue;
    if (all_numbered && is_described(param)) continue;
    const bool is_operand = is_numbered(param) || is_described(param);
    const std::string name = is_operand ? operand_of(param) : python_name(param.name);
    if (PyDict_GetItemString(keywords.get(), name.c_str()) != nullptr) {
      flaw = {KS_BAD_PARAMETER,
              "two axes become the parameter '" + name + "' ('.' becomes '_'); rename one"};
      return Ref();
    }
    const std::size_t input = all_numbered ? static_cast<std::size_t>(param.integer) : described;
    if (is_described(param)) ++described;
    const Ref value = is_operand ? view_of(inputs[input], is_written(params, name)) : value_of(param);
    if (!value || PyDict_SetItemString(keywords.get(), name.c_str(), value.get()) != 0) {
      flaw = flaw_of_exception("the parameter '" + name + "': ");
      return Ref();
    }
  }
  return keywords;
}

// The function that "module:function" names; null, with `flaw`, on failure.
Ref function_of(const std::string& module_name, const std::string& path, Call::Flaw& flaw) {
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
  if (PyCallable_Check(found.get())) return found;
  flaw = {KS_FAILED, "'" + module_name + ":" + path + "' is " + type_name(found.get()) + ", no function"};
  return Ref();
}

}  // namespace

Call::Call() : parts_(std::make_unique<Parts>()) {}

Call::~Call() {
  parts_->view.release();
}

std::unique_ptr<Call> Call::make(const char* reference, const ks_params& params, const ks_context& context,
                                 const ks_tensor* inputs, Flaw& flaw) {
  const std::string text = reference;
  const auto colon = text.find(':');
  if (colon == std::string::npos) {  // can_run has refused this
    flaw = {KS_BAD_PARAMETER, "'" + text + "' names no function"};
    return nullptr;
  }
  if (const std::string why = start_interpreter(); !why.empty()) {
    flaw = {KS_FAILED, why};
    return nullptr;
  }
  const Ref function = function_of(text.substr(0, colon), text.substr(colon + 1), flaw);
  if (!function) return nullptr;
  Ref keywords = keywords_of(params, inputs, flaw);
  if (!keywords) return nullptr;
  const bool as_reference = is_reference(params);
  if (as_reference) keywords = taken_of(function.get(), keywords.get());
  add_seed_and_threads(function.get(), keywords.get(), context);
  const Ref none(PyTuple_New(0));
  Ref kernel(none ? PyObject_Call(function.get(), none.get(), keywords.get()) : nullptr);
  if (!kernel) {
    flaw = flaw_of_exception("");
    return nullptr;
  }
  const bool is_output = as_reference && PyCallable_Check(kernel.get()) == 0;
  if (!is_output && !PyCallable_Check(kernel.get())) {
    flaw = {KS_FAILED, "'" + text + "' returned " + type_name(kernel.get()) +
                           "; it must return a function without parameters, which is then timed"};
    return nullptr;
  }
  std::unique_ptr<Call> made(new Call);
  made->parts_->kernel = std::move(kernel);
  made->parts_->is_output = is_output;
  made->parts_->is_reference = as_reference;
  return made;
}

ks_status Call::run(Flaw& flaw) {
  Parts& parts = *parts_;
  parts.view.release();
  Ref result = parts.is_output ? held(parts.kernel.get()) : Ref(PyObject_CallNoArgs(parts.kernel.get()));
  if (result && parts.is_reference && PyUnicode_Check(result.get()) != 0)
    result = Ref(PyUnicode_AsUTF8String(result.get()));
  if (!result) {
    flaw = flaw_of_exception("");
    return flaw.status;
  }
  parts.result = std::move(result);
  if (parts.has_run) return KS_OK;
  parts.has_run = true;
  ks_tensor shown;
  const ks_status status = output(shown, flaw);
  parts.view.release();
  return status;
}

std::size_t Call::metrics(ks_declared_metric* out, std::size_t capacity) {
  return metrics_of(parts_->kernel.get(), out, capacity);
}

void Call::overwrite() {
  parts_->view.release();
  parts_->kept.overwrite(parts_->result.get());
}

ks_left Call::left() {
  parts_->view.release();
  return parts_->kept.judge(parts_->result.get());
}

void Call::restore() {
  parts_->view.release();
  parts_->kept.restore();
}

ks_status Call::output(ks_tensor& out, Flaw& flaw) {
  const std::string wrong = parts_->view.show(parts_->result.get(), out);
  if (wrong.empty()) return KS_OK;
  flaw = {KS_FAILED, wrong};
  return KS_FAILED;
}

}  // namespace kernsweep::python
