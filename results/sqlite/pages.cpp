#include "results/sqlite/pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kernsweep {

namespace {

constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kLogHeaderBytes = 32, kFrameHeaderBytes = 24;

bool read_at(int file, std::span<std::uint8_t> into, std::uint64_t at) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = pread(file, into.data() + done, into.size() - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::uint64_t size_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool is_page_size(std::uint32_t bytes) {
  return std::has_single_bit(bytes) && bytes >= 512 && bytes <= 65536;
}

// The running checksum of the log, as SQLite's file format defines it: two 32-bit sums over all frames.
class LogSum {
 public:
  explicit LogSum(bool big) : big_(big) {}
  void add(std::span<const std::uint8_t> bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first_ += word(bytes, at) + second_;
      second_ += word(bytes, at + 4) + first_;
    }
  }
  bool is(std::span<const std::uint8_t> bytes, std::size_t at) const {
    return first_ == big_endian(bytes, at, 4) && second_ == big_endian(bytes, at + 4, 4);
  }

 private:
  std::uint32_t word(std::span<const std::uint8_t> bytes, std::size_t at) const {
    const std::uint32_t number = big_endian(bytes, at, 4);
    return big_ ? number : __builtin_bswap32(number);
  }
  bool big_;
  std::uint32_t first_ = 0, second_ = 0;
};

}  // namespace

PageHeader page_header(std::span<const std::uint8_t> start) {
  PageHeader header;
  if (start.size() < kHeaderBytes || std::memcmp(start.data(), "SQLite format 3", 16) != 0) {
    header.trouble = "it does not begin as an SQLite file does";
    return header;
  }
  std::uint32_t bytes = big_endian(start, 16, 2);
  if (bytes == 1) bytes = 65536;
  const std::uint32_t reserved = start[20];
  const bool fixed = start[21] == 64 && start[22] == 32 && start[23] == 32;
  const bool versions = (start[18] == 1 || start[18] == 2) && (start[19] == 1 || start[19] == 2);
  if (!is_page_size(bytes) || reserved > 32 || !fixed || !versions) {
    header.trouble = "its header is not one that SQLite writes";
    return header;
  }
  header.page_bytes = bytes;
  header.reserved_bytes = reserved;
  // The page count is valid only if the change counter (24) equals "version valid for" (92).
  if (std::memcmp(&start[24], &start[92], 4) == 0) header.pages = big_endian(start, 28, 4);
  header.free_list = big_endian(start, 32, 4);
  return header;
}

Result<PageFile> PageFile::open(const std::string& path) {
  PageFile pages;
  pages.file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (pages.file_ < 0) return failure(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  pages.bytes_ = size_of(pages.file_);
  std::vector<std::uint8_t> start(std::min<std::uint64_t>(kHeaderBytes, pages.bytes_));
  if (!read_at(pages.file_, start, 0))
    return failure(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  pages.header_ = page_header(start);
  const std::uint64_t bytes = pages.header_.page_bytes;
  const std::uint64_t there = std::min<std::uint64_t>((pages.bytes_ + bytes - 1) / bytes, 0xFFFFFFFE);
  // A page count that is far too large is damaged itself; then the size of the file is used.
  const bool believed = pages.header_.pages <= 8 * there + 1024;
  pages.pages_ = std::max(static_cast<std::uint32_t>(there), believed ? pages.header_.pages : 0);
  const std::string log = path + "-wal";
  pages.log_ = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
  if (pages.log_ < 0 && errno != ENOENT)  // the newest rows may be in it
    return failure(fmt::format("{}: cannot be read: {}", log, std::strerror(errno)));
  if (pages.log_ >= 0) pages.read_log();
  return pages;
}

void PageFile::read_log() {
  std::array<std::uint8_t, kLogHeaderBytes> start{};
  if (!read_at(log_, start, 0)) return;
  const std::uint32_t magic = big_endian(start, 0, 4);
  const std::uint32_t bytes = big_endian(start, 8, 4);
  if ((magic & 0xFFFFFFFE) != 0x377F0682 || !is_page_size(bytes)) return;
  LogSum sum((magic & 1) != 0);
  sum.add(std::span(start).first(24));
  if (!sum.is(start, 24)) return;
  if (header_.trouble.empty() && bytes != header_.page_bytes) return;  // the log of another file
  header_.page_bytes = bytes;
  std::unordered_map<std::uint32_t, std::uint64_t> open_frames;
  std::vector<std::uint8_t> frame(kFrameHeaderBytes + bytes);
  for (std::uint64_t at = kLogHeaderBytes; read_at(log_, frame, at); at += frame.size()) {
    if (std::memcmp(&frame[8], &start[16], 8) != 0) break;  // other salts: left from before a log restart
    sum.add(std::span(frame).first(8));
    sum.add(std::span(frame).subspan(kFrameHeaderBytes));
    if (!sum.is(frame, 16)) break;
    open_frames[big_endian(frame, 0, 4)] = at + kFrameHeaderBytes;
    const std::uint32_t committed = big_endian(frame, 4, 4);
    if (committed == 0) continue;
    // No commit makes the file much larger than the pages that were written: this count is damaged.
    if (committed > 8 * (bytes_ / bytes + at / frame.size()) + 1024) break;
    for (const auto& [page, place] : open_frames) in_log_[page] = place;
    open_frames.clear();
    pages_ = committed;
  }
  PageBytes first;
  if (!in_log_.contains(1) || !read(1, first)) return;
  const PageHeader newest = page_header(first);
  if (newest.trouble.empty() && newest.page_bytes == bytes) header_ = newest;
}

PageFile::PageFile(PageFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      log_(std::exchange(other.log_, -1)),
      bytes_(other.bytes_),
      pages_(other.pages_),
      header_(std::move(other.header_)),
      in_log_(std::move(other.in_log_)) {}

PageFile::~PageFile() {
  if (file_ >= 0) close(file_);
  if (log_ >= 0) close(log_);
}

bool PageFile::read(std::uint32_t number, PageBytes& into) const {
  if (number == 0 || number > pages_) return false;
  into.resize(header_.page_bytes);
  if (const auto found = in_log_.find(number); found != in_log_.end())
    return read_at(log_, into, found->second);
  return read_at(file_, into, std::uint64_t{number - 1} * header_.page_bytes);
}

std::string damage_seen_from_outside(const std::string& path) {
  const auto has_log = [&path] {
    struct stat status {};
    return stat((path + "-wal").c_str(), &status) == 0 && status.st_size > 0;
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<std::uint8_t, kHeaderBytes> start{};
  std::string trouble;
  // A coordinator that ends at this moment copies its log into the file. So a problem counts only if it is
  // found twice with the same size.
  std::uint64_t size_before = 0;
  for (int look = 0; look < 3; ++look) {
    const std::uint64_t size = size_of(file);
    if (size == 0 || has_log() || !read_at(file, start, 0)) break;
    const PageHeader header = page_header(start);
    if (!header.trouble.empty())
      trouble = header.trouble;
    else if (size % header.page_bytes != 0 || size < std::uint64_t{header.pages} * header.page_bytes)
      trouble = fmt::format("it is cut short: {} bytes are there, its header says {} pages of {}", size,
                            header.pages, header.page_bytes);
    else
      trouble.clear();
    if (trouble.empty() || (look > 0 && size == size_before)) break;
    size_before = size;
  }
  if (has_log()) trouble.clear();
  close(file);
  return trouble;
}

std::string damaged_message(const std::string& path, const std::string& why) {
  return fmt::format(
      "{}: the database is damaged ({}); nothing was changed. `kernsweep recover {}` saves what can be "
      "saved into a new file; or restore a copy, or choose another file",
      path, why, path);
}

}  // namespace kernsweep
