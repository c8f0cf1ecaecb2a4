#include "kernels/cpu/libraries/dnnl_body.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace kernsweep {
namespace {

// The OpenMP runtime that libdnnl is linked with, because setting another one in the process would change
// nothing. Absent if this oneDNN was built without OpenMP.
struct OpenMp {
  void (*set_threads)(int) = nullptr;
  int (*max_threads)() = nullptr;

  OpenMp() {
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(&dnnl_version), &found) == 0) return;
    void* library = dlopen(found.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return;
    set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    max_threads = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
  }
};

const OpenMp& open_mp() {
  static const OpenMp found;
  return found;
}

}  // namespace

void dnnl_set_threads(int threads) {
  if (open_mp().set_threads != nullptr) open_mp().set_threads(threads);
}

dnnl::memory::data_type dnnl_type(ks_dtype dtype) {
  switch (dtype) {
    case KS_F32:
      return dnnl::memory::data_type::f32;
    case KS_BF16:
      return dnnl::memory::data_type::bf16;
    case KS_F16:
      return dnnl::memory::data_type::f16;
    case KS_S8:
      return dnnl::memory::data_type::s8;
    case KS_U8:
      return dnnl::memory::data_type::u8;
    case KS_S32:
      return dnnl::memory::data_type::s32;
    default:
      return dnnl::memory::data_type::undef;
  }
}

dnnl::memory::desc dnnl_layout(const DnnlOperand& operand) {
  return {operand.dims, dnnl_type(operand.dtype), operand.strides};
}

dnnl::memory::desc dnnl_computed(const DnnlOperand& operand) {
  if (!operand.chosen) return dnnl_layout(operand);
  return {operand.dims, dnnl_type(operand.dtype), dnnl::memory::format_tag::any};
}

dnnl::primitive_attr dnnl_attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// oneDNN 2.6.3 keeps primitives for reuse. With algorithm auto, it treats two descriptions as equal that
// differ only in the strides of an extent of 1: a single pixel in nchw and in nhwc. A kernel prepared for
// one set of weights then runs on the other's (seen as wrong results and as SIGSEGV; never with the cache
// off). Nothing here is prepared twice, so the cache is not needed.
const dnnl::engine& dnnl_engine() {
  static const dnnl::engine engine = [] {
    dnnl::set_primitive_cache_capacity(0);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

ks_status refuse_dnnl_error(const dnnl::error& error, const std::string& types, ks_why why) {
  switch (error.status) {
    case dnnl_unimplemented:
      return refuse(
          KS_UNSUPPORTED, why,
          fmt::format("{} has no implementation of {} with these layouts", dnnl_runtime(), types));
    case dnnl_invalid_arguments:
      return refuse(
          KS_UNSUPPORTED, why,
          fmt::format("{} does not accept {} with these shapes and layouts", dnnl_runtime(), types));
    case dnnl_out_of_memory:
      return refuse(KS_OUT_OF_MEMORY, why, fmt::format("{} is out of memory", dnnl_runtime()));
    default:
      return refuse(KS_FAILED, why, fmt::format("{}: {}", dnnl_runtime(), error.what()));
  }
}

DnnlOperation::Body::Body(const ks_context& context, const dnnl::primitive_desc_base& desc,
                          const dnnl::primitive& primitive, const std::vector<DnnlArgument>& inputs,
                          const DnnlArgument& result)
    : context_(context), stream_(dnnl_engine()), primitive_(primitive) {
  for (const DnnlArgument& input : inputs) place_input(input);
  plain_result_ = allocate(dnnl_layout(result.given));
  result_ = result.wanted == plain_result_.get_desc() ? plain_result_ : allocate(result.wanted);
  arguments_.emplace(result.number, result_);
  arguments_.emplace(DNNL_ARG_SCRATCHPAD, allocate(desc.query_md(dnnl::query::scratchpad_md)));
  const int threads = open_mp().max_threads != nullptr ? open_mp().max_threads() : 0;
  const char* const implementation = desc.impl_info_str();
  runtime_ = fmt::format("{} threads={} impl={}", dnnl_runtime(), threads, implementation);
}

void DnnlOperation::Body::run() {
  dnnl_set_threads(context_.threads);
  primitive_.execute(stream_, arguments_);
  stream_.wait();
}

const void* DnnlOperation::Body::fetch() {
  if (result_.get_data_handle() != plain_result_.get_data_handle()) convert(result_, plain_result_);
  return plain_result_.get_data_handle();
}

dnnl::memory DnnlOperation::Body::allocate(const dnnl::memory::desc& desc) {
  const std::size_t bytes = desc.get_size();
  if (bytes == 0) return dnnl::memory(desc, dnnl_engine(), nullptr);
  void* room = context_.allocate(context_.host, bytes);
  if (room == nullptr) throw std::bad_alloc();
  return dnnl::memory(desc, dnnl_engine(), room);
}

void DnnlOperation::Body::place_input(const DnnlArgument& argument) {
  dnnl::memory given(dnnl_layout(argument.given), dnnl_engine(), const_cast<void*>(argument.given.data));
  if (argument.wanted == given.get_desc()) {
    arguments_.emplace(argument.number, given);
    return;
  }
  const dnnl::memory converted = allocate(argument.wanted);
  convert(given, converted);
  arguments_.emplace(argument.number, converted);
}

void DnnlOperation::Body::convert(const dnnl::memory& from, const dnnl::memory& to) {
  dnnl::memory source = from;
  dnnl::memory target = to;
  dnnl::reorder(source, target).execute(stream_, source, target);
  stream_.wait();
}

}  // namespace kernsweep
