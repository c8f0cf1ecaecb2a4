// Compares two results property by property.
#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "results/answer/compare/provenance_difference.hpp"
#include "results/read/show.hpp"
#include "shared/base/output_sample.hpp"
#include "shared/lists/library_lines.hpp"
#include "shared/lists/property_lines.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/lists/variable_lines.hpp"

namespace kernsweep {

namespace {

using Properties = std::map<std::string, std::string>;

// The sections with provenance, and their properties, by section. Empty: all but the ids of rows and the
// hashes over the rest.
constexpr std::pair<std::string_view, std::string_view> kSelected[] = {
    {"result", "kernel"}, {"outcome", "variant"},     {"outcome", "cache"},
    {"outcome", "quick"}, {"process", "runtime"},     {"process", "affinity"},
    {"process", "gpus"},  {"process", "environment"}, {"process", "thread_environment"}};

bool tells(const std::string& section, const std::string& name) {
  if (section == "point") return true;
  if (section == "host") return name == "name" || name == "fingerprint_text";
  if (section == "software" || section.starts_with("input ")) return name != "id" && name != "identity";
  return std::ranges::any_of(
      kSelected, [&](const auto& each) { return each.first == section && each.second == name; });
}

void add_libraries(std::string_view text, Properties& out) {
  each_library(text, [&](const LibraryLine& library, std::string_view line) {
    std::string& lines = out["library " + library.name()];
    lines += (lines.empty() ? "" : "; ") + std::string(line);
  });
}

void add_sources(std::string_view text, Properties& out) {
  each_source(text, [&](const SourceLine& source, std::string_view line) {
    std::string& lines = out[source.role + " " + source.name];
    lines += (lines.empty() ? "" : "; ") + std::string(line);
  });
}

Properties properties_of(const Shown::Section& section) {
  Properties out;
  for (const auto& [name, value] : section.entries) {
    if (!tells(section.title, name)) continue;
    const std::string text = value.to_text();
    const auto add = [&](auto each_name, const auto& content) { out[std::string(each_name)] = content; };
    if (name == "fingerprint_text")
      each_property(text, add);
    else if (section.title == "process" && name.ends_with("environment"))
      each_variable(text, add);
    else if (section.title == "software" && name == "libraries")
      add_libraries(text, out);
    else if (section.title == "software" && name == "sources")
      add_sources(text, out);
    else
      out[name] = text;
  }
  return out;
}

const Shown::Section* section_named(const Shown& shown, const std::string& title) {
  const auto found = std::ranges::find(shown.sections, title, &Shown::Section::title);
  return found == shown.sections.end() ? nullptr : &*found;
}

Value value_in(const Properties& properties, const std::string& name) {
  const auto found = properties.find(name);
  if (found == properties.end()) return {};
  std::string text = found->second;
  std::ranges::replace(text, '\t', ' ');
  return Value(std::move(text));
}

// Equal, or a library with the same content at another path.
bool same_in(const Properties& a, const Properties& b, const std::string& name) {
  const auto in_a = a.find(name), in_b = b.find(name);
  if (in_a == a.end() || in_b == b.end()) return in_a == a.end() && in_b == b.end();
  const std::string behind_path = library_line(in_a->second).behind_path;
  return in_a->second == in_b->second ||
         (!behind_path.empty() && behind_path == library_line(in_b->second).behind_path);
}

// "" if the result has no such entry.
std::string entry_of(const Shown& shown, const std::string& title, std::string_view name) {
  const auto* const section = section_named(shown, title);
  if (!section) return "";
  for (const auto& [each, value] : section->entries)
    if (each == name) return value.is_null() ? "" : value.to_text();
  return "";
}

constexpr const char* kChangeColumns[] = {"group", "field", "a", "b"};

}  // namespace

RowSet output_changes(const Shown& a, const Shown& b) {
  RowSet out{{std::begin(kChangeColumns), std::end(kChangeColumns)}, {}};
  const std::string hash_a = entry_of(a, "outcome", "output_hash"),
                    hash_b = entry_of(b, "outcome", "output_hash");
  if (hash_a == hash_b || hash_a.empty() || hash_b.empty()) return out;
  const auto sample_a = output_sample_of(entry_of(a, "measured", "output_sample")),
             sample_b = output_sample_of(entry_of(b, "measured", "output_sample"));
  if (sample_a && sample_b && agree(*sample_a, *sample_b)) return out;
  out.rows.push_back({Value("outcome"), Value("output_hash"), Value(hash_a), Value(hash_b)});
  return out;
}

RowSet provenance_changes(const Shown& a, const Shown& b) {
  RowSet out{{std::begin(kChangeColumns), std::end(kChangeColumns)}, {}};
  std::vector<std::string> titles;  // in the order of display
  for (const Shown* shown : {&a, &b})
    for (const auto& section : shown->sections)
      if (std::ranges::find(titles, section.title) == titles.end()) titles.push_back(section.title);
  for (const std::string& title : titles) {
    const auto* const in_a = section_named(a, title);
    const auto* const in_b = section_named(b, title);
    const Properties of_a = in_a ? properties_of(*in_a) : Properties{};
    const Properties of_b = in_b ? properties_of(*in_b) : Properties{};
    Properties names = of_a;
    names.insert(of_b.begin(), of_b.end());
    for (const auto& [name, unused] : names) {
      if (same_in(of_a, of_b, name)) continue;
      out.rows.push_back({Value(title), Value(name), value_in(of_a, name), value_in(of_b, name)});
    }
  }
  return out;
}

}  // namespace kernsweep
