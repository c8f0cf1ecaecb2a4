// The kernel is one of an OpenCL file of the user. The device's compiler builds it for each setting, and
// the device's clock times it (docs/reference/programs.md).
//
// Parameters: `source`, the file and the call; "opencl.options", of the compiler; "opencl.global" and
// "opencl.local", numbers of work-items; "opencl.device"; those of kernels/source/arguments.hpp.
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/opencl/work.hpp"
#include "kernels/pack_parts.hpp"
#include "kernels/source/arguments.hpp"
#include "shared/text/trimmed.hpp"

namespace {

using namespace kernsweep::opencl;
using kernsweep::OperandRole;
using kernsweep::text_of;
using kernsweep::trimmed;
using kernsweep::source::Arguments;
using kernsweep::source::caught;

struct State {
  ks_context context{};
  std::unique_ptr<Work> work;
  ks_tensor output{};  // a copy in the host's memory
  std::size_t bytes = 0;
  std::uint8_t overwritten = 0;  // the byte that the output was filled with
  std::string runtime;
};

std::string whole_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad() || text.empty())
    throw Failure(KS_FAILED,
                  path +
                      ": it cannot be read, or is empty; the path is relative to the folder where "
                      "the worker was started");
  return text;
}

// The folders that the options name by -I.
std::vector<std::string> folders_in(std::string_view options) {
  std::vector<std::string> out;
  for (std::size_t at = options.find("-I"); at != std::string_view::npos; at = options.find("-I", at)) {
    at = options.find_first_not_of(" \"'", at + 2);
    if (at == std::string_view::npos) break;
    const std::size_t end = options.find_first_of(" \"'", at);
    out.emplace_back(options.substr(at, end - at));
  }
  return out;
}

// Reports the files that a source includes. One that is in none of the folders may be the driver's own, or
// named by a macro: then the result is not reused.
class Included {
 public:
  Included(const ks_context& context, std::vector<std::string> folders)
      : context_(context), folders_(std::move(folders)) {}

  void report(const std::string& path, const std::string& text) {
    if (context_.report_source == nullptr || !known_.insert(path).second) return;
    context_.report_source(context_.host, "input", path.c_str(), path.c_str());
    const std::string own = std::filesystem::path(path).parent_path().string();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::string_view rest = trimmed(line);
      if (!rest.starts_with('#')) continue;
      rest = trimmed(rest.substr(1));
      if (!rest.starts_with("include")) continue;
      rest = trimmed(rest.substr(std::string_view("include").size()));
      const auto shut = rest.find_first_of("\">", 1);
      const bool is_name =
          (rest.starts_with('"') || rest.starts_with('<')) && shut != std::string_view::npos;
      if (!is_name || !report_named(own, std::string(rest.substr(1, shut - 1))))
        context_.report_source(context_.host, "unknown", "", "");
    }
  }

 private:
  bool report_named(const std::string& own, const std::string& name) {
    std::vector<std::string> folders{own};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const std::string& folder : folders) {
      const auto file = std::filesystem::path(folder) / name;
      std::error_code error;
      if (!std::filesystem::is_regular_file(file, error)) continue;
      report(file.string(), whole_text(file.string()));
      return true;
    }
    return false;
  }

  const ks_context& context_;
  std::vector<std::string> folders_;
  std::set<std::string> known_;
};

// "4096, 16" as numbers.
std::vector<std::size_t> extents_of(const ks_params& params, const char* name) {
  std::vector<std::size_t> out;
  std::string_view left = trimmed(text_of(params, name));
  for (bool more = !left.empty(); more;) {
    const auto comma = left.find(',');
    const std::string_view part = trimmed(left.substr(0, comma));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size() || number == 0)
      throw Failure(KS_BAD_PARAMETER, "launch: '" + std::string(part) + "' is not a whole number above 0");
    out.push_back(number);
    more = comma != std::string_view::npos;
    if (more) left.remove_prefix(comma + 1);
  }
  return out;
}

Extent extent_of(const ks_params& params) {
  Extent out{extents_of(params, "opencl.global"), extents_of(params, "opencl.local")};
  if (out.global.empty() || out.global.size() > 3)
    throw Failure(KS_BAD_PARAMETER, "launch.global has 1 to 3 numbers of work-items");
  if (!out.local.empty() && out.local.size() != out.global.size())
    throw Failure(KS_BAD_PARAMETER, "launch.local has as many numbers as launch.global");
  return out;
}

std::vector<Argument> arguments_for(const Arguments& from) {
  std::vector<Argument> out;
  for (const auto& each : from.arguments) {
    Argument argument;
    argument.name = each.name;
    argument.number = each.number;
    if (each.operand != SIZE_MAX) {
      const auto& operand = from.operands[each.operand];
      const OperandRole role = operand.text.role;
      argument.kind = role == OperandRole::output     ? Argument::Kind::written
                      : role == OperandRole::in_place ? Argument::Kind::restored
                                                      : Argument::Kind::read;
      argument.data = role == OperandRole::output ? nullptr : operand.tensor.data;
      argument.bytes = operand.bytes;
      argument.element = kernsweep::size_of(operand.text.dtype);
      argument.is_real = kernsweep::is_float(operand.text.dtype);
    }
    out.push_back(std::move(argument));
  }
  return out;
}

// "matmul.cl: product" in two parts.
std::pair<std::string, std::string> file_and_function(const std::string& text) {
  const auto colon = text.rfind(": ");
  if (colon == std::string::npos)
    throw Failure(KS_BAD_PARAMETER, "'" + text + "' names no file; a sweep has the keys source and call");
  return {text.substr(0, colon), text.substr(colon + 2)};
}

ks_status can_run(const ks_params* params, ks_why why) {
  return caught(why, [&] { (void)extent_of(*params); });
}

ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                  std::size_t count, void** state, ks_why why) {
  return caught(why, [&] {
    const Arguments arguments = kernsweep::source::arguments_of(*params, *context, inputs, count);
    if (arguments.shown == SIZE_MAX)
      throw Failure(KS_BAD_PARAMETER,
                    "a kernel of OpenCL needs an operand with the role output or in_place");
    const auto [file, function] = file_and_function(arguments.function);
    const std::string folder = std::filesystem::path(file).parent_path().string();
    const std::string text = whole_text(file);
    std::string options = text_of(*params, "opencl.options");
    options += (options.empty() ? "-I " : " -I ") + (folder.empty() ? "." : folder);
    Included(*context, folders_in(options)).report(file, text);
    std::size_t shown = 0;
    while (arguments.arguments[shown].operand != arguments.shown) ++shown;
    auto made = std::make_unique<State>();
    const Device& device = open_device(text_of(*params, "opencl.device"), context->threads);
    made->work = std::make_unique<Work>(device, Program{text, function, options}, arguments_for(arguments),
                                        extent_of(*params), shown);
    made->context = *context;
    made->output = arguments.operands[arguments.shown].tensor;
    made->bytes = arguments.operands[arguments.shown].bytes;
    if (arguments.operands[arguments.shown].text.role == OperandRole::in_place)
      made->output.data = context->allocate(context->host, std::max<std::size_t>(1, made->bytes));
    if (made->output.data == nullptr)
      throw Failure(KS_OUT_OF_MEMORY, "the host has no memory for a copy of the output");
    made->runtime = device.text;
    *state = made.release();
  });
}

// Runs `call` with the state; a failure is explained to the host.
template <class Call>
ks_status with(void* handle, Call&& call) {
  State& state = *static_cast<State*>(handle);
  std::array<char, 512> reason{};
  const ks_status status = caught({reason.data(), reason.size()}, [&] { call(state); });
  if (status != KS_OK && state.context.explain != nullptr)
    state.context.explain(state.context.host, reason.data());
  return status;
}

ks_status run(void* handle) {
  return with(handle, [](State& state) { state.work->run(); });
}

ks_status output(void* handle, ks_tensor* out) {
  return with(handle, [&](State& state) {
    state.work->read(const_cast<void*>(state.output.data));
    *out = state.output;
  });
}

double elapsed(void* handle) {
  return static_cast<State*>(handle)->work->seconds();
}

// Another byte each time: a call that returns what an earlier call found is seen.
ks_status overwrite(void* handle) {
  return with(handle, [](State& state) {
    state.overwritten = state.overwritten == 0x5A ? 0xA5 : 0x5A;
    state.work->fill(state.overwritten);
  });
}

ks_status left(void* handle, ks_left* out) {
  return with(handle, [&](State& state) {
    state.work->read(const_cast<void*>(state.output.data));
    const std::size_t size = kernsweep::size_of(static_cast<kernsweep::Dtype>(state.output.dtype));
    const auto* const data = static_cast<const std::uint8_t*>(state.output.data);
    out->elements = state.bytes / size;
    for (std::size_t i = 0; i < state.bytes; i += size) {
      bool same = true;
      for (std::size_t b = 0; b < size; ++b) same = same && data[i + b] == state.overwritten;
      out->left += same ? 1 : 0;
    }
    // A single byte may be the result.
    if (size < 4 && out->left < out->elements) out->left = 0;
    out->kind = out->left == 0 ? KS_LEFT_NOTHING : KS_LEFT_PART;
  });
}

void restore(void*) {}

void release(void* handle) {
  delete static_cast<State*>(handle);
}

const char* runtime(void* handle) {
  return static_cast<State*>(handle)->runtime.c_str();
}

ks_status available(ks_why why) {
  return caught(why, [] { find_driver(); });
}

const ks_param_doc kParams[] = {
    {"source", KS_TEXT, nullptr, nullptr, "the file and the call; a sweep has the keys source and call"},
    {"opencl.options", KS_TEXT, "", nullptr,
     "options of the device's compiler; a sweep has the key compile"},
    {"opencl.global", KS_TEXT, nullptr, nullptr, "numbers of work-items; a sweep has the key launch"},
    {"opencl.local", KS_TEXT, "", nullptr, "work-items of a work-group; a sweep has the key launch"},
    {"opencl.device", KS_TEXT, "", nullptr, "a part of the device's or platform's name"}};

const ks_variant kOpencl = {.name = "opencl",
                            .summary = "runs it on an OpenCL device, timed by the device's clock",
                            .can_run = can_run,
                            .prepare = prepare,
                            .run = run,
                            .output = output,
                            .elapsed = elapsed,
                            .release = release,
                            .runtime = runtime,
                            .available = available,
                            .overwrite = overwrite,
                            .left = left,
                            .restore = restore};
const std::array kVariants = {&kOpencl};

const ks_family kFamily = {.name = "opencl",
                           .summary = "a kernel of an OpenCL file of yours",
                           .params = kParams,
                           .param_count = std::size(kParams),
                           .any_params = 1,
                           .inputs = kernsweep::no_inputs,
                           .work = kernsweep::source::work_of,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size(),
                           .settings = "opencl.device"};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = kernsweep::pack_of("opencl", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  return host_major == KS_API_MAJOR && host_minor >= KS_API_MINOR ? &kPack : nullptr;
}
