// Any bytes as a .npy and as a .safetensors file: a layout within the file, or an error; never a crash.
#include <cstddef>
#include <cstdint>

#include "tensors/file_layout.hpp"
#include "tensors/spec.hpp"

namespace {

using namespace kernsweep;

void check(TensorFormat format, std::span<const std::byte> file) {
  const auto preamble = file.first(file.size() < kPreambleBytes ? file.size() : kPreambleBytes);
  const auto length = header_bytes(format, preamble, file.size());
  const auto layout = layout_of(format, file, file.size());
  if (!length) {
    KS_ASSERT(!layout && !length.error().message.empty());
    return;
  }
  KS_ASSERT(*length <= file.size());
  if (!layout) {
    KS_ASSERT(!layout.error().message.empty());
    return;
  }
  for (const auto& tensor : *layout) {
    KS_ASSERT(tensor.offset >= *length && tensor.offset <= file.size());
    KS_ASSERT(tensor.bytes <= file.size() - tensor.offset);
    if (!tensor.dtype) continue;
    const auto bytes = bytes_of(*tensor.dtype, tensor.shape);
    KS_ASSERT(bytes.has_value() && *bytes == tensor.bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span file(reinterpret_cast<const std::byte*>(data), size);
  check(TensorFormat::npy, file);
  check(TensorFormat::safetensors, file);
  return 0;
}
