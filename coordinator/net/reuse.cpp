#include "coordinator/net/reuse.hpp"

#include <fstream>
#include <vector>

#include "shared/content_hash.hpp"
#include "shared/home_path.hpp"

namespace kernsweep::coordination {
namespace {

// "" when the file cannot be read.
std::string hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  ContentHasher hasher;
  std::vector<char> piece(std::size_t{1} << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hasher.add(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  return file.bad() ? "" : hasher.digest().hex();
}

}  // namespace

bool ReuseRule::unchanged(const LibraryLine& library) {
  auto known = contents_.find(library.path);
  if (known == contents_.end())
    known = contents_.emplace(std::string(library.path), hash_of_file(with_home(std::string(library.path))))
                .first;
  return !known->second.empty() && known->second == library.hash;
}

bool ReuseRule::allows(const MeasuredBy& by) {
  if (by.version != version_) return false;
  if (fingerprint_.empty()) return true;
  if (by.fingerprint != fingerprint_) return false;
  bool all = true;
  each_library(by.libraries,
               [&](const LibraryLine& library, std::string_view) { all = all && unchanged(library); });
  return all;
}

}  // namespace kernsweep::coordination
