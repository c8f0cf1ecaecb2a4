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

std::string_view field(std::string_view line, int number) {
  for (; number > 0; --number) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

}  // namespace

bool ReuseRule::unchanged(std::string_view library) {
  constexpr int kPath = 0, kHash = 4;
  const std::string_view path = field(library, kPath);
  auto known = contents_.find(path);
  if (known == contents_.end())
    known = contents_.emplace(std::string(path), hash_of_file(with_home(std::string(path)))).first;
  return !known->second.empty() && known->second == field(library, kHash);
}

bool ReuseRule::allows(const MeasuredBy& by) {
  if (by.version != version_) return false;
  if (fingerprint_.empty()) return true;
  if (by.fingerprint != fingerprint_) return false;
  std::string_view rest = by.libraries;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0 && !unchanged(rest.substr(0, end))) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

}  // namespace kernsweep::coordination
