// Shared parts of the files of dnnl.hpp: one prepared primitive with its memory, and the library's errors
// as statuses. For these files only.
#pragma once

#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/cpu/libraries/dnnl.hpp"
#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {

// One for all operations of the process.
const dnnl::engine& dnnl_engine();
// The layout of the caller.
dnnl::memory::desc dnnl_layout(const DnnlOperand& operand);
// The layout of the caller, or any for an operand that is `chosen`.
dnnl::memory::desc dnnl_computed(const DnnlOperand& operand);
// undef: the library has no such type.
dnnl::memory::data_type dnnl_type(ks_dtype dtype);
// With a scratchpad of the user, because the host would not count and guard the library's own.
dnnl::primitive_attr dnnl_attributes();
// For the calling thread: how many threads an operation is planned for, and runs on.
void dnnl_set_threads(int threads);

// An operand of a primitive, in the caller's layout and in the primitive's.
struct DnnlArgument {
  int number;  // DNNL_ARG_SRC, ...
  DnnlOperand given;
  dnnl::memory::desc wanted;
};

class DnnlOperation::Body {
 public:
  // `desc`: of `primitive`. Converts inputs if the primitive needs another layout. Throws dnnl::error and
  // std::bad_alloc.
  Body(const ks_context& context, const dnnl::primitive_desc_base& desc, const dnnl::primitive& primitive,
       const std::vector<DnnlArgument>& inputs, const DnnlArgument& result);

  void run();
  const void* fetch();
  const std::string& runtime() const { return runtime_; }

 private:
  dnnl::memory allocate(const dnnl::memory::desc& desc);
  void place_input(const DnnlArgument& argument);
  void convert(const dnnl::memory& from, const dnnl::memory& to);

  ks_context context_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  dnnl::memory result_;
  dnnl::memory plain_result_;
  std::string runtime_;
};

// Status and reason of an error that occurred when an operation on `types` ("f32 x f32 -> f32") was made.
ks_status refuse_dnnl_error(const dnnl::error& error, const std::string& types, ks_why why);

// The result of `act`, or the status of its exception.
template <class Act>
ks_status dnnl_guarded(const std::string& types, ks_why why, Act&& act) {
  try {
    return act();
  } catch (const dnnl::error& error) {
    return refuse_dnnl_error(error, types, why);
  } catch (const std::bad_alloc&) {
    return refuse(KS_OUT_OF_MEMORY, why, "out of memory");
  }
}

}  // namespace kernsweep
