#include "tensors/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "shared/base/content_hash.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kPiece = 1 << 20;

class InputFile {
 public:
  explicit InputFile(const std::string& path) : path_(path) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  Status open_it() {
    // O_NONBLOCK: opening a FIFO must not wait.
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0)
      return failed(std::strerror(errno) + std::string("; every host that measures needs it there"));
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) return failed(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return failed("is not a regular file");
    bytes_ = static_cast<std::uint64_t>(status.st_size);
    return Done{};
  }

  std::uint64_t bytes() const { return bytes_; }

  Status read_at(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
      const ssize_t got = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed(std::strerror(errno));
      if (got == 0) return failed("became shorter while it was read");
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return Done{};
  }

  tl::unexpected<Error> failed(const std::string& why) const {
    return failure("input file " + path_ + ": " + why);
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

Result<std::vector<TensorInFile>> layout_of_file(const InputFile& file, const std::string& path) {
  const auto format = format_of_path(path);
  if (!format) return file.failed("the name ends neither in .npy nor in .safetensors");
  std::vector<std::byte> header(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPreambleBytes, file.bytes())));
  KS_RETURN_IF_ERROR(file.read_at(0, header));
  const auto length = header_bytes(*format, header, file.bytes());
  if (!length) return file.failed(length.error().message);
  header.resize(static_cast<std::size_t>(*length));
  KS_RETURN_IF_ERROR(file.read_at(0, header));
  auto layout = layout_of(*format, header, file.bytes());
  if (!layout) return file.failed(layout.error().message);
  return layout;
}

// Leading extents of 1 change neither the elements nor their order: a matrix is a batch of one.
bool same_elements(std::span<const std::int64_t> one, std::span<const std::int64_t> other) {
  const auto without_ones = [](std::span<const std::int64_t> shape) {
    while (!shape.empty() && shape.front() == 1) shape = shape.subspan(1);
    return shape;
  };
  return std::ranges::equal(without_ones(one), without_ones(other));
}

Result<TensorInFile> tensor_asked_for(const InputFile& file, const TensorSpec& spec) {
  KS_ASSIGN_OR_RETURN(const auto tensors, layout_of_file(file, spec.file->path));
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const TensorInFile& tensor) {
    return tensor.name == spec.file->name;
  });
  if (found == tensors.end()) {
    std::string names;
    for (std::size_t i = 0; i < tensors.size() && i < 8; ++i) names += (i ? ", " : "") + tensors[i].name;
    return file.failed(fmt::format("holds no tensor \"{}\", but {}: {}{}", spec.file->name,
                                   counted(tensors.size(), "other", "others"), names,
                                   tensors.size() > 8 ? ", ..." : ""));
  }
  const std::string where = found->name.empty() ? "its array" : "\"" + found->name + "\"";
  if (found->dtype != spec.dtype)
    return file.failed(
        fmt::format("{} holds elements of type {}, the kernel asks for {}; convert the file or choose "
                    "another dtype",
                    where, found->dtype ? name_of(*found->dtype) : found->dtype_text, name_of(spec.dtype)));
  if (!same_elements(found->shape, spec.shape))
    return file.failed(
        fmt::format("{} has shape {}, the kernel asks for {}; reshape it or choose other parameters", where,
                    text_of_shape(found->shape), text_of_shape(spec.shape)));
  return *found;
}

// Reads the whole file once: hashes all of it, and copies the bytes in [begin, begin + out.size()) to
// `out`. So the bytes in `out` are the bytes that were hashed.
Result<Digest> hash_and_copy(const InputFile& file, std::uint64_t begin, std::span<std::byte> out) {
  std::vector<std::byte> piece(kPiece);
  ContentHasher hasher;
  const std::uint64_t end = begin + out.size();
  for (std::uint64_t at = 0; at < file.bytes(); at += kPiece) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, file.bytes() - at));
    KS_RETURN_IF_ERROR(file.read_at(at, std::span(piece).first(size)));
    hasher.add(piece.data(), size);
    const std::uint64_t first = std::max(at, begin);
    const std::uint64_t last = std::min(at + size, end);
    if (first < last) std::memcpy(out.data() + (first - begin), piece.data() + (first - at), last - first);
  }
  return hasher.digest();
}

}  // namespace

Result<std::vector<TensorInFile>> tensors_in_file(const std::string& path) {
  InputFile file(path);
  KS_RETURN_IF_ERROR(file.open_it());
  return layout_of_file(file, path);
}

Status read_tensor(const TensorSpec& spec, std::span<std::byte> out) {
  KS_RETURN_IF_ERROR(spec.valid());
  KS_ASSERT(spec.file && spec.file->content_hash && out.size() == spec.bytes());
  InputFile file(spec.file->path);
  KS_RETURN_IF_ERROR(file.open_it());
  KS_ASSIGN_OR_RETURN(const auto tensor, tensor_asked_for(file, spec));
  KS_ASSERT(tensor.bytes == out.size());
  KS_ASSIGN_OR_RETURN(const auto hash, hash_and_copy(file, tensor.offset, out));
  if (hash != *spec.file->content_hash)
    return file.failed(
        fmt::format("has the content hash {}, expected {}: it is another file, or it was changed",
                    hash.hex(), spec.file->content_hash->hex()));
  return Done{};
}

}  // namespace kernsweep
