#include "cli/commands/run/reference_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace kernsweep {
namespace {

constexpr std::uint64_t kPoints = 10'000;

}  // namespace

Status find_reference_files(const Expansion& expansion) {
  const auto is_file = [](const SweepReference& reference) {
    return reference.rule.kind == ReferenceKind::file;
  };
  if (std::ranges::none_of(expansion.references(), is_file)) return Done{};
  std::set<std::string> found;
  Point point;
  for (std::uint64_t position = 0; position < std::min(kPoints, expansion.raw_points()); ++position) {
    expansion.point_at(position, point);
    if (expansion.rejection(position, point)) continue;
    const VerifyRules verify = expansion.rules(expansion.rules_of(point)).measure.verify;
    if (!verify.enabled || verify.reference.kind != ReferenceKind::file) continue;
    const std::string path = expansion.reference_at(point, verify.reference).text;
    if (!found.insert(path).second) continue;
    std::error_code error;
    if (std::filesystem::exists(path, error)) continue;
    const auto said = std::ranges::find(expansion.references(), verify.reference, &SweepReference::rule);
    const bool is_said = said != expansion.references().end();
    return failure((is_said ? said->where : expansion.sweep().file) +
                   ": verify.reference: there is no file " + path + " (" + expansion.label_of(point) +
                   "); make it, or take its point out; the path counts from the sweep file");
  }
  return Done{};
}

}  // namespace kernsweep
