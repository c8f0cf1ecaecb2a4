// Where the tensors lie in a .npy or .safetensors file: read from its header, every number checked.
//
//   .npy          "\x93NUMPY" major minor, length (2 bytes in version 1, 4 in 2 and 3), a Python dictionary
//   with descr,
//                 fortran_order and shape, then the elements.
//   .safetensors  length (8 bytes), a JSON object {name: {dtype, shape, data_offsets: [begin, end]},
//   "__metadata__": ...},
//                 then the data, to which the offsets refer.
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
inline constexpr std::size_t kPreambleBytes = 12;  // what is needed to know how long the header is

struct TensorInFile {
  std::string name;            // empty in .npy
  std::string dtype_text;      // as the file writes it
  std::optional<Dtype> dtype;  // nothing: a type that no kernel takes
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t bytes = 0;
};

enum class TensorFormat { npy, safetensors };
std::optional<TensorFormat> format_of_path(std::string_view path);

// Bytes from the beginning of the file to its data, from its first kPreambleBytes (or fewer, if it has no
// more). Errors: no such file format, a version that nobody knows, a header above kHeaderBytesMax or beyond
// the file's end.
Result<std::uint64_t> header_bytes(TensorFormat format, std::span<const std::byte> preamble,
                                   std::uint64_t file_bytes);

// The tensors of a file, from everything before its data (header_bytes() of it). Their ranges lie within
// the file, do not overlap, and fit their shapes.
Result<std::vector<TensorInFile>> layout_of(TensorFormat format, std::span<const std::byte> header,
                                            std::uint64_t file_bytes);

// The two formats; `header` as above.
Result<TensorInFile> npy_layout(std::span<const std::byte> header, std::uint64_t file_bytes);
Result<std::vector<TensorInFile>> safetensors_layout(std::span<const std::byte> header,
                                                     std::uint64_t file_bytes);

}  // namespace kernsweep
