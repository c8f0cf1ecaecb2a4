#include "worker/slot/pack/runtime_probe.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "kernels/api/pack.h"
#include "shared/base/dtype.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/base/value.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/protocol.pb.h"
#include "worker/slot/job/binding.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/pack/pack.hpp"

namespace kernsweep {
namespace {

constexpr std::int64_t kElementsMax = 1 << 20;  // of one operand, because the point is meant to be small

using Why = std::array<char, 512>;

tl::unexpected<Error> refused(const Why& why, const std::string& where) {
  return failure(why[0] ? std::string(why.data()) : where + " gave no reason");
}

// Dense operands of zeros, in `memory`.
Status make_operands(const ks_family& family, const ks_params& params, GuardedMemory& memory,
                     std::vector<ks_tensor>& out) {
  std::array<ks_input, KS_INPUTS_MAX> inputs{};
  std::size_t count = 0;
  Why why{};
  if (family.inputs(&params, inputs.data(), inputs.size(), &count, {why.data(), why.size()}) != KS_OK)
    return refused(why, "the kernel");
  for (std::size_t i = 0; i < std::min(count, inputs.size()); ++i) {
    const ks_input& input = inputs[i];
    if (input.rank < 0 || input.rank > KS_RANK_MAX || !dtype_numbered(input.dtype))
      return failure("the kernel describes its operand with a wrong rank or dtype");
    ks_tensor tensor{};
    tensor.dtype = input.dtype;
    tensor.rank = input.rank;
    std::int64_t elements = 1;
    for (std::int32_t d = input.rank; d-- > 0;) {
      tensor.shape[d] = input.shape[d];
      tensor.strides[d] = elements;
      if (input.shape[d] < 0 || input.shape[d] > kElementsMax ||
          (elements *= input.shape[d]) > kElementsMax)
        return failure("the point is too large for a look at the library; give a smaller one");
    }
    constexpr std::int64_t kWidestElement = 8;
    tensor.data =
        memory.allocate(static_cast<std::size_t>(std::max<std::int64_t>(1, elements) * kWidestElement));
    if (!tensor.data) return failure("out of memory");
    out.push_back(tensor);
  }
  return Done{};
}

// `runs`: also runs the point; otherwise it is only prepared.
Result<std::string> try_once(const ks_family& family, const ks_variant& variant, const ks_params& params,
                             bool runs) {
  if (!family.inputs || !variant.prepare || !variant.run || !variant.release)
    return failure("the pack leaves out a function that every kernel needs; see docs/reference/packs.md");
  Why why{};
  const ks_why room{why.data(), why.size()};
  if (variant.can_run && variant.can_run(&params, room) != KS_OK) return refused(why, "the variant");
  GuardedMemory memory;
  std::vector<ks_tensor> operands;
  KS_RETURN_IF_ERROR(make_operands(family, params, memory, operands));
  ks_context context{};
  context.size = sizeof context;
  context.threads = 1;
  context.allocate = [](void* host, std::size_t bytes) {
    return static_cast<GuardedMemory*>(host)->allocate(bytes);
  };
  context.host = &memory;
  void* state = nullptr;
  if (variant.prepare(&params, &context, operands.data(), operands.size(), &state, room) != KS_OK)
    return refused(why, "the variant");
  if (!runs) {
    variant.release(state);
    return std::string();
  }
  const ks_status ran = variant.run(state);
  const char* const stated = variant.runtime ? variant.runtime(state) : nullptr;
  std::string text = stated ? as_utf8(stated) : "";
  variant.release(state);
  if (ran != KS_OK) return failure("the library is there (" + text + "), but a small product fails");
  return text;
}

Result<std::string> answer_to(const RuntimeQuestion& question, bool runs) {
  KS_ASSIGN_OR_RETURN(const auto pack, Pack::open(question.pack));
  const ks_family* const family = pack.family(question.family);
  const ks_variant* const variant = family ? variant_of(*family, question.variant) : nullptr;
  if (!variant) return failure(question.pack + " has no " + question.family + "/" + question.variant);
  std::vector<std::string> columns;
  wire::JobBody body;
  for (const auto& [name, value] : question.parameters) {
    columns.push_back(name);
    encode(runs ? value_of_scalar(value) : Value(value), *body.add_values());
  }
  const Binding binding(*family, *variant, columns);
  ParamSet params;
  KS_RETURN_IF_ERROR(binding.fill(body, params));
  return try_once(*family, *variant, params.view(), runs);
}

// PACK FAMILY VARIANT [NAME=VALUE...]
std::optional<RuntimeQuestion> question_of(const std::vector<std::string>& words) {
  if (words.size() < 3) return std::nullopt;
  RuntimeQuestion question{words[0], words[1], words[2], {}};
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    if (equals == std::string::npos) return std::nullopt;
    question.parameters.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
  }
  return question;
}

// Begins with a new line, because libraries may have printed. False: it could not be written.
bool say(const char* word, std::string text, int descriptor) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string line = std::string("\n") + word + " " + text + "\n";
  return write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace

Result<std::string> runtime_of(const RuntimeQuestion& question) {
  return answer_to(question, true);
}

Status prepared(const RuntimeQuestion& question) {
  const auto text = answer_to(question, false);
  return text ? Status(Done{}) : tl::unexpected(text.error());
}

int answer_runtime_question(const std::vector<std::string>& words, int descriptor) {
  const auto question = question_of(words);
  if (!question) return 2;
  const auto text = runtime_of(*question);
  const bool said =
      text ? say("runtime", *text, descriptor) : say("reason", as_utf8(text.error().message), descriptor);
  return said && text ? 0 : 1;
}

int answer_prepare_question(const std::vector<std::string>& words, int descriptor) {
  const auto question = question_of(words);
  if (!question) return 2;
  const Status done = prepared(*question);
  if (!done) say("reason", as_utf8(done.error().message), descriptor);
  return done ? 0 : 1;
}

namespace {

// Searches the libraries of an installation first (shared/base/installation.hpp), as packs do.
void* open_library(const std::string& name) {
  const std::string own = library_folder() + "/" + name;
  const bool searched_elsewhere = name.find('/') != std::string::npos || std::getenv("LD_LIBRARY_PATH");
  void* const opened =
      searched_elsewhere || access(own.c_str(), R_OK) != 0 ? nullptr : dlopen(own.c_str(), RTLD_NOW);
  return opened ? opened : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

int answer_open_question(const std::string& library, int descriptor) {
  if (void* const opened = open_library(library)) {
    link_map* about = nullptr;
    if (dlinfo(opened, RTLD_DI_LINKMAP, &about) != 0 || !about || !about->l_name) return 1;
    std::error_code error;
    const auto real = std::filesystem::canonical(about->l_name, error);
    return say("path", as_utf8(error ? about->l_name : real.string()), descriptor) ? 0 : 1;
  }
  const char* const why = dlerror();
  say("reason", as_utf8(why ? why : "the loader gave no reason"), descriptor);
  return 1;
}

}  // namespace kernsweep
