#include "worker/slot/watch/peak_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>

namespace kernsweep {

std::optional<std::uint64_t> peak_of_status(std::string_view status) {
  constexpr std::string_view kKey = "VmHWM:";
  std::size_t at = status.find(kKey);
  if (at == std::string_view::npos || (at > 0 && status[at - 1] != '\n')) return std::nullopt;
  status.remove_prefix(at + kKey.size());
  at = status.find_first_not_of(" \t");
  if (at == std::string_view::npos) return std::nullopt;
  status.remove_prefix(at);
  std::uint64_t kib = 0;
  const auto read = std::from_chars(status.data(), status.data() + status.size(), kib);
  if (read.ec != std::errc() || kib > UINT64_MAX / 1024) return std::nullopt;
  status.remove_prefix(static_cast<std::size_t>(read.ptr - status.data()));
  if (!status.starts_with(" kB")) return std::nullopt;
  return kib * 1024;
}

bool PeakMemory::set_back() const {
  const int file = open(clear_refs_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = write(file, "5", 1) == 1;
  close(file);
  return done;
}

void PeakMemory::begin_job(bool wanted) {
  own_ = wanted && (set_back() || is_first_);
  is_first_ = false;
}

std::optional<std::uint64_t> PeakMemory::bytes() const {
  if (!own_) return std::nullopt;
  std::ifstream file(status_);
  return peak_of_status(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace kernsweep
