#include "worker/slot/verify/reference_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>

#include "shared/base/dtype.hpp"
#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/json_tree.hpp"
#include "tensors/files.hpp"
#include "tensors/spec.hpp"
#include "worker/slot/verify/printed_text.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kWordShown = 100;

// The whole numbers among the elements of one side, as digits.
class WholeNumbers {
 public:
  WholeNumbers(const ReferenceOutput& of, bool as_text) : of_(of) {
    if (as_text) words_ = words_in(*of.text);
  }
  // Empty: element `at` is not a whole number. Requires that `at` never decreases.
  std::string shown(std::size_t at) {
    if (at < words_.size())
      return whole_number(words_[at]).empty() ? "" : std::string(words_[at].substr(0, kWordShown));
    while (part_ < of_.parts.size() && at >= before_ + of_.parts[part_].elements)
      before_ += of_.parts[part_++].elements;
    if (part_ == of_.parts.size() || at >= of_.values.size() || !of_.parts[part_].is_whole()) return "";
    const auto number = of_.values.bits(at);
    if (!number) return "";
    return of_.parts[part_].is_unsigned ? std::to_string(static_cast<std::uint64_t>(*number))
                                        : std::to_string(*number);
  }
  // Equal texts for equal numbers.
  std::string at(std::size_t at) { return whole_number(at < words_.size() ? words_[at] : shown(at)); }

 private:
  const ReferenceOutput& of_;
  std::vector<std::string_view> words_;
  std::size_t part_ = 0;
  std::uint64_t before_ = 0;  // elements of earlier parts
};

// Whole numbers from 2^53 on may differ and still be the same double. Requires that all are equal doubles.
std::string flaw_of_digits(const Judgement& judged, WholeNumbers output, WholeNumbers reference) {
  if (judged.comparison.largest < kWholeDoubleMax && judged.comparison.inf_count == 0) return "";
  for (std::size_t i = 0; i < judged.values.size(); ++i) {
    if (!(std::abs(judged.values[i]) >= kWholeDoubleMax)) continue;
    const std::string a = output.at(i), b = reference.at(i);
    if (!a.empty() && !b.empty() && a != b)
      return "number " + std::to_string(i + 1) + " is " + output.shown(i) + ", the reference has " +
             reference.shown(i);
  }
  return "";
}

std::string shown(const std::vector<std::string_view>& lines, std::size_t at) {
  if (at >= lines.size()) return "missing";
  return "'" + one_line(lines[at], kWordShown) + "'";
}

// In bytes that are not text every byte counts, including blanks, and none is quoted.
std::string flaw_of_bytes(std::string_view bytes, std::string_view right) {
  const auto [a, b] = std::mismatch(bytes.begin(), bytes.end(), right.begin(), right.end());
  if (a == bytes.end() && b == right.end()) return "";
  const auto shown = [](std::string_view all, const char* at) {
    if (at == all.end()) return std::string("missing");
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "0x%02x", static_cast<unsigned char>(*at));
    return std::string(text.data());
  };
  return "the byte at offset " + std::to_string(a - bytes.begin()) + " of the output is " +
         shown(bytes, a) + ", of the reference " + shown(right, b) + "; they have " +
         std::to_string(bytes.size()) + " and " + std::to_string(right.size()) + " bytes";
}

std::string flaw_of_text(std::string_view text, std::string_view right) {
  if (is_binary(text) || is_binary(right)) return flaw_of_bytes(text, right);
  const auto lines = trimmed_lines(text), expected = trimmed_lines(right);
  const auto [a, b] = std::mismatch(lines.begin(), lines.end(), expected.begin(), expected.end());
  if (a == lines.end() && b == expected.end()) return "";
  const auto at = static_cast<std::size_t>(a - lines.begin());
  return "line " + std::to_string(at + 1) + " of the output is " + shown(lines, at) +
         ", of the reference " + shown(expected, at);
}

// The first lines of `a` that `b` lacks, both sorted, in quotes: "'b', 'c' and 3 more".
std::string lines_without(std::string_view a, std::string_view b) {
  constexpr std::size_t kShown = 3;
  const auto lines_of = [](std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      out.push_back(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    return out;
  };
  std::vector<std::string_view> only;
  std::ranges::set_difference(lines_of(a), lines_of(b), std::back_inserter(only));
  std::string out;
  for (std::size_t at = 0; at < std::min(only.size(), kShown); ++at)
    out += (out.empty() ? "'" : ", '") + std::string(only[at]) + "'";
  return only.size() <= kShown ? out : out + " and " + std::to_string(only.size() - kShown) + " more";
}

std::string flaw_of_keys(const std::string& output, const std::string& reference) {
  const std::string lacks = lines_without(reference, output), has = lines_without(output, reference);
  std::string out = lacks.empty() ? "" : "the output lacks the keys of the reference: " + lacks;
  if (!has.empty())
    out +=
        (out.empty() ? "the output" : "; it") + std::string(" has keys that the reference lacks: ") + has;
  return out;
}

// An array with one long dimension, or without shape, may have lost its shape, for example in a file.
bool is_flat(const std::vector<std::int64_t>& shape) {
  return std::ranges::count_if(shape, [](std::int64_t extent) { return extent != 1; }) <= 1;
}

// Extents of 1 change neither the elements nor their order.
std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape) {
  std::erase(shape, 1);
  return shape;
}

Result<std::string> whole_file(const std::string& path, std::uint64_t most) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return failure(path + ": cannot be read");
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(0, file.tellg()));
  if (size > most)
    return failure(path + ": has " + std::to_string(size) + " bytes, at most " + std::to_string(most) +
                   " can be compared");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    return failure(path + ": cannot be read");
  return bytes;
}

// `has_text`: the text also of bytes that are not text.
Result<ReferenceOutput> read_output(const ks_tensor& output, bool is_text, bool has_text,
                                    std::span<const ks_part> parts, std::string keys) try {
  ReferenceOutput out;
  out.keys = std::move(keys);
  KS_ASSIGN_OR_RETURN(const auto count, element_count(output));
  const Elements values(output, parts_from(parts));
  if (is_text || has_text) {
    out.text = std::string(count, '\0');
    values.store(reinterpret_cast<std::byte*>(out.text->data()));
  }
  if (is_text) return out;
  out.values = values;
  out.shape.emplace(output.shape, output.shape + output.rank);
  out.parts = parts_from(parts);
  if (parts.empty()) out.parts.push_back({count, dtype_of(output)});
  return out;
} catch (const std::bad_alloc&) {
  return failure("there is no memory for the text of an output");
}

}  // namespace

Result<ReferenceOutput> reference_output_of(const ks_tensor& output, bool is_text,
                                            std::span<const ks_part> parts, std::string keys) {
  return read_output(output, is_text, output.dtype == KS_U8 && output.rank == 1, parts, std::move(keys));
}

Result<ReferenceOutput> with_own_values(ReferenceOutput output) try {
  if (output.values.empty()) return output;
  const auto bytes = std::make_shared<std::vector<std::byte>>(output.values.bytes());
  output.values.store(bytes->data());
  output.values = output.values.stored_at(bytes->data(), bytes);
  return output;
} catch (const std::exception&) {  // bad_alloc, or length_error
  return failure("there is no memory to keep an output of " + std::to_string(output.values.size()) +
                 " elements");
}

Result<ReferenceOutput> reference_output_in(const std::string& path) {
  ReferenceOutput out;
  if (!path.ends_with(".npy")) {
    KS_ASSIGN_OR_RETURN(auto text, whole_file(path, kReferenceTextMax));
    out.text = std::move(text);
    return out;
  }
  KS_ASSIGN_OR_RETURN(const auto tensors, tensors_in_file(path));
  const TensorInFile& tensor = tensors.front();
  if (!tensor.dtype)
    return failure(path + ": its elements are of the type " + tensor.dtype_text +
                   ", which cannot be compared; write f64, f32, f16, s8, u8, s32 or s64");
  KS_ASSIGN_OR_RETURN(const auto bytes, whole_file(path, kReferenceBytesMax));
  if (tensor.offset + tensor.bytes > bytes.size())
    return failure(path + ": is shorter than its header says");
  // Copied, because the data begins at any offset.
  std::string data = bytes.substr(tensor.offset, tensor.bytes);
  ks_tensor view{data.data(), static_cast<ks_dtype>(*tensor.dtype), 0, {}, {}};
  if (tensor.shape.size() > KS_RANK_MAX) return failure(path + ": has too many dimensions");
  view.rank = static_cast<std::int32_t>(tensor.shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = tensor.shape.size(); d-- > 0;) {
    view.shape[d] = tensor.shape[d];
    view.strides[d] = stride;
    stride *= std::max<std::int64_t>(1, tensor.shape[d]);
  }
  auto read = reference_output_of(view, false);
  if (read) read = with_own_values(*std::move(read));
  if (!read) return failure(path + ": " + read.error().message);
  read->text.reset();  // an array of u8 is a list of numbers
  return read;
}

std::size_t elements_of_scale(const ks_tensor& output, const ReferenceOutput& reference,
                              std::int32_t scale_dims) {
  const std::span<const std::int64_t> shape(output.shape, static_cast<std::size_t>(output.rank));
  const std::size_t own = elements_of_scale(shape, scale_dims);
  return reference.shape ? std::min(own, elements_of_scale(*reference.shape, scale_dims)) : own;
}

Judgement judge(const ReferenceOutput& output, const ReferenceOutput& reference, const Allowance& allowance,
                std::size_t slice) {
  Judgement out;
  if (!output.keys.empty() && !reference.keys.empty()) out.flaw = flaw_of_keys(output.keys, reference.keys);
  if (!out.flaw.empty()) return out;
  // Bytes of a kernel are compared as text only with text, and as numbers otherwise.
  const bool a_text = output.text && (output.values.empty() || reference.text);
  const bool b_text = reference.text && (reference.values.empty() || output.text);
  auto a = a_text ? numbers_of_text(*output.text) : std::nullopt;
  auto b = b_text ? numbers_of_text(*reference.text) : std::nullopt;
  const bool as_text = (a_text && !a) || (b_text && !b);
  const bool both_bytes = !output.values.empty() && !reference.values.empty();
  const bool is_a_text = a && !both_bytes, is_b_text = b && !both_bytes;
  if (as_text && !both_bytes) {
    if (!a_text || !b_text) {
      out.flaw = a_text ? "the output is text, the reference has numbers"
                        : "the output has numbers, the reference is text";
      return out;
    }
    out.flaw = flaw_of_text(*output.text, *reference.text);
    out.within = out.flaw.empty();
    return out;
  }
  out.values = is_a_text ? Elements(*std::move(a)) : output.values;
  out.right = is_b_text ? Elements(*std::move(b)) : reference.values;
  if (out.values.size() != out.right.size()) {
    out.flaw = "the output has " + std::to_string(out.values.size()) + " elements, the reference " +
               std::to_string(out.right.size());
    return out;
  }
  if (output.shape && reference.shape && without_ones(*output.shape) != without_ones(*reference.shape) &&
      !is_flat(*output.shape) && !is_flat(*reference.shape)) {
    out.flaw = "the output has the shape " + text_of_shape(*output.shape) + ", the reference " +
               text_of_shape(*reference.shape);
    return out;
  }
  const std::vector<OutputPart> none, &of_output = is_a_text ? none : output.parts,
                                      &of_reference = is_b_text ? none : reference.parts;
  ks_tolerance whole = allowance.between(Dtype::s64, std::nullopt);
  if (of_output.size() > 1 || (!of_output.empty() && of_reference.size() > 1)) {
    out.comparison =
        compare(out.values, out.right, stretches_of(of_output, of_reference, out.right, allowance));
  } else {
    const Dtype dtype = of_output.empty() ? Dtype::u8 : of_output.front().dtype;
    whole = allowance.between(
        dtype, of_reference.empty() ? std::nullopt : std::optional(of_reference.front().dtype));
    out.comparison = compare(out.values, out.right, whole, slice);
  }
  out.within = out.comparison.within;
  if (!out.within || whole.relative != 0 || whole.absolute != 0) return out;
  out.flaw = flaw_of_digits(out, {output, is_a_text}, {reference, is_b_text});
  out.within = out.flaw.empty();
  return out;
}

Result<Judgement> judge(const ks_tensor& output, bool is_text, const ReferenceOutput& reference,
                        const Allowance& allowance, std::size_t slice, std::span<const ks_part> parts,
                        std::string keys) {
  const bool is_bytes = output.dtype == KS_U8 && output.rank == 1;
  KS_ASSIGN_OR_RETURN(const auto read, read_output(output, is_text, is_bytes && reference.text.has_value(),
                                                   parts, std::move(keys)));
  return judge(read, reference, allowance, slice);
}

bool is_current(const ReferenceOutput& output, FileHashes& hashes) {
  return std::ranges::all_of(output.sources, [&](const ReferenceOutput::Source& source) {
    const auto now = hashes.hash_of(source.path);
    return now ? now->hex() == source.hash : source.hash.empty();
  });
}

}  // namespace kernsweep
