#include "worker/slot/verify/output_sampling.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/reference_rule.hpp"
#include "worker/slot/verify/elements.hpp"
#include "worker/slot/verify/output.hpp"
#include "worker/slot/verify/printed_text.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kPieceRead = 1024;  // elements

// The parts of a text that are also compared with a reference.
std::string hash_of_text(std::string_view text) {
  if (is_binary(text)) return digest_of(text).hex();
  DigestStream hash;
  for (const std::string_view line : trimmed_lines(text)) {
    hash.add(line.data(), line.size());
    hash.add("\n", 1);
  }
  return hash.digest().hex();
}

// Nothing if a word is not a whole number.
std::string hash_of_whole_numbers(std::string_view text) {
  DigestStream hash;
  for (const std::string_view word : words_in(text)) {
    const std::string number = whole_number(word);
    if (number.empty()) return "";
    hash.add((number + " ").data(), number.size() + 1);
  }
  return hash.digest().hex();
}

void sample_text(std::string_view text, OutputSample& out) {
  const auto numbers = numbers_of_text(text);
  if (!numbers) {
    out.type = text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos ? "none" : "text";
    if (out.type == "text") out.hash = hash_of_text(text);
    return;
  }
  OutputSums sums;
  sums.see(*numbers);
  sums.add(*numbers);
  sums.finish(out);
  out.shape = {static_cast<std::int64_t>(numbers->size())};
  out.hash = hash_of_whole_numbers(text);
  out.type = out.hash.empty() ? "real" : "whole";
}

// Calls use(elements) for each piece.
template <class Use>
void for_each_piece(const Elements& output, Use use) {
  std::array<double, kPieceRead> buffer;
  for (std::size_t first = 0; first < output.size(); first += kPieceRead) {
    const std::size_t count = std::min(kPieceRead, output.size() - first);
    use(std::span(output.read(first, count, buffer.data()), count));
  }
}

// For several types of floats the type is the coarsest; the hash is that of the whole numbers, which then
// count for no sum.
void sample_parts(const ks_tensor& output, std::span<const ks_part> parts, OutputSample& out) {
  const auto is_float_part = [](const ks_part& part) { return is_float(static_cast<Dtype>(part.dtype)); };
  const bool has_floats = std::ranges::any_of(parts, is_float_part);
  out.type = name_of(Dtype::s64);
  double coarsest = 0;
  bool has_wholes = false;
  for (const ks_part& part : parts) {
    has_wholes = has_wholes || !is_float_part(part);
    const double tolerance = rounding_tolerance(name_of(static_cast<Dtype>(part.dtype)));
    if (tolerance > coarsest) out.type = name_of(static_cast<Dtype>(part.dtype));
    coarsest = std::max(coarsest, tolerance);
  }
  OutputSums sums;
  DigestStream hash;
  const auto* element = static_cast<const std::int64_t*>(output.data);
  std::vector<double> counted;
  counted.reserve(kPieceRead);
  const auto for_each_counted = [&](auto use) {
    for_each_part_element(output, parts, [&](const ks_part& part, std::int64_t bits) {
      counted.push_back(has_floats && !is_float_part(part) ? 0 : number_of(part, bits));
      if (counted.size() < kPieceRead) return;
      use(counted);
      counted.clear();
    });
    use(counted);
    counted.clear();
  };
  for_each_counted([&](const std::vector<double>& piece) { sums.see(piece); });
  for_each_counted([&](const std::vector<double>& piece) { sums.add(piece); });
  for (const ks_part& part : parts) {
    const auto count = static_cast<std::size_t>(part.elements);
    if (!is_float_part(part)) hash.add(element, count * sizeof *element);
    element += count;
  }
  sums.finish(out);
  if (has_wholes) out.hash = hash.digest().hex();
}

// As 64 bits, so that the same numbers of two types have one hash.
std::string hash_of_whole_elements(const Elements& output) {
  DigestStream hash;
  std::array<double, kPieceRead> buffer;
  std::array<std::int64_t, kPieceRead> numbers;
  for (std::size_t first = 0; first < output.size(); first += kPieceRead) {
    const std::size_t count = std::min(kPieceRead, output.size() - first);
    if (output.dtype() == Dtype::s64) {
      for (std::size_t i = 0; i < count; ++i) numbers[i] = *output.bits(first + i);
    } else {
      const double* const values = output.read(first, count, buffer.data());
      for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int64_t>(values[i]);
    }
    hash.add(numbers.data(), count * sizeof numbers[0]);
  }
  return hash.digest().hex();
}

}  // namespace

OutputSample sample_of(const ks_tensor& output, bool prints_text, std::uint32_t runs,
                       std::span<const ks_part> parts) {
  OutputSample out;
  out.runs = runs;
  const std::size_t count = *element_count(output);
  if (prints_text) {
    sample_text({static_cast<const char*>(output.data), count}, out);
    return out;
  }
  out.type = "none";
  if (count == 0) return out;
  out.shape.assign(output.shape, output.shape + output.rank);
  if (!parts.empty()) {
    sample_parts(output, parts, out);
    return out;
  }
  const bool is_whole = !is_float(dtype_of(output));
  out.type = name_of(is_whole ? Dtype::s64 : dtype_of(output));
  OutputSums sums;
  const Elements elements(output);
  for_each_piece(elements, [&](std::span<const double> piece) { sums.see(piece); });
  for_each_piece(elements, [&](std::span<const double> piece) { sums.add(piece); });
  sums.finish(out);
  if (is_whole) out.hash = hash_of_whole_elements(elements);
  return out;
}

}  // namespace kernsweep
