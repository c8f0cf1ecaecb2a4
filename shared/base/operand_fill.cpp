#include "shared/base/operand_fill.hpp"

#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

bool read_number(std::string_view text, double& out) {
  const auto number = number_of<double>(text);
  if (number) out = *number;
  return number.has_value();
}

}  // namespace

std::string_view name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform:
      return "uniform";
    case Distribution::normal:
      return "normal";
    case Distribution::kaiming:
      return "kaiming";
    case Distribution::xavier:
      return "xavier";
    case Distribution::integers:
      return "integers";
    case Distribution::outliers:
      return "outliers";
  }
  return "unknown";
}

std::optional<Distribution> distribution_numbered(std::int64_t number) {
  if (number < 1 || number > 6) return std::nullopt;
  return static_cast<Distribution>(number);
}

bool has_bounds(Distribution distribution) {
  return distribution != Distribution::kaiming && distribution != Distribution::xavier;
}

std::optional<TensorFile> tensor_file_of(const std::string& text) {
  constexpr std::string_view kNamed = ".safetensors";
  const auto colon = text.find(std::string(kNamed) + ":");
  if (colon != std::string::npos)
    return TensorFile{text.substr(0, colon + kNamed.size()), text.substr(colon + kNamed.size() + 1), {}};
  if (text.ends_with(".npy") || text.ends_with(kNamed)) return TensorFile{text, "", {}};
  return std::nullopt;
}

Result<OperandFill> operand_fill_of(const std::string& text) {
  OperandFill out;
  const std::string usage =
      "'" + text +
      "' is not a way to fill an operand; write uniform(a, b), normal(mean, deviation), "
      "outliers(factor, period), "
      "kaiming, xavier or integers(first, last), each with 'density 0.1' behind it "
      "if sparse, or a file: weights.npy, "
      "weights.safetensors:name";
  out.file = tensor_file_of(text);
  if (out.file) return out;
  std::string rest = text;
  if (const auto at = text.find("density"); at != std::string::npos) {
    double density = 0;
    if (!read_number(without_spaces(text.substr(at + 7)), density) || !(density > 0 && density <= 1))
      return failure(usage);
    out.density = density;
    rest = text.substr(0, at);
  }
  rest = without_spaces(rest);
  const auto open = rest.find('(');
  const std::string name = rest.substr(0, open);
  for (std::int64_t number = 1; const auto known = distribution_numbered(number); ++number)
    if (name_of(*known) == name) out.distribution = known;
  if (!out.distribution) return failure(usage);
  if (has_bounds(*out.distribution)) {
    const auto comma = rest.find(',');
    if (open == std::string::npos || comma == std::string::npos || !rest.ends_with(')') ||
        !read_number(std::string_view(rest).substr(open + 1, comma - open - 1), out.a) ||
        !read_number(std::string_view(rest).substr(comma + 1, rest.size() - comma - 2), out.b)) {
      return failure(usage);
    }
  } else if (open != std::string::npos) {
    return failure(usage);
  }
  return out;
}

}  // namespace kernsweep
