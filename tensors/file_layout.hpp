// The positions of the tensors in a .npy or .safetensors file, from its header; every number is checked.
//
//   .npy          "\x93NUMPY" major minor, length (2 bytes in version 1, 4 in 2 and 3), a Python dictionary
//                 with descr, fortran_order and shape, then the elements.
//   .safetensors  length (8 bytes), a JSON object {name: {dtype, shape, data_offsets: [begin, end]},
//                 "__metadata__": ...}, then the data, to which the offsets refer.
// All numbers are little endian. The bytes are not trusted: for any input each function returns a layout or
// an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/dtype.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

inline constexpr std::uint64_t kHeaderBytesMax = 16u << 20;
inline constexpr std::size_t kPreambleBytes = 12;  // enough bytes to find the header's length

struct TensorInFile {
  std::string name;            // empty in .npy
  std::string dtype_text;      // as the file writes it
  std::optional<Dtype> dtype;  // nothing: a type that no kernel has
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t bytes = 0;
};

enum class TensorFormat { npy, safetensors };
// By the extension; nothing if it is another one.
std::optional<TensorFormat> format_of_path(std::string_view path);

// Number of bytes before the data, from the first kPreambleBytes of the file (or fewer, if it has no more).
// Errors: not of this format, an unknown version, a header above kHeaderBytesMax or beyond the file's end.
Result<std::uint64_t> header_bytes(TensorFormat format, std::span<const std::byte> preamble,
                                   std::uint64_t file_bytes);

// The tensors of a file, from all bytes before its data (header_bytes() of them). Their ranges are within
// the file, do not overlap, and fit their shapes.
Result<std::vector<TensorInFile>> layout_of(TensorFormat format, std::span<const std::byte> header,
                                            std::uint64_t file_bytes);

// One function for each format; `header` as above.
Result<TensorInFile> npy_layout(std::span<const std::byte> header, std::uint64_t file_bytes);
Result<std::vector<TensorInFile>> safetensors_layout(std::span<const std::byte> header,
                                                     std::uint64_t file_bytes);

}  // namespace kernsweep
