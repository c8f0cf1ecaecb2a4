#include "kernels/python/cpython_parameters.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "kernels/python/cpython_support.hpp"
#include "shared/base/dtype.hpp"

namespace kernsweep::python {
namespace {

constexpr std::string_view kDescribed = "operand.", kNumbered = "input.";

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

// The type in the notation of the module struct.
const char* code_of(ks_dtype dtype) {
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
      return "H";  // their bits: Python's memoryviews lack these types
    default:
      return "B";
  }
}

// Null, with an exception, on failure. `written`: the function may write to the operand.
Ref array_of(const ks_tensor& operand, bool written) {
  const auto dtype = static_cast<Dtype>(operand.dtype);
  std::size_t count = 1;
  const Ref shape(PyTuple_New(operand.rank));
  for (std::int32_t d = 0; shape && d < operand.rank; ++d) {
    count *= static_cast<std::size_t>(operand.shape[d]);
    PyTuple_SetItem(shape.get(), d, PyLong_FromLongLong(operand.shape[d]));
  }
  static char nothing = 0;
  char* const data = count == 0 ? &nothing : const_cast<char*>(static_cast<const char*>(operand.data));
  const auto bytes = static_cast<Py_ssize_t>(count * size_of(dtype));
  const Ref flat(PyMemoryView_FromMemory(data, bytes, written ? PyBUF_WRITE : PyBUF_READ));
  if (!flat || !shape) return Ref();
  const std::string name(name_of(dtype));
  return support("array_of", "(OOssO)", flat.get(), shape.get(), name.c_str(), code_of(operand.dtype),
                 written ? Py_True : Py_False);
}

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

bool has(PyObject* dict, const std::string& name) {
  return PyDict_GetItemString(dict, name.c_str()) != nullptr;
}

}  // namespace

ks_status parameters_of(const ks_params& params, const ks_tensor* inputs, Parameters& out,
                        std::string& why) {
  out.values = Ref(PyDict_New());
  out.operands = Ref(PyDict_New());
  if (!out.values || !out.operands) return why = take_exception(), KS_OUT_OF_MEMORY;
  const bool all_numbered = std::any_of(params.items, params.items + params.count, is_numbered);
  std::size_t described = 0;
  for (std::size_t i = 0; i < params.count; ++i) {
    const ks_param& param = params.items[i];
    if (std::strcmp(param.name, "python") == 0 || std::strcmp(param.name, "python.is_reference") == 0)
      continue;
    if (all_numbered && is_described(param)) continue;
    const bool is_operand = is_numbered(param) || is_described(param);
    const std::string name = is_operand ? operand_of(param) : python_name(param.name);
    if (has(out.values.get(), name) || has(out.operands.get(), name)) {
      why = "two axes become the parameter '" + name + "' ('.' becomes '_'); rename one";
      return KS_BAD_PARAMETER;
    }
    const std::size_t input = all_numbered ? static_cast<std::size_t>(param.integer) : described;
    if (is_described(param)) ++described;
    const Ref value = is_operand ? array_of(inputs[input], is_written(params, name)) : value_of(param);
    PyObject* const into = is_operand ? out.operands.get() : out.values.get();
    if (!value || PyDict_SetItemString(into, name.c_str(), value.get()) != 0) {
      why = "the parameter '" + name + "': " + take_exception();
      return KS_FAILED;
    }
  }
  return KS_OK;
}

}  // namespace kernsweep::python
