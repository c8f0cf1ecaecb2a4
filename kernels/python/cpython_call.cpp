#include "kernels/python/cpython.hpp"

#include "kernels/python/cpython_call.hpp"

#include "kernels/python/cpython_kept.hpp"
#include "kernels/python/cpython_metrics.hpp"
#include "kernels/python/cpython_output.hpp"
#include "kernels/python/cpython_support.hpp"

namespace kernsweep::python {

namespace {

// Whether showing it takes a time that grows with its size: containers, texts, tensors on a device. Then
// the first call does not show it, because its time is compared with that of later calls. A list that
// begins with a coroutine, for example, is shown, which fails.
bool costs_to_show(PyObject* output, int depth = 0) {
  constexpr int kDeepest = 50;  // of a list within itself
  if (output == nullptr || depth == kDeepest) return false;
  if (PyList_Check(output) || PyTuple_Check(output)) {
    const Ref first(PySequence_Size(output) > 0 ? PySequence_GetItem(output, 0) : nullptr);
    PyErr_Clear();
    return first && (PyNumber_Check(first.get()) || PyObject_CheckBuffer(first.get()) ||
                     costs_to_show(first.get(), depth + 1));
  }
  return has_parts(output) ||
         (PyObject_CheckBuffer(output) == 0 && PyObject_HasAttrString(output, "__array__") == 1);
}

}  // namespace

struct Call::Parts {
  ks_context context;
  Kernel kernel;
  Ref result;  // the output of the last call; declared so that it outlives `view`
  ShownOutput view;
  std::string keys;  // of `result`
  KeptOutputs kept;
  bool has_run = false;
  bool copies_output = false;  // each output() returns new memory
};

Call::Call() : parts_(std::make_unique<Parts>()) {}

Call::~Call() {
  parts_->view.release();
  if (parts_->kernel.has_begun) (void)support("end", "()");
  PyErr_Clear();
}

std::unique_ptr<Call> Call::make(const char* named, const ks_params& params, const ks_context& context,
                                 const ks_tensor* inputs, Flaw& flaw) {
  std::unique_ptr<Call> made(new Call);
  made->parts_->context = context;
  if (!make_kernel(named, params, context, inputs, made->parts_->kernel, flaw)) return nullptr;
  return made;
}

ks_status Call::run(Flaw& flaw) {
  Parts& parts = *parts_;
  parts.view.release();
  Kernel& kernel = parts.kernel;
  // Called as a statement that drops its result, as in `timeit`: the call may reuse the last result's
  // memory.
  if (!kernel.output) parts.result = Ref();
  Ref result = kernel.is_output ? held(kernel.call.get()) : Ref(PyObject_CallNoArgs(kernel.call.get()));
  if (result && kernel.is_reference && PyUnicode_Check(result.get()) != 0)
    result = Ref(PyUnicode_AsUTF8String(result.get()));
  if (!result) {
    flaw = flaw_of_exception("");
    return flaw.status;
  }
  if (!kernel.output) parts.result = std::move(result);
  if (parts.has_run) return KS_OK;
  parts.has_run = true;
  report_work();
  if (kernel.output || costs_to_show(parts.result.get())) return KS_OK;
  ks_tensor shown;
  const ks_status status = output(shown, flaw);
  parts.view.release();
  return status;
}

void Call::report_work() {
  const ks_context& context = parts_->context;
  PyObject* const work = parts_->kernel.work.get();
  if (!work || !context.report_work) return;
  const ks_work known{PyFloat_AsDouble(PyTuple_GetItem(work, 0)),
                      PyFloat_AsDouble(PyTuple_GetItem(work, 1))};
  if (known.flops > 0 || known.bytes > 0) context.report_work(context.host, &known);
}

// For a kernel with output(): what output() returns now.
bool Call::show_output(Flaw& flaw) {
  Parts& parts = *parts_;
  if (!parts.kernel.output) return true;
  Ref shown(PyObject_CallNoArgs(parts.kernel.output.get()));
  if (!shown) return flaw = flaw_of_exception(""), false;
  parts.result = std::move(shown);
  return true;
}

std::size_t Call::metrics(ks_declared_metric* out, std::size_t capacity) {
  return metrics_of(parts_->kernel.metrics.get(), out, capacity);
}

void Call::overwrite() {
  Flaw flaw;
  Parts& parts = *parts_;
  parts.view.release();
  if (!show_output(flaw)) return;
  if (parts.kernel.output) {
    const Ref before = held(parts.result.get());
    const void* const memory = own_memory_of(before.get());
    parts.copies_output = show_output(flaw) &&
                          (memory ? memory != own_memory_of(parts.result.get()) : has_memory(before.get()));
  }
  parts.kept.overwrite(parts.result.get());
}

ks_left Call::left() {
  Flaw flaw;
  parts_->view.release();
  if (parts_->copies_output || !show_output(flaw)) return {KS_LEFT_UNKNOWN, 0, 0};
  return parts_->kept.judge(parts_->result.get());
}

void Call::restore() {
  parts_->view.release();
  parts_->kept.restore();
}

ks_status Call::output(ks_tensor& out, Flaw& flaw) {
  if (!show_output(flaw)) return flaw.status;
  const std::string wrong = parts_->view.show(parts_->result.get(), out);
  if (wrong.empty()) return KS_OK;
  flaw = {KS_FAILED, wrong};
  return KS_FAILED;
}

const std::vector<ks_part>& Call::parts() const {
  return parts_->view.parts();
}

const std::string& Call::keys() {
  parts_->keys = keys_of(parts_->result.get());
  return parts_->keys;
}

std::string Call::settings() const {
  const Ref said = support("settings", "()");
  std::string out = said ? text_of(said.get()) : "";
  PyErr_Clear();
  const std::string threads = threads_of_libraries();
  return out + (out.empty() || threads.empty() ? "" : "; ") + threads;
}

}  // namespace kernsweep::python
