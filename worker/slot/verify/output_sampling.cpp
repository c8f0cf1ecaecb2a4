#include "worker/slot/verify/output_sampling.hpp"

#include <algorithm>

#include "shared/base/digest.hpp"
#include "shared/base/reference_rule.hpp"
#include "worker/slot/verify/output.hpp"
#include "worker/slot/verify/printed_text.hpp"

namespace kernsweep {
namespace {

// What of a text counts when it is compared with a reference, too.
std::string hash_of_text(std::string_view text) {
  if (is_binary(text)) return digest_of(text).hex();
  DigestStream hash;
  for (const std::string_view line : trimmed_lines(text)) {
    hash.add(line.data(), line.size());
    hash.add("\n", 1);
  }
  return hash.digest().hex();
}

// Nothing if a word is no whole number.
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
  for (const double number : *numbers) sums.see(number);
  for (const double number : *numbers) sums.add(number);
  sums.finish(out);
  out.shape = {static_cast<std::int64_t>(numbers->size())};
  out.hash = hash_of_whole_numbers(text);
  out.type = out.hash.empty() ? "real" : "whole";
}

template <class Use>
void for_each_element(const ks_tensor& output, Use use) {
  const Dtype dtype = dtype_of(output);
  for_each_row(output, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i) use(element_as_double(dtype, row, i * stride));
  });
}

// Of floats the type of the coarsest; the hash is that of the whole numbers, which count for no sum then.
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
  const auto counted = [&](const ks_part& part, std::int64_t bits) {
    return has_floats && !is_float_part(part) ? 0 : number_of(part, bits);
  };
  for_each_part_element(output, parts, [&](const ks_part& part, std::int64_t bits) {
    sums.see(counted(part, bits));
    if (!is_float_part(part)) hash.add(&bits, sizeof bits);
  });
  for_each_part_element(output, parts,
                        [&](const ks_part& part, std::int64_t bits) { sums.add(counted(part, bits)); });
  sums.finish(out);
  if (has_wholes) out.hash = hash.digest().hex();
}

// As 64 bits, so that the same numbers of two types have one hash.
std::string hash_of_whole_elements(const ks_tensor& output) {
  const Dtype dtype = dtype_of(output);
  DigestStream hash;
  for_each_row(output, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t number =
          dtype == Dtype::s64 ? reinterpret_cast<const std::int64_t*>(row)[i * stride]
                              : static_cast<std::int64_t>(element_as_double(dtype, row, i * stride));
      hash.add(&number, sizeof number);
    }
  });
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
  for_each_element(output, [&](double x) { sums.see(x); });
  for_each_element(output, [&](double x) { sums.add(x); });
  sums.finish(out);
  if (is_whole) out.hash = hash_of_whole_elements(output);
  return out;
}

}  // namespace kernsweep
