#include "tensors/file_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return number;
}

constexpr std::string_view kNpyMagic = "\x93NUMPY";

Result<std::uint64_t> npy_header_bytes(std::span<const std::byte> preamble) {
  const std::string_view text(reinterpret_cast<const char*>(preamble.data()), preamble.size());
  if (preamble.size() < 10 || !text.starts_with(kNpyMagic))
    return failure("does not begin like a .npy file; write it with numpy.save");
  const auto major = std::to_integer<int>(preamble[6]);
  if (major == 1) return 10 + little_endian(preamble.subspan(8, 2));
  if (major != 2 && major != 3)
    return failure(fmt::format("is a .npy file of version {}, but only 1, 2 and 3 are known", major));
  if (preamble.size() < 12) return failure("is cut off within its first 12 bytes");
  return 12 + little_endian(preamble.subspan(8, 4));
}

Result<std::uint64_t> safetensors_header_bytes(std::span<const std::byte> preamble) {
  if (preamble.size() < 8) return failure("is cut off within its first 8 bytes");
  const std::uint64_t length = little_endian(preamble.first(8));
  if (length > kHeaderBytesMax)
    return failure(
        fmt::format("announces a header of {} bytes, more than the {} that are read; is it a .safetensors "
                    "file?",
                    length, kHeaderBytesMax));
  return 8 + length;
}

Status check_no_overlap(const std::vector<TensorInFile>& tensors) {
  std::vector<const TensorInFile*> by_offset;
  for (const auto& tensor : tensors)
    if (tensor.bytes > 0) by_offset.push_back(&tensor);
  std::sort(by_offset.begin(), by_offset.end(), [](const TensorInFile* left, const TensorInFile* right) {
    return left->offset < right->offset;
  });
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const auto& before = *by_offset[i - 1];
    if (before.offset + before.bytes > by_offset[i]->offset)
      return failure(fmt::format("is damaged: the data of \"{}\" and \"{}\" overlap", before.name,
                                 by_offset[i]->name));
  }
  return Done{};
}

}  // namespace

std::optional<TensorFormat> format_of_path(std::string_view path) {
  if (path.ends_with(".npy")) return TensorFormat::npy;
  if (path.ends_with(".safetensors")) return TensorFormat::safetensors;
  return std::nullopt;
}

Result<std::uint64_t> header_bytes(TensorFormat format, std::span<const std::byte> preamble,
                                   std::uint64_t file_bytes) {
  auto bytes =
      format == TensorFormat::npy ? npy_header_bytes(preamble) : safetensors_header_bytes(preamble);
  if (!bytes) return bytes;
  if (*bytes > kHeaderBytesMax + kPreambleBytes)
    return failure(fmt::format("announces a header of {} bytes, more than the {} that are read", *bytes,
                               kHeaderBytesMax));
  if (*bytes > file_bytes)
    return failure(
        fmt::format("is cut off: its header ends at byte {}, the file at {}", *bytes, file_bytes));
  return bytes;
}

Result<std::vector<TensorInFile>> layout_of(TensorFormat format, std::span<const std::byte> header,
                                            std::uint64_t file_bytes) {
  if (format == TensorFormat::npy) {
    auto tensor = npy_layout(header, file_bytes);
    KS_RETURN_IF_ERROR(tensor);
    return std::vector<TensorInFile>{*std::move(tensor)};
  }
  auto tensors = safetensors_layout(header, file_bytes);
  if (!tensors) return tensors;
  KS_RETURN_IF_ERROR(check_no_overlap(*tensors));
  return tensors;
}

}  // namespace kernsweep
