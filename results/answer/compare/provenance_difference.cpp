#include "results/answer/compare/provenance_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "shared/base/try.hpp"
#include "shared/lists/library_lines.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kTextMax = 60;

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', at));
    lines.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The lines that only the first text has, shortened.
std::string only_in(const std::string& text, const std::string& other) {
  const auto others = lines_of(other);
  std::string only_here;
  for (const std::string& line : lines_of(text))
    if (!others.contains(line)) only_here += (only_here.empty() ? "" : ", ") + line;
  if (only_here.size() > kTextMax) only_here = only_here.substr(0, kTextMax - 3) + "...";
  return only_here;
}

// "libblas.so.3 0.3.21 1a2b3c4d": name, version and the beginning of the content's hash, one per line.
std::string libraries_for_people(const std::string& text) {
  std::string lines;
  each_library(text, [&](const LibraryLine& each, std::string_view) {
    lines += fmt::format("{}{}{}{}{}\n", each.name(), each.version.empty() ? "" : " ", each.version,
                         each.hash.empty() ? "" : " ", std::string_view(each.hash).substr(0, 8));
  });
  return lines;
}

Result<RowSet> row_of(Reader& reader, const std::string& table, std::int64_t id) {
  return reader.query(fmt::format("select * from {} where id = {}", table, id));
}

}  // namespace

Result<std::string> difference_between(Reader& a, Reader& b, const std::string& table,
                                       const std::vector<ProvenancePair>& pairs) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> counts;
  for (const ProvenancePair& pair : pairs) ++counts[{pair.a, pair.b}];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  KS_ASSIGN_OR_RETURN(const auto row_a, row_of(a, table, most->first.first));
  KS_ASSIGN_OR_RETURN(const auto row_b, row_of(b, table, most->first.second));
  if (row_a.rows.empty() || row_b.rows.empty()) return std::string("one side is not known");
  std::string differences, hashed;
  for (std::size_t i = 0; i < row_a.columns.size(); ++i) {
    const std::string& name = row_a.columns[i];
    const auto at = std::ranges::find(row_b.columns, name);
    if (name == "id" || name == "identity" || name == "fingerprint" || at == row_b.columns.end()) continue;
    const Value& of_a = row_a.rows[0][i];
    const Value& of_b = row_b.rows[0][static_cast<std::size_t>(at - row_b.columns.begin())];
    if (of_a == of_b) continue;
    std::string text_a = of_a.to_text(), text_b = of_b.to_text();
    if (name == "libraries") {
      text_a = libraries_for_people(text_a);
      text_b = libraries_for_people(text_b);
      if (text_a == text_b) continue;  // the same files at other paths
    }
    std::string& into = name == "fingerprint_text" ? hashed : differences;
    into += fmt::format("{}{} '{}' against '{}'", into.empty() ? "" : "; ", name, only_in(text_a, text_b),
                        only_in(text_b, text_a));
  }
  if (differences.empty()) differences = hashed.empty() ? "only their identities differ" : hashed;
  if (counts.size() > 1) differences += fmt::format("; and {} other combinations", counts.size() - 1);
  return differences;
}

}  // namespace kernsweep
