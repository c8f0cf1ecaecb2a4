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
  const auto read = read_secret_file(path, "join file");
  if (!read) return tl::unexpected(read.error());
  auto file = join_file_of(read->text, path);
  if (!file) return file;
  if (auto good = read->is_secret(path, "join file"); !good) return tl::unexpected(good.error());
  return file;
}

Status write_join_file(const std::string& path, const JoinFile& file) {
  return write_secret_file(path, text_of(file));
}

}  // namespace kernsweep
