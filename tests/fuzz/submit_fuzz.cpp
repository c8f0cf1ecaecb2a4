// Any sweep with any table and any replacements, as a client submits them: refused with a message, or read;
// no file is opened. The input is three texts with a line "---" between them: the table, what the command
// line replaces, and the sweep, whose tables are all called t.csv.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "language/file/replacements_text.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

using namespace kernsweep;

namespace {

std::string first_part(std::string& rest) {
  constexpr std::string_view kBetween = "\n---\n";
  const auto at = rest.find(kBetween);
  if (at == std::string::npos) return "";
  std::string part = rest.substr(0, at);
  rest.erase(0, at + kBetween.size());
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<TextFile> tables = {{"t.csv", first_part(text)}};
  const std::string replaced = first_part(text);
  const Replacements replacements = replacements_of(replaced);
  KS_ASSERT(text_of(replacements_of(text_of(replacements))) == text_of(replacements));
  const auto expansion = Expansion::parse(text, "there/submitted.yaml", replacements, &tables);
  if (!expansion) {
    KS_ASSERT(!expansion.error().message.empty());
    return 0;
  }
  const std::uint64_t points = expansion->raw_points();
  KS_ASSERT(points >= 1 && expansion->raw_jobs() >= points);
  KS_ASSERT(expansion->sweep().tables.size() <= 1);  // each once, and there is one
  Point point;
  for (const std::uint64_t position : {std::uint64_t{0}, points / 2, points - 1}) {
    expansion->point_at(position, point);
    KS_ASSERT(point.values.size() == expansion->sweep().columns.size());
    if (const auto rejection = expansion->rejection(position, point))
      KS_ASSERT(rejection->rule < expansion->filters().size());
    const auto job = expansion->job_at(std::min(position, expansion->raw_jobs() - 1));
    KS_ASSERT(expansion->key_of(point, job) == expansion->key_of(point, job));
  }
  return 0;
}
