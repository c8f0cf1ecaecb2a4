#include "kernels/cpu/libraries/dnnl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <utility>

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {
namespace {

using Desc = dnnl::memory::desc;

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

void set_threads(int threads) {
  if (open_mp().set_threads != nullptr) open_mp().set_threads(threads);
}

const char* isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::all:
      return "all";
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    default:
      return "other";
  }
}

dnnl::memory::data_type type_of(ks_dtype dtype) {
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

Desc callers_desc(const DnnlOperand& operand) {
  return Desc(operand.dims, type_of(operand.dtype), operand.strides);
}

Desc computed_desc(const DnnlOperand& operand) {
  if (!operand.chosen) return callers_desc(operand);
  return Desc(operand.dims, type_of(operand.dtype), dnnl::memory::format_tag::any);
}

// A scratchpad of the user: the library's own would not be counted and guarded by the host.
dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// oneDNN 2.6.3 keeps primitives for reuse. With algorithm auto, it treats two descriptions as equal that
// differ only in the strides of an extent of 1: a single pixel in nchw and in nhwc. A kernel prepared for
// one set of weights then runs on the other's (seen as wrong results and as SIGSEGV; never with the cache
// off). Nothing here is prepared twice, so the cache is not needed.
const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine = [] {
    dnnl::set_primitive_cache_capacity(0);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

dnnl::primitive_attr attributes_with(DnnlActivation activation) {
  dnnl::primitive_attr attr = attributes();
  if (activation == DnnlActivation::none) return attr;
  const bool is_relu = activation == DnnlActivation::relu;
  dnnl::post_ops after;
  after.append_eltwise(1, is_relu ? dnnl::algorithm::eltwise_relu : dnnl::algorithm::eltwise_gelu_tanh, 0,
                       0);
  attr.set_post_ops(after);
  return attr;
}

dnnl::matmul::primitive_desc describe_matmul(const DnnlOperands& operands) {
  const Desc bias = operands.bias ? callers_desc(*operands.bias) : Desc();
  const dnnl::matmul::desc desc(computed_desc(operands.source), computed_desc(operands.weights), bias,
                                computed_desc(operands.result));
  return {desc, attributes_with(operands.activation), cpu_engine()};
}

dnnl::algorithm algorithm_of(DnnlAlgorithm algorithm) {
  switch (algorithm) {
    case DnnlAlgorithm::winograd:
      return dnnl::algorithm::convolution_winograd;
    case DnnlAlgorithm::automatic:
      return dnnl::algorithm::convolution_auto;
    case DnnlAlgorithm::direct:
      break;
  }
  return dnnl::algorithm::convolution_direct;
}

dnnl::convolution_forward::primitive_desc describe_convolution(const DnnlOperands& operands,
                                                               const DnnlWindow& window) {
  std::vector<std::int64_t> dilates = window.dilations;
  for (std::int64_t& dilation : dilates) --dilation;
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, algorithm_of(window.algorithm), computed_desc(operands.source),
      computed_desc(operands.weights), computed_desc(operands.result), window.strides, dilates,
      window.padding_before, window.padding_after);
  return {desc, attributes(), cpu_engine()};
}

ks_status refuse_error(const dnnl::error& error, const DnnlOperands& operands, ks_why why) {
  const auto name = [](const DnnlOperand& operand) { return name_of(dtype_of(operand.dtype)); };
  const std::string combination =
      fmt::format("{} x {} -> {}", name(operands.source), name(operands.weights), name(operands.result));
  switch (error.status) {
    case dnnl_unimplemented:
      return refuse(
          KS_UNSUPPORTED, why,
          fmt::format("{} has no implementation of {} with these layouts", dnnl_runtime(), combination));
    case dnnl_invalid_arguments:
      return refuse(
          KS_UNSUPPORTED, why,
          fmt::format("{} does not accept {} with these shapes and layouts", dnnl_runtime(), combination));
    case dnnl_out_of_memory:
      return refuse(KS_OUT_OF_MEMORY, why, fmt::format("{} is out of memory", dnnl_runtime()));
    default:
      return refuse(KS_FAILED, why, fmt::format("{}: {}", dnnl_runtime(), error.what()));
  }
}

// KS_UNSUPPORTED where the library would compute with other weights than it is given. To multiply s8 by s8
// it adds 128 to the source; without VNNI the sum of two such products may not fit 16 bits, so it halves
// the weights and rounds them ("Nuances of int8 computations"). Which of its kernels do so differs by
// instruction set and version, so the layout that it has chosen is asked, not the processor.
ks_status check_weights(const dnnl::convolution_forward::primitive_desc& desc, const DnnlOperands& operands,
                        ks_why why) {
  const Desc weights = desc.weights_desc();
  const dnnl_memory_extra_desc_t& extra = weights.data.extra;
  const bool scaled = (extra.flags & dnnl_memory_extra_flag_scale_adjust) != 0 && extra.scale_adjust != 1;
  if (!scaled || operands.may_round) return KS_OK;
  return refuse(
      KS_UNSUPPORTED, why,
      fmt::format(
          "{} has no VNNI here: its {} halves weights of {} and rounds them, so results would not be "
          "exact. Take weights: plain (exact, but slow), a processor with AVX512_VNNI, or weights: rounded "
          "with a verify.tolerance for s8",
          dnnl_runtime(), desc.impl_info_str(), name_of(dtype_of(operands.weights.dtype))));
}

// What `act` returns, or the status of what it throws.
template <class Act>
ks_status guarded(const DnnlOperands& operands, ks_why why, Act&& act) {
  try {
    return act();
  } catch (const dnnl::error& error) {
    return refuse_error(error, operands, why);
  } catch (const std::bad_alloc&) {
    return refuse(KS_OUT_OF_MEMORY, why, "out of memory");
  }
}

}  // namespace

class DnnlOperation::Body {
 public:
  template <class PrimitiveDesc, class Primitive>
  Body(const DnnlOperands& operands, const ks_context& context, const PrimitiveDesc& desc,
       std::in_place_type_t<Primitive>)
      : context_(context), stream_(cpu_engine()), primitive_(Primitive(desc)) {
    place_input(DNNL_ARG_SRC, operands.source, desc.src_desc());
    place_input(DNNL_ARG_WEIGHTS, operands.weights, desc.weights_desc());
    if (operands.bias) place_input(DNNL_ARG_BIAS, *operands.bias, callers_desc(*operands.bias));
    plain_result_ = allocate(callers_desc(operands.result));
    result_ = desc.dst_desc() == plain_result_.get_desc() ? plain_result_ : allocate(desc.dst_desc());
    arguments_.emplace(DNNL_ARG_DST, result_);
    arguments_.emplace(DNNL_ARG_SCRATCHPAD, allocate(desc.scratchpad_desc()));
    const int threads = open_mp().max_threads != nullptr ? open_mp().max_threads() : 0;
    runtime_ = fmt::format("{} threads={} impl={}", dnnl_runtime(), threads, desc.impl_info_str());
  }

  void run() {
    set_threads(context_.threads);
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

  const void* fetch() {
    if (result_.get_data_handle() != plain_result_.get_data_handle()) convert(result_, plain_result_);
    return plain_result_.get_data_handle();
  }

  const std::string& runtime() const { return runtime_; }

 private:
  dnnl::memory allocate(const Desc& desc) {
    const std::size_t bytes = desc.get_size();
    if (bytes == 0) return dnnl::memory(desc, cpu_engine(), nullptr);
    void* room = context_.allocate(context_.host, bytes);
    if (room == nullptr) throw std::bad_alloc();
    return dnnl::memory(desc, cpu_engine(), room);
  }

  void place_input(int argument, const DnnlOperand& operand, const Desc& wanted) {
    dnnl::memory given(callers_desc(operand), cpu_engine(), const_cast<void*>(operand.data));
    if (wanted == given.get_desc()) {
      arguments_.emplace(argument, given);
      return;
    }
    const dnnl::memory converted = allocate(wanted);
    convert(given, converted);
    arguments_.emplace(argument, converted);
  }

  void convert(const dnnl::memory& from, const dnnl::memory& to) {
    dnnl::memory source = from;
    dnnl::memory target = to;
    dnnl::reorder(source, target).execute(stream_, source, target);
    stream_.wait();
  }

  ks_context context_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  dnnl::memory result_;
  dnnl::memory plain_result_;
  std::string runtime_;
};

DnnlOperation::DnnlOperation(std::unique_ptr<Body> body) : body_(std::move(body)) {}
DnnlOperation::~DnnlOperation() = default;

ks_status DnnlOperation::can_multiply(const DnnlOperands& operands, ks_why why) {
  return guarded(operands, why, [&] {
    static_cast<void>(describe_matmul(operands));
    return KS_OK;
  });
}

ks_status DnnlOperation::can_convolve(const DnnlOperands& operands, const DnnlWindow& window, ks_why why) {
  return guarded(operands, why,
                 [&] { return check_weights(describe_convolution(operands, window), operands, why); });
}

std::unique_ptr<DnnlOperation> DnnlOperation::multiply(const DnnlOperands& operands,
                                                       const ks_context& context, ks_status& status,
                                                       ks_why why) {
  std::unique_ptr<DnnlOperation> made;
  status = guarded(operands, why, [&] {
    set_threads(context.threads);
    made.reset(new DnnlOperation(std::make_unique<Body>(operands, context, describe_matmul(operands),
                                                        std::in_place_type<dnnl::matmul>)));
    return KS_OK;
  });
  return made;
}

std::unique_ptr<DnnlOperation> DnnlOperation::convolve(const DnnlOperands& operands,
                                                       const DnnlWindow& window, const ks_context& context,
                                                       ks_status& status, ks_why why) {
  std::unique_ptr<DnnlOperation> made;
  status = guarded(operands, why, [&] {
    set_threads(context.threads);
    const dnnl::convolution_forward::primitive_desc desc = describe_convolution(operands, window);
    const ks_status exact = check_weights(desc, operands, why);
    if (exact != KS_OK) return exact;
    made.reset(new DnnlOperation(
        std::make_unique<Body>(operands, context, desc, std::in_place_type<dnnl::convolution_forward>)));
    return KS_OK;
  });
  return made;
}

ks_status DnnlOperation::run() {
  try {
    body_->run();
    return KS_OK;
  } catch (const dnnl::error& error) {
    return error.status == dnnl_out_of_memory ? KS_OUT_OF_MEMORY : KS_FAILED;
  }
}

const void* DnnlOperation::fetch() {
  try {
    return body_->fetch();
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

const std::string& DnnlOperation::runtime() const {
  return body_->runtime();
}

std::string dnnl_runtime() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{} isa={}", version->major, version->minor, version->patch,
                     isa_name(dnnl::get_effective_cpu_isa()));
}

}  // namespace kernsweep
