#include "worker/slot/job/operands.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "shared/base/digest.hpp"
#include "shared/base/dtype.hpp"
#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"
#include "tensors/spec.hpp"

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

Result<std::uint64_t> bytes_of_input(const ks_input& input) {
  return bytes_of(static_cast<Dtype>(input.dtype), {input.shape, input.shape + input.rank});
}

}  // namespace

ks_tensor dense_tensor(const void* data, ks_dtype dtype, const std::vector<std::int64_t>& shape) {
  ks_tensor tensor{data, dtype, static_cast<std::int32_t>(shape.size()), {}, {}};
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    tensor.shape[d] = shape[d];
    tensor.strides[d] = stride;
    stride *= std::max<std::int64_t>(1, shape[d]);
  }
  return tensor;
}

bool same_operands(const std::vector<ks_input>& a, const std::vector<ks_input>& b) {
  return std::ranges::equal(a, b, [](const ks_input& x, const ks_input& y) {
    return std::string_view(x.name) == y.name && x.dtype == y.dtype && x.rank == y.rank && x.rank >= 0 &&
           x.rank <= KS_RANK_MAX && std::equal(x.shape, x.shape + x.rank, y.shape);
  });
}

Status choose_distribution(const std::string& text, wire::TensorSpec& spec) {
  KS_ASSIGN_OR_RETURN(const auto fill, operand_fill_of(text));
  if (fill.file) {
    spec.set_file(fill.file->path);
    if (!fill.file->name.empty()) spec.set_file_member(fill.file->name);
    return Done{};
  }
  if (fill.density) spec.set_density(*fill.density);
  if (has_bounds(*fill.distribution)) {
    spec.set_a(fill.a);
    spec.set_b(fill.b);
  }
  spec.set_distribution(static_cast<std::uint32_t>(*fill.distribution));
  return Done{};
}

Status Operands::request(const ks_family& family, const ks_params& params, std::uint64_t sweep_seed,
                         const std::vector<std::pair<std::string, std::string>>& choices,
                         wire::TensorRequests& out) {
  inputs_.assign(KS_INPUTS_MAX, ks_input{});
  tensors_.clear();  // a point without operands is not mapped: it must not get the previous ones
  copies_.clear();
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
  return request(inputs_, sweep_seed, choices, out);
}

Status Operands::request_described(const std::vector<ks_input>& inputs, std::uint64_t sweep_seed,
                                   const std::vector<std::pair<std::string, std::string>>& choices,
                                   wire::TensorRequests& out) {
  inputs_ = inputs;
  tensors_.clear();
  copies_.clear();
  return request(inputs_, sweep_seed, choices, out);
}

Status Operands::request(const std::vector<ks_input>& inputs, std::uint64_t sweep_seed,
                         const std::vector<std::pair<std::string, std::string>>& choices,
                         wire::TensorRequests& out) {
  for (const ks_input& input : inputs) {
    const std::string name(input.name, strnlen(input.name, KS_NAME_MAX));
    wire::TensorSpec spec;
    KS_RETURN_IF_ERROR(spec_of(input, spec));
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
  }
  return Done{};
}

std::vector<std::string> Operands::names() const {
  std::vector<std::string> out;
  for (const ks_input& input : inputs_) out.emplace_back(input.name);
  return out;
}

std::uint64_t Operands::footprint(const wire::TensorRequests& requests) const {
  std::uint64_t all = 0;
  std::set<std::string_view> counted;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!counted.insert(requests.tensors(static_cast<int>(i)).spec()).second) continue;
    const auto bytes = bytes_of_input(inputs_[i]);
    if (!bytes || __builtin_add_overflow(all, *bytes, &all)) return 0;
  }
  return all;
}

void Operands::request_copies(std::size_t more, wire::TensorRequests& requests) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (bytes_of_input(inputs_[i]).value_or(0) == 0) continue;
    requests.mutable_tensors(static_cast<int>(i))->set_copies(static_cast<std::uint32_t>(more));
  }
}

Status Operands::map(const wire::TensorRequests& requests, const wire::TensorReplies& replies) {
  if (replies.tensors_size() != requests.tensors_size())
    return failure("the worker answered with another number of operands");
  std::vector<Mapped> kept;
  tensors_.clear();
  copies_.clear();
  for (int i = 0; i < replies.tensors_size(); ++i) {
    const wire::TensorPlace& place = replies.tensors(i);
    const ks_input& input = inputs_[static_cast<std::size_t>(i)];
    const auto bytes = bytes_of_input(input);
    if (!bytes || *bytes != place.bytes()) {
      return failure("the worker answered with another size of the operand '" + requests.tensors(i).name() +
                     "'");
    }
    KS_ASSIGN_OR_RETURN(const auto data, map_one(place, 0, kept));
    tensors_.push_back(dense_tensor(data, input.dtype, {input.shape, input.shape + input.rank}));
  }
  if (!map_copies(requests, replies, kept)) {
    copies_.clear();
    std::erase_if(kept, [](const Mapped& mapped) { return mapped.copy > 0; });
  }
  mapped_ = std::move(kept);
  return Done{};
}

Status Operands::map_copies(const wire::TensorRequests& requests, const wire::TensorReplies& replies,
                            std::vector<Mapped>& kept) {
  for (int i = 0; i < requests.tensors_size(); ++i) {
    const auto wanted = static_cast<int>(requests.tensors(i).copies());
    const wire::TensorPlace& place = replies.tensors(i);
    if (place.copies_size() != wanted) return failure("the host has no copies");
    copies_.resize(std::max(copies_.size(), static_cast<std::size_t>(wanted)), tensors_);
    for (int copy = 1; copy <= wanted; ++copy) {
      KS_ASSIGN_OR_RETURN(const auto data, map_one(place, copy, kept));
      copies_[static_cast<std::size_t>(copy - 1)][static_cast<std::size_t>(i)].data = data;
    }
  }
  return Done{};
}

// Moves the existing mapping to `kept`, or adds a new one.
Result<const void*> Operands::map_one(const wire::TensorPlace& place, int copy, std::vector<Mapped>& kept) {
  const auto same = std::find_if(mapped_.begin(), mapped_.end(), [&](const Mapped& m) {
    return m.copy == copy && m.identity == place.identity();
  });
  if (same != mapped_.end()) {
    kept.push_back(std::move(*same));
    mapped_.erase(same);
  } else {
    KS_ASSIGN_OR_RETURN(auto mapping, TensorMapping::open(copy == 0 ? place.path() : place.copies(copy - 1),
                                                          place.bytes()));
    kept.push_back({place.identity(), copy, std::move(mapping)});
  }
  return kept.back().mapping.bytes().data();
}

}  // namespace kernsweep
