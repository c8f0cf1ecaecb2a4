#include "worker/host/pack_index.hpp"

#include <algorithm>
#include <sstream>

#include "worker/host/elf_notes.hpp"

namespace kernsweep {
namespace {

constexpr const char* kName = "Kernsweep";
constexpr std::uint32_t kFamilies = 1;  // type of the note: names, a line each

}  // namespace

std::optional<std::vector<std::string>> indexed_families(const std::string& pack) {
  const auto note = note_of_file(pack, kName, kFamilies);
  if (!note) return std::nullopt;
  std::vector<std::string> names;
  std::istringstream lines(note->substr(0, note->find('\0')));  // the note counts the zero at its end
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

bool may_have_family(const std::string& pack, const std::string& family) {
  const auto families = indexed_families(pack);
  return !families || std::ranges::find(*families, family) != families->end();
}

}  // namespace kernsweep
