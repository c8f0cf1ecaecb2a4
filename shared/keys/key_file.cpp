#include "shared/keys/key_file.hpp"

#include <ctime>

#include "shared/keys/secret_file.hpp"
#include "shared/text/moment.hpp"

namespace kernsweep {
namespace {

constexpr const char* kTimeFormat = "%Y-%m-%dT%H:%M:%SZ";

}  // namespace

UnixSeconds unix_seconds_now() {
  return static_cast<UnixSeconds>(unix_now());
}

std::string time_text(UnixSeconds time) {
  return utc_text(static_cast<double>(time));
}

std::optional<UnixSeconds> time_from_text(const std::string& text) {
  std::tm parts{};
  const char* const end = strptime(text.c_str(), kTimeFormat, &parts);
  if (!end || *end != '\0' || text.size() != 20) return std::nullopt;
  const UnixSeconds time = timegm(&parts);
  if (time < 0) return std::nullopt;  // time_text() cannot express it
  return time;
}

Result<KeyFile> read_key_file(const std::string& path) {
  return read_secret_file(path, "key file", key_file_of);
}

Status write_key_file(const std::string& path, const KeyFile& file) {
  return write_secret_file(path, text_of(file));
}

}  // namespace kernsweep
