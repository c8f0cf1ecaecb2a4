#include "shared/keys/key_file.hpp"

#include <chrono>
#include <ctime>

#include "shared/keys/secret_file.hpp"

namespace kernsweep {
namespace {

constexpr const char* kTimeFormat = "%Y-%m-%dT%H:%M:%SZ";

}  // namespace

UnixSeconds unix_seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string time_text(UnixSeconds time) {
  const std::time_t seconds = time;
  std::tm parts{};
  char text[32];
  if (!gmtime_r(&seconds, &parts)) return "";
  return {text, std::strftime(text, sizeof text, kTimeFormat, &parts)};
}

std::optional<UnixSeconds> time_from_text(const std::string& text) {
  std::tm parts{};
  const char* const end = strptime(text.c_str(), kTimeFormat, &parts);
  if (!end || *end != '\0' || text.size() != 20) return std::nullopt;
  return timegm(&parts);
}

Result<KeyFile> read_key_file(const std::string& path) {
  const auto text = read_secret_file(path, "key file");
  if (!text) return tl::unexpected(text.error());
  return key_file_of(*text, path);
}

Status write_key_file(const std::string& path, const KeyFile& file) {
  return write_secret_file(path, text_of(file));
}

}  // namespace kernsweep
