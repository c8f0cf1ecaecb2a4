#include "coordinator/net/input_record.hpp"

#include <algorithm>

#include "tensors/spec.hpp"

namespace kernsweep::coordinator {
namespace {

// "2048x2048"; "" for a tensor with one element and for an invalid shape.
std::string shape_of(const wire::TensorOrigin& origin) {
  std::string text;
  const auto negative = [](std::int64_t extent) { return extent < 0; };
  if (origin.shape_size() > kRankMax || std::ranges::any_of(origin.shape(), negative)) return text;
  for (const std::int64_t extent : origin.shape())
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

}  // namespace

InputRecord record_of(const wire::Input& input, const Digest& content) {
  InputRecord record;
  record.hash = content;
  record.name = input.name();
  record.generator = input.generator();
  if (const auto identity = digest_from_bytes(input.identity())) record.identity = identity->hex();
  record.bytes = input.bytes();
  const wire::TensorOrigin& origin = input.origin();
  record.dtype = origin.dtype();
  record.shape = shape_of(origin);
  if (origin.source_case() == wire::TensorOrigin::kDistribution) {
    record.source = origin.distribution() + " seed " + std::to_string(origin.seed());
    record.seed = origin.seed();
  } else {
    record.source = origin.file() + (origin.file_member().empty() ? "" : ":" + origin.file_member());
  }
  return record;
}

}  // namespace kernsweep::coordinator
