#include "worker/slot/operands.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "shared/digest.hpp"
#include "shared/tensors/dtype.hpp"
#include "shared/tensors/spec.hpp"

namespace kernsweep {
namespace {

std::uint64_t seed_of(std::uint64_t sweep_seed, const std::string& operand) {
  const Digest digest = digest_of(std::to_string(sweep_seed) + "/" + operand);
  std::uint64_t seed = 0;
  for (int i = 0; i < 8; ++i) seed = seed << 8 | digest.bytes[static_cast<std::size_t>(i)];
  return seed;
}

Status spec_of(const ks_input& input, wire::TensorSpec& spec) {
  if (input.rank < 0 || input.rank > KS_RANK_MAX || !dtype_numbered(input.dtype)) {
    return failure("the kernel describes its operand '" + std::string(input.name) +
                   "' with a wrong rank or dtype");
  }
  spec.set_dtype(static_cast<std::uint32_t>(input.dtype));
  for (std::int32_t d = 0; d < input.rank; ++d) spec.add_shape(input.shape[d]);
  spec.set_distribution(static_cast<std::uint32_t>(input.distribution));
  spec.set_a(input.a);
  spec.set_b(input.b);
  spec.set_fan_in(input.fan_in);
  spec.set_fan_out(input.fan_out);
  spec.set_density(input.density == 0 ? 1 : input.density);
  return Done{};
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

bool read_number(std::string_view text, double& out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), out);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

Status choose_distribution(const std::string& text, wire::TensorSpec& spec) {
  const std::string usage =
      "'" + text +
      "' is no way to fill an operand; write uniform(a, b), normal(mean, deviation), kaiming, xavier or "
      "integers(first, last), "
      "each with 'density 0.1' behind it if sparse, or a file: weights.npy, weights.safetensors:name";
  const auto colon = text.find(".safetensors:");
  if (text.ends_with(".npy") || text.ends_with(".safetensors") || colon != std::string::npos) {
    const std::size_t end = colon == std::string::npos ? text.size() : colon + 12;
    spec.set_file(text.substr(0, end));
    if (end < text.size()) spec.set_file_member(text.substr(end + 1));
    return Done{};
  }
  std::string rest = text;
  if (const auto at = text.find("density"); at != std::string::npos) {
    double density = 0;
    if (!read_number(without_spaces(text.substr(at + 7)), density) || !(density > 0 && density <= 1))
      return failure(usage);
    spec.set_density(density);
    rest = text.substr(0, at);
  }
  rest = without_spaces(rest);
  const auto open = rest.find('(');
  const std::string name = rest.substr(0, open);
  constexpr std::array<std::string_view, 5> kNames = {"uniform", "normal", "kaiming", "xavier", "integers"};
  const auto known = std::find(kNames.begin(), kNames.end(), name);
  if (known == kNames.end()) return failure(usage);
  const auto distribution = static_cast<ks_distribution>(known - kNames.begin() + 1);
  const bool bounded = distribution != KS_KAIMING && distribution != KS_XAVIER;
  if (bounded) {
    const auto comma = rest.find(',');
    double a = 0;
    double b = 0;
    if (open == std::string::npos || comma == std::string::npos || !rest.ends_with(')') ||
        !read_number(std::string_view(rest).substr(open + 1, comma - open - 1), a) ||
        !read_number(std::string_view(rest).substr(comma + 1, rest.size() - comma - 2), b)) {
      return failure(usage);
    }
    spec.set_a(a);
    spec.set_b(b);
  } else if (open != std::string::npos) {
    return failure(usage);
  }
  spec.set_distribution(static_cast<std::uint32_t>(distribution));
  return Done{};
}

Status Operands::request(const ks_family& family, const ks_params& params, std::uint64_t sweep_seed,
                         const std::vector<std::pair<std::string, std::string>>& choices,
                         wire::TensorRequests& out) {
  inputs_.assign(KS_INPUTS_MAX, ks_input{});
  tensors_.clear();  // a point without operands is never mapped, and must not get those of the one before
  text_.clear();
  std::size_t count = 0;
  if (family.inputs) {
    std::array<char, 512> why{};
    const ks_status status =
        family.inputs(&params, inputs_.data(), inputs_.size(), &count, {why.data(), why.size()});
    if (status != KS_OK || count > inputs_.size()) {
      return failure(why[0] ? why.data() : "the kernel could not describe its operands for this point");
    }
  }
  inputs_.resize(count);
  for (const ks_input& input : inputs_) {
    const std::string name(input.name, strnlen(input.name, KS_NAME_MAX));
    wire::TensorSpec spec;
    if (const Status described = spec_of(input, spec); !described) return described;
    spec.set_seed(seed_of(sweep_seed, name));
    for (const auto& [operand, choice] : choices) {
      if (operand != name) continue;
      if (const Status chosen = choose_distribution(choice, spec); !chosen) {
        return failure("input." + name + ": " + chosen.error().message);
      }
    }
    wire::TensorRequest& request = *out.add_tensors();
    request.set_name(name);
    request.set_spec(spec.SerializeAsString());
    text_ += name + "=" + digest_of(request.spec()).hex() + " ";
  }
  return Done{};
}

Status Operands::map(const wire::TensorRequests& requests, const wire::TensorReplies& replies) {
  if (replies.tensors_size() != requests.tensors_size())
    return failure("the agent answered with another number of operands");
  std::vector<Mapped> kept;
  tensors_.clear();
  for (int i = 0; i < replies.tensors_size(); ++i) {
    const wire::TensorPlace& place = replies.tensors(i);
    const ks_input& input = inputs_[static_cast<std::size_t>(i)];
    const auto bytes = bytes_of(static_cast<Dtype>(input.dtype), {input.shape, input.shape + input.rank});
    if (!bytes || *bytes != place.bytes()) {
      return failure("the agent answered with another size of the operand '" + requests.tensors(i).name() +
                     "'");
    }
    const auto same = std::find_if(mapped_.begin(), mapped_.end(),
                                   [&](const Mapped& m) { return m.identity == place.identity(); });
    if (same != mapped_.end()) {
      kept.push_back(std::move(*same));
      mapped_.erase(same);
    } else {
      auto mapping = TensorMapping::open(place.path(), place.bytes());
      if (!mapping) return tl::unexpected(mapping.error());
      kept.push_back({place.identity(), std::move(*mapping)});
    }
    ks_tensor tensor{kept.back().mapping.bytes().data(), input.dtype, input.rank, {}, {}};
    std::int64_t stride = 1;
    for (std::int32_t d = input.rank; d-- > 0;) {
      tensor.shape[d] = input.shape[d];
      tensor.strides[d] = stride;
      stride *= std::max<std::int64_t>(1, input.shape[d]);
    }
    tensors_.push_back(tensor);
  }
  mapped_ = std::move(kept);
  return Done{};
}

}  // namespace kernsweep
