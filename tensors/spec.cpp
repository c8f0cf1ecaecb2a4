#include "tensors/spec.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "shared/text/home_path.hpp"
#include "shared/base/try.hpp"
#include "tensors/ranges.hpp"

namespace kernsweep {
namespace {

bool is_whole(double x) {
  return std::isfinite(x) && std::floor(x) == x;
}

Status valid_file(const TensorFile& file) {
  const bool safetensors = file.path.ends_with(".safetensors");
  if (!safetensors && !file.path.ends_with(".npy"))
    return failure(
        fmt::format("input file {}: the name ends neither in .npy nor in .safetensors", file.path));
  if (safetensors && file.name.empty())
    return failure(fmt::format("input file {}: a .safetensors file holds several tensors; name one of them",
                               file.path));
  if (!safetensors && !file.name.empty())
    return failure(
        fmt::format("input file {}: a .npy file holds one tensor without a name; leave out \"{}\"",
                    file.path, file.name));
  return Done{};
}

Status valid_uniform(const TensorSpec& spec) {
  if (!std::isfinite(spec.a) || !std::isfinite(spec.b) || !(spec.a < spec.b))
    return failure(
        fmt::format("uniform({}, {}): needs finite bounds with a < b; for a constant write integers(c, c)",
                    spec.a, spec.b));
  const double max = largest_finite(spec.dtype);
  if (std::fabs(spec.a) > max || std::fabs(spec.b) > max || !std::isfinite(spec.b - spec.a) ||
      (spec.dtype != Dtype::f64 && spec.b - spec.a > std::numeric_limits<float>::max()))
    return failure(fmt::format("uniform({}, {}): the range is too wide for {}, whose largest number is {}",
                               spec.a, spec.b, name_of(spec.dtype), max));
  if (smallest_from(spec.dtype, spec.a) > largest_below(spec.dtype, spec.b))
    return failure(fmt::format("uniform({}, {}): no number of type {} lies in this range; widen it", spec.a,
                               spec.b, name_of(spec.dtype)));
  return Done{};
}

Status valid_normal(const TensorSpec& spec) {
  if (!std::isfinite(spec.a) || !std::isfinite(spec.b) || !(spec.b > 0))
    return failure(
        fmt::format("normal({}, {}): needs a finite mean and a deviation above 0; for a constant write "
                    "integers(c, c)",
                    spec.a, spec.b));
  // No variate is farther than 8.6 deviations from the mean.
  if (!(std::fabs(spec.a) + 8.6 * spec.b <= largest_finite(spec.dtype)))
    return failure(fmt::format("normal({}, {}): variates would overflow {}, whose largest number is {}",
                               spec.a, spec.b, name_of(spec.dtype), largest_finite(spec.dtype)));
  return Done{};
}

Status valid_integers(const TensorSpec& spec) {
  if (!is_whole(spec.a) || !is_whole(spec.b) || spec.a > spec.b)
    return failure(
        fmt::format("integers({}, {}): needs two whole numbers, the smaller one first", spec.a, spec.b));
  const IntegerRange range = exact_integers(spec.dtype);
  if (spec.a < range.lowest || spec.b > range.highest)
    return failure(
        fmt::format("integers({}, {}): {} holds whole numbers exactly only from {:.0f} to {:.0f}", spec.a,
                    spec.b, name_of(spec.dtype), range.lowest, range.highest));
  return Done{};
}

Status valid_outliers(const TensorSpec& spec) {
  const double most = largest_finite(spec.dtype) / 8.6;
  if (!(spec.a >= 1 && spec.a <= most) || !is_whole(spec.b) || !(spec.b >= 1 && spec.b <= 0x1p53))
    return failure(
        fmt::format("outliers({}, {}): needs a factor from 1 to {} and a whole period of at least 1",
                    spec.a, spec.b, most));
  return Done{};
}

Status valid_distribution(const TensorSpec& spec) {
  if (!distribution_numbered(static_cast<int>(spec.distribution)))
    return failure(fmt::format("there is no distribution number {}", static_cast<int>(spec.distribution)));
  if (spec.distribution != Distribution::integers && !is_float(spec.dtype))
    return failure(fmt::format("{}: gives fractions, which {} cannot hold; use integers(a, b)",
                               name_of(spec.distribution), name_of(spec.dtype)));
  switch (spec.distribution) {
    case Distribution::uniform:
      return valid_uniform(spec);
    case Distribution::normal:
      return valid_normal(spec);
    case Distribution::integers:
      return valid_integers(spec);
    case Distribution::outliers:
      return valid_outliers(spec);
    case Distribution::kaiming:
      if (spec.fan_in > 0) return Done{};
      return failure(fmt::format("kaiming: fan_in is {}, but must be above 0", spec.fan_in));
    case Distribution::xavier:
      if (spec.fan_in > 0 && spec.fan_out > 0) return Done{};
      return failure(fmt::format("xavier: fan_in is {} and fan_out is {}, but both must be above 0",
                                 spec.fan_in, spec.fan_out));
  }
  return Done{};
}

std::string text_of_source(const TensorSpec& spec) {
  return fmt::format("{} seed {}", spec.distribution_text(), spec.seed);
}

}  // namespace

std::string text_of_shape(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

Result<std::uint64_t> bytes_of(Dtype dtype, const std::vector<std::int64_t>& shape) {
  if (size_of(dtype) == 0)
    return failure(fmt::format("there is no dtype number {}", static_cast<int>(dtype)));
  if (shape.size() > kRankMax)
    return failure(fmt::format("shape {}: has {} dimensions, more than {}", text_of_shape(shape),
                               shape.size(), kRankMax));
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0)
      return failure(fmt::format("shape {}: extent {} is negative", text_of_shape(shape), extent));
    empty = empty || extent == 0;
  }
  std::uint64_t bytes = size_of(dtype);
  for (const std::int64_t extent : shape) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (!empty && bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / factor)
      return failure(fmt::format("shape {} of {}: larger than any memory (2^63 bytes or more)",
                                 text_of_shape(shape), name_of(dtype)));
    bytes = empty ? 0 : bytes * factor;
  }
  return bytes;
}

Status TensorSpec::valid() const {
  KS_RETURN_IF_ERROR(bytes_of(dtype, shape));
  if (file) return valid_file(*file);
  if (!(density > 0.0 && density <= 1.0))
    return failure(fmt::format("density {}: must be above 0 and at most 1 (1 is dense)", density));
  return valid_distribution(*this);
}

std::uint64_t TensorSpec::bytes() const {
  const auto size = bytes_of(dtype, shape);
  KS_ASSERT(size.has_value());
  return *size;
}

std::uint64_t TensorSpec::elements() const {
  return bytes() / size_of(dtype);
}

std::string TensorSpec::canonical() const {
  const std::string what = fmt::format("{} {}", name_of(dtype), text_of_shape(shape));
  if (file) {  // the name is last, after its length, so that no two descriptions have one text
    KS_ASSERT(file->content_hash.has_value());
    return fmt::format("tensor {} file {} {}:{}", what, file->content_hash->hex(), file->name.size(),
                       file->name);
  }
  return fmt::format("tensor {} {} {}", what, kGenerator, text_of_source(*this));
}

std::string TensorSpec::distribution_text() const {
  std::string text(name_of(distribution));
  switch (distribution) {
    case Distribution::kaiming:
      text += fmt::format("({})", fan_in);
      break;
    case Distribution::xavier:
      text += fmt::format("({}, {})", fan_in, fan_out);
      break;
    default:
      text += fmt::format("({}, {})", a, b);
  }
  return density < 1.0 ? text + fmt::format(" density {}", density) : text;
}

Digest TensorSpec::identity() const {
  return digest_of(canonical());
}

std::string TensorSpec::summary() const {
  const std::string what = std::string(name_of(dtype)) + text_of_shape(shape);
  if (!file) return what + " " + text_of_source(*this);
  const std::string path = without_home(file->path);
  return file->name.empty() ? fmt::format("{} {}", what, path)
                            : fmt::format("{} {}:{}", what, path, file->name);
}

}  // namespace kernsweep
