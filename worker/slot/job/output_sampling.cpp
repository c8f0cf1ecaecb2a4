#include "worker/slot/job/output_sampling.hpp"

#include <algorithm>

#include "shared/base/digest.hpp"
#include "worker/slot/job/output.hpp"
#include "worker/slot/job/printed_text.hpp"
#include "worker/slot/job/tensor_rows.hpp"

namespace kernsweep {
namespace {

bool is_whole(Dtype dtype) {
  return dtype == Dtype::s8 || dtype == Dtype::u8 || dtype == Dtype::s32 || dtype == Dtype::s64;
}

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

std::string hash_of_elements(const ks_tensor& output) {
  DigestStream hash;
  const std::size_t element = size_of(dtype_of(output));
  for_each_row(output, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
    if (stride == 1) {
      hash.add(row, static_cast<std::size_t>(count) * element);
      return;
    }
    const std::int64_t step = stride * static_cast<std::int64_t>(element);
    for (std::int64_t i = 0; i < count; ++i) hash.add(row + i * step, element);
  });
  return hash.digest().hex();
}

}  // namespace

OutputSample sample_of(const ks_tensor& output, bool prints_text, std::uint32_t runs) {
  OutputSample out;
  out.runs = runs;
  const std::size_t count = *element_count(output);
  if (prints_text) {
    sample_text({static_cast<const char*>(output.data), count}, out);
    return out;
  }
  out.type = "none";
  if (count == 0) return out;
  out.type = name_of(dtype_of(output));
  out.shape.assign(output.shape, output.shape + output.rank);
  OutputSums sums;
  for_each_element(output, [&](double x) { sums.see(x); });
  for_each_element(output, [&](double x) { sums.add(x); });
  sums.finish(out);
  if (is_whole(dtype_of(output))) out.hash = hash_of_elements(output);
  return out;
}

}  // namespace kernsweep
