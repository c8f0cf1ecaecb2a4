#include "worker/slot/runtime_probe.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "kernels/api/pack.h"
#include "shared/tensors/dtype.hpp"
#include "shared/utf8.hpp"
#include "shared/value.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/protocol.pb.h"
#include "worker/slot/binding.hpp"
#include "worker/slot/guarded_memory.hpp"
#include "worker/slot/pack.hpp"

namespace kernsweep {
namespace {

constexpr std::int64_t kElementsMax = 1 << 20;  // of one operand: the point is meant to be small

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

Result<std::string> run_once(const ks_family& family, const ks_variant& variant, const ks_params& params) {
  if (!family.inputs || !variant.prepare || !variant.run || !variant.release)
    return failure("the pack leaves out a function that every kernel needs; see docs/packs.md");
  Why why{};
  const ks_why room{why.data(), why.size()};
  if (variant.can_run && variant.can_run(&params, room) != KS_OK) return refused(why, "the variant");
  GuardedMemory memory;
  std::vector<ks_tensor> operands;
  if (const Status made = make_operands(family, params, memory, operands); !made)
    return tl::unexpected(made.error());
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
  const ks_status ran = variant.run(state);
  const char* const told = variant.runtime ? variant.runtime(state) : nullptr;
  std::string text = told ? as_utf8(told) : "";
  variant.release(state);
  if (ran != KS_OK) return failure("the library is there (" + text + "), but a small product fails");
  return text;
}

}  // namespace

Result<std::string> runtime_of(const RuntimeQuestion& question) {
  const auto pack = Pack::open(question.pack);
  if (!pack) return tl::unexpected(pack.error());
  const ks_family* const family = pack->family(question.family);
  const ks_variant* const variant = family ? variant_of(*family, question.variant) : nullptr;
  if (!variant) return failure(question.pack + " has no " + question.family + "/" + question.variant);
  std::vector<std::string> columns;
  wire::JobBody body;
  for (const auto& [name, value] : question.parameters) {
    columns.push_back(name);
    encode(value_of_scalar(value), *body.add_values());
  }
  const Binding binding(*family, *variant, columns);
  ParamSet params;
  if (const Status filled = binding.fill(body, params); !filled) return tl::unexpected(filled.error());
  return run_once(*family, *variant, params.view());
}

int answer_runtime_question(const std::vector<std::string>& words, int descriptor) {
  if (words.size() < 3) return 2;
  RuntimeQuestion question{words[0], words[1], words[2], {}};
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    if (equals == std::string::npos) return 2;
    question.parameters.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
  }
  const auto text = runtime_of(question);
  std::string line = text ? *text : as_utf8(text.error().message);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line = (text ? "\nruntime " : "\nreason ") + line + "\n";
  if (write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return 1;
  return text ? 0 : 1;
}

}  // namespace kernsweep
