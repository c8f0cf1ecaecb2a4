#include "shared/keys/join_file.hpp"

#include "shared/keys/secret_file.hpp"

namespace kernsweep {

bool is_key_name(const std::string& name) {
  constexpr std::size_t kLongest = 64;
  constexpr const char* kFit = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= kLongest && name.find_first_not_of(kFit) == std::string::npos &&
         name.front() != '.' && name.front() != '-';
}

Result<JoinFile> read_join_file(const std::string& path) {
  return read_secret_file(path, "join file", join_file_of);
}

Status write_join_file(const std::string& path, const JoinFile& file) {
  return write_secret_file(path, text_of(file));
}

}  // namespace kernsweep
