#include "kernels/opencl/work.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kernsweep::opencl {
namespace {

// The line of a compiler's output that says what is wrong.
std::string first_error(const std::string& log) {
  const auto at = log.find("error");
  if (at == std::string::npos) return log.substr(0, log.find('\n'));
  const auto begin = log.rfind('\n', at);
  const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
  return log.substr(first, log.find('\n', at) - first);
}

std::string type_of(cl_kernel kernel, cl_uint at) {
  char text[128] = "";
  const cl_int code =
      api().get_argument_info(kernel, at, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, nullptr);
  check(code, "reading the types of the kernel's parameters");
  return text;
}

bool is_local(cl_kernel kernel, cl_uint at) {
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  (void)api().get_argument_info(kernel, at, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr);
  return space == CL_KERNEL_ARG_ADDRESS_LOCAL;
}

// The bytes of an element that a parameter "float4*" points to; 0: not known, as of a struct.
std::size_t element_bytes(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 11> kTypes = {{{"float", 4},
                                                                                {"double", 8},
                                                                                {"half", 2},
                                                                                {"int", 4},
                                                                                {"uint", 4},
                                                                                {"long", 8},
                                                                                {"ulong", 8},
                                                                                {"short", 2},
                                                                                {"ushort", 2},
                                                                                {"char", 1},
                                                                                {"uchar", 1}}};
  type = type.substr(0, type.find_last_not_of("*0123456789 ") + 1);
  for (const auto& [name, bytes] : kTypes)
    if (name == type) return bytes;
  return 0;
}

bool is_real(std::string_view type) {
  return type.starts_with("float") || type.starts_with("double") || type.starts_with("half");
}

template <class Type>
void set_as(cl_kernel kernel, cl_uint at, const Argument& argument) {
  const auto value = static_cast<Type>(argument.number);
  check(api().set_argument(kernel, at, sizeof value, &value), "passing '" + argument.name + "'");
}

}  // namespace

Work::Work(const Device& device, const Program& program, const std::vector<Argument>& arguments,
           Extent extent, std::size_t shown)
    : device_(device), arguments_(arguments), extent_(std::move(extent)), shown_(shown) {
  compile(program);
  check_extent();
  for (const Argument& each : arguments_) buffers_.push_back(made(each));
  set_arguments(program);
}

void Work::compile(const Program& program) {
  cl_int code = CL_SUCCESS;
  const char* text = program.text.c_str();
  const std::size_t size = program.text.size();
  program_.reset(api().create_program(device_.context, 1, &text, &size, &code));
  check(code, "reading the source");
  const std::string options = program.options + " -cl-kernel-arg-info";
  code = api().build_program(program_.get(), 1, &device_.id, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    std::size_t length = 0;
    (void)api().get_build_info(program_.get(), device_.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length);
    std::string log(length, '\0');
    (void)api().get_build_info(program_.get(), device_.id, CL_PROGRAM_BUILD_LOG, length, log.data(),
                               nullptr);
    log = log.c_str();
    throw Failure(KS_FAILED, "the source does not compile with '" + program.options +
                                 "': " + (log.empty() ? name_of(code) : first_error(log)));
  }
  kernel_.reset(api().create_kernel(program_.get(), program.function.c_str(), &code));
  if (code == CL_INVALID_KERNEL_NAME)
    throw Failure(KS_FAILED, "the source has no kernel '" + program.function + "'");
  check(code, "making the kernel '" + program.function + "'");
}

void Work::check_extent() const {
  if (extent_.local.empty()) return;
  std::size_t group = 1, most = 0;
  for (std::size_t d = 0; d < extent_.local.size(); ++d) {
    group *= extent_.local[d];
    if (extent_.local[d] == 0 || extent_.global[d] % extent_.local[d] != 0)
      throw Failure(KS_BAD_PARAMETER, "launch: " + std::to_string(extent_.global[d]) +
                                          " work-items cannot be divided into groups of " +
                                          std::to_string(extent_.local[d]));
  }
  check(api().get_group_info(kernel_.get(), device_.id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                             nullptr),
        "reading the largest work-group");
  if (group > most)
    throw Failure(KS_UNSUPPORTED, "a work-group has " + std::to_string(group) +
                                      " work-items, this device and kernel "
                                      "allow " +
                                      std::to_string(most));
  cl_ulong shared = 0;
  (void)api().get_group_info(kernel_.get(), device_.id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared, &shared,
                             nullptr);
  if (device_.local_bytes > 0 && shared > device_.local_bytes)
    throw Failure(KS_UNSUPPORTED, "a work-group needs " + std::to_string(shared) +
                                      " bytes of local memory, this "
                                      "device has " +
                                      std::to_string(device_.local_bytes));
}

Work::Buffer Work::made(const Argument& argument) const {
  if (argument.kind == Argument::Kind::number) return nullptr;
  cl_int code = CL_SUCCESS;
  const std::size_t bytes = std::max<std::size_t>(1, argument.bytes);
  Buffer out(api().create_buffer(device_.context, CL_MEM_READ_WRITE, bytes, nullptr, &code));
  check(code, "taking " + std::to_string(bytes) + " bytes for '" + argument.name + "'");
  if (argument.data != nullptr && argument.bytes > 0) {
    code = api().write_buffer(device_.queue, out.get(), CL_TRUE, 0, argument.bytes, argument.data, 0,
                              nullptr, nullptr);
  } else {
    const cl_uchar zero = 0;
    code = api().fill_buffer(device_.queue, out.get(), &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr);
  }
  check(code, "copying '" + argument.name + "' to the device");
  check(api().finish(device_.queue), "copying '" + argument.name + "' to the device");
  return out;
}

void Work::set_number(cl_uint at, const Argument& argument) {
  const std::string type = type_of(kernel_.get(), at);
  if (is_local(kernel_.get(), at)) {
    check(api().set_argument(kernel_.get(), at, static_cast<std::size_t>(argument.number), nullptr),
          "passing local memory");
  } else if (type == "float") {
    set_as<cl_float>(kernel_.get(), at, argument);
  } else if (type == "double") {
    set_as<cl_double>(kernel_.get(), at, argument);
  } else if (type == "int") {
    set_as<cl_int>(kernel_.get(), at, argument);
  } else if (type == "uint" || type == "unsigned int") {
    set_as<cl_uint>(kernel_.get(), at, argument);
  } else if (type == "long") {
    set_as<cl_long>(kernel_.get(), at, argument);
  } else if (type == "ulong" || type == "unsigned long") {
    set_as<cl_ulong>(kernel_.get(), at, argument);
  } else if (type == "short" || type == "ushort") {
    set_as<cl_short>(kernel_.get(), at, argument);
  } else if (type == "char" || type == "uchar") {
    set_as<cl_char>(kernel_.get(), at, argument);
  } else {
    throw Failure(KS_BAD_PARAMETER,
                  "the argument '" + argument.name + "' is a number, the kernel takes " + type);
  }
}

void Work::set_arguments(const Program& program) {
  cl_uint count = 0;
  check(api().get_kernel_info(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
        "reading the kernel's parameters");
  if (count != arguments_.size())
    throw Failure(KS_BAD_PARAMETER, "call has " + std::to_string(arguments_.size()) +
                                        " arguments, the kernel '" + program.function + "' takes " +
                                        std::to_string(count));
  for (cl_uint at = 0; at < count; ++at) {
    const Argument& argument = arguments_[at];
    if (argument.kind == Argument::Kind::number) {
      set_number(at, argument);
      continue;
    }
    if (!type_of(kernel_.get(), at).ends_with('*'))
      throw Failure(KS_BAD_PARAMETER, "the argument '" + argument.name +
                                          "' is an array, the kernel takes " + type_of(kernel_.get(), at));
    check_type(type_of(kernel_.get(), at), argument);
    cl_mem const buffer = buffers_[at].get();
    check(api().set_argument(kernel_.get(), at, sizeof(cl_mem), &buffer),
          "passing '" + argument.name + "'");
  }
}

// A parameter of structs is not checked.
void Work::check_type(const std::string& type, const Argument& argument) {
  const std::size_t bytes = element_bytes(type);
  if (bytes == 0 || (bytes == argument.element && (bytes < 4 || is_real(type) == argument.is_real))) return;
  throw Failure(KS_BAD_PARAMETER, "the argument '" + argument.name +
                                      "' has elements of another type than the " + "kernel takes: " + type +
                                      " of " + std::to_string(bytes) + " bytes each");
}

void Work::run() {
  for (std::size_t at = 0; at < arguments_.size(); ++at) {
    const Argument& argument = arguments_[at];
    if (argument.kind != Argument::Kind::restored || argument.bytes == 0) continue;
    check(api().write_buffer(device_.queue, buffers_[at].get(), CL_TRUE, 0, argument.bytes, argument.data,
                             0, nullptr, nullptr),
          "restoring '" + argument.name + "'");
  }
  cl_event event = nullptr;
  const std::size_t* const local = extent_.local.empty() ? nullptr : extent_.local.data();
  const auto dimensions = static_cast<cl_uint>(extent_.global.size());
  check(api().enqueue_kernel(device_.queue, kernel_.get(), dimensions, nullptr, extent_.global.data(),
                             local, 0, nullptr, &event),
        "starting the kernel");
  const cl_int ended = api().finish(device_.queue);
  cl_ulong from = 0, to = 0;
  const cl_int first =
      api().get_profiling_info(event, CL_PROFILING_COMMAND_START, sizeof from, &from, nullptr);
  const cl_int last = api().get_profiling_info(event, CL_PROFILING_COMMAND_END, sizeof to, &to, nullptr);
  api().release_event(event);
  check(ended, "running the kernel");
  check(first != CL_SUCCESS ? first : last, "reading the times of the kernel");
  seconds_ = static_cast<double>(to - from) * 1e-9;
}

void Work::read(void* to) const {
  const std::size_t bytes = arguments_[shown_].bytes;
  if (bytes == 0) return;
  check(
      api().read_buffer(device_.queue, buffers_[shown_].get(), CL_TRUE, 0, bytes, to, 0, nullptr, nullptr),
      "reading the output");
}

void Work::fill(std::uint8_t byte) {
  const Argument& argument = arguments_[shown_];
  if (argument.bytes == 0) return;
  const auto pattern = static_cast<cl_uchar>(byte);
  check(api().fill_buffer(device_.queue, buffers_[shown_].get(), &pattern, sizeof pattern, 0,
                          argument.bytes, 0, nullptr, nullptr),
        "overwriting the output");
  check(api().finish(device_.queue), "overwriting the output");
}

}  // namespace kernsweep::opencl
