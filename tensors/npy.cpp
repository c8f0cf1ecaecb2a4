// The header of .npy: a literal Python dictionary. Only the form that NumPy writes and reads is accepted.
#include <fmt/format.h>

#include <limits>

#include "shared/base/try.hpp"
#include "tensors/file_layout.hpp"
#include "tensors/spec.hpp"

namespace kernsweep {
namespace {

struct NpyHeader {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : rest_(text) {}

  std::optional<NpyHeader> read() {
    NpyHeader header;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      if (!read_entry(header)) return std::nullopt;
      if (take(',')) continue;
      if (!take('}')) return std::nullopt;
      break;
    }
    skip_space();
    if (!rest_.empty() || !header.descr || !header.fortran_order || !header.shape) return std::nullopt;
    return header;
  }

 private:
  bool read_entry(NpyHeader& header) {
    const auto key = quoted();
    if (!key || !take(':')) return false;
    if (*key == "descr" && !header.descr) return (header.descr = quoted()).has_value();
    if (*key == "fortran_order" && !header.fortran_order)
      return (header.fortran_order = truth()).has_value();
    if (*key == "shape" && !header.shape) return (header.shape = tuple()).has_value();
    return false;
  }

  void skip_space() {
    const auto end = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
  }
  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> quoted() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const auto end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::optional<bool> truth() {
    if (take_word("True")) return true;
    if (take_word("False")) return false;
    return std::nullopt;
  }
  std::optional<std::int64_t> number() {
    skip_space();
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      const int digit = rest_[digits] - '0';
      if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10) return std::nullopt;
      value = 10 * value + digit;
    }
    if (digits == 0) return std::nullopt;
    rest_.remove_prefix(digits);
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // Python 2 wrote 3L
    return value;
  }
  std::optional<std::vector<std::int64_t>> tuple() {
    std::vector<std::int64_t> values;
    if (!take('(')) return std::nullopt;
    while (!take(')')) {
      const auto value = number();
      if (!value) return std::nullopt;
      values.push_back(*value);
      if (take(',')) continue;
      if (!take(')')) return std::nullopt;
      break;
    }
    return values;
  }

  std::string_view rest_;
};

// '<f4', '|i1', ... ; '=' never appears in files. NumPy has no letter for bf16, f8e4m3 and f8e5m2: they
// look like unnamed bytes and are not accepted.
std::optional<Dtype> dtype_of_descr(std::string_view descr) {
  if (descr == "<f8") return Dtype::f64;
  if (descr == "<f4") return Dtype::f32;
  if (descr == "<f2") return Dtype::f16;
  if (descr == "<i8") return Dtype::s64;
  if (descr == "<i4") return Dtype::s32;
  if (descr == "|i1" || descr == "<i1") return Dtype::s8;
  if (descr == "|u1" || descr == "<u1") return Dtype::u8;
  return std::nullopt;
}

}  // namespace

Result<TensorInFile> npy_layout(std::span<const std::byte> header, std::uint64_t file_bytes) {
  KS_ASSIGN_OR_RETURN(const auto length, header_bytes(TensorFormat::npy, header, file_bytes));
  if (length > header.size()) return failure("is cut off within its header");
  const std::size_t preamble = std::to_integer<int>(header[6]) == 1 ? 10 : 12;
  const std::string_view text(reinterpret_cast<const char*>(header.data()) + preamble,
                              static_cast<std::size_t>(length) - preamble);
  auto read = DictionaryReader(text).read();
  if (!read)
    return failure(
        "has a header that is not {'descr': ..., 'fortran_order': ..., 'shape': ...}; write it with "
        "numpy.save, as an array of plain numbers");
  if (read->descr->starts_with('>'))
    return failure(fmt::format(
        "holds big-endian numbers ('{}'); save array.astype(array.dtype.newbyteorder('<'))", *read->descr));
  TensorInFile tensor{{}, *read->descr, dtype_of_descr(*read->descr), *std::move(read->shape), length, 0};
  if (!tensor.dtype)
    return failure(
        fmt::format("holds elements of type '{}'; convert them to f64, f32, f16, i8, u8, i32 or i64 (.npy "
                    "has no bf16, f8e4m3 or f8e5m2: keep those in a .safetensors file)",
                    tensor.dtype_text));
  KS_ASSIGN_OR_RETURN(const auto bytes, bytes_of(*tensor.dtype, tensor.shape));
  tensor.bytes = bytes;
  if (*read->fortran_order && tensor.shape.size() > 1)
    return failure(
        "holds its array in Fortran order, the first index fastest; save numpy.ascontiguousarray(array)");
  if (tensor.bytes > file_bytes - tensor.offset)
    return failure(
        fmt::format("is cut off: an array of shape {} needs {} bytes, but only {} follow the header",
                    text_of_shape(tensor.shape), tensor.bytes, file_bytes - tensor.offset));
  return tensor;
}

}  // namespace kernsweep
