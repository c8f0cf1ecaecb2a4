#include "results/read/software_classes.hpp"

#include <algorithm>
#include <string_view>

#include "shared/base/try.hpp"
#include "shared/lists/library_lines.hpp"
#include "shared/lists/source_lines.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

constexpr char kBehindRole = '\t';  // ends the role in a key; no role contains a tab

// Calls `use` with a key (role and name) and the content hash of each library and file. Paths are ignored:
// a name occurs once in one row of `software`, and only the content counts. The folder does count for files
// that a program is linked with, and for built files, because settings may differ in it. Variables are not
// files.
void each_content(const SoftwareTexts& software, const auto& use) {
  each_library(software.libraries, [&](const LibraryLine& each, std::string_view) {
    use(std::string("library") + kBehindRole + each.name(), each.hash);
  });
  each_source(software.sources, [&](const SourceLine& each, std::string_view) {
    if (each.role == "variable") return;
    const bool by_path = each.role == "linked" || each.role == "built";
    const std::string& name = by_path ? each.path : each.name;
    use("source " + each.role + kBehindRole + name, each.hash);
  });
}

}  // namespace

SoftwareClasses::Contents SoftwareClasses::contents_of(const SoftwareTexts& software) {
  Contents out;
  each_content(software,
               [&](std::string key, std::string hash) { out.emplace(std::move(key), std::move(hash)); });
  return out;
}

bool SoftwareClasses::agrees(const Class& with, const SoftwareTexts& one, const Contents& contents) {
  return with.build == one.build && std::ranges::all_of(contents, [&](const auto& each) {
           const auto known = with.contents.find(each.first);
           return known == with.contents.end() || known->second == each.second;
         });
}

std::uint32_t SoftwareClasses::of(const SoftwareTexts& software) {
  Contents contents = contents_of(software);
  const auto fits = [&](const Class& each) { return agrees(each, software, contents); };
  auto found = std::ranges::find_if(classes_, fits);
  if (found == classes_.end()) {
    classes_.push_back({software.build, {}});
    found = classes_.end() - 1;
  }
  found->contents.merge(contents);
  return static_cast<std::uint32_t>(found - classes_.begin());
}

std::map<std::int64_t, std::int64_t> software_classes(const std::vector<SoftwareTexts>& all) {
  std::map<std::int64_t, std::int64_t> out;
  SoftwareClasses classes;
  std::vector<std::int64_t> first;  // of each class
  for (const SoftwareTexts& one : all) {
    const std::uint32_t number = classes.of(one);
    if (number == first.size()) first.push_back(one.id);
    out[one.id] = first[number];
  }
  return out;
}

Result<std::vector<SoftwareTexts>> read_software(Reader& reader) {
  KS_ASSIGN_OR_RETURN(
      auto row, reader.connection().prepare(
                    "select id, json_array(version, git, compiler, flags, pack, pack_version, pack_build, "
                    "pack_build_id), "
                    "libraries, sources from software order by id"));
  std::vector<SoftwareTexts> all;
  for (;;) {
    const Step step = row.step();
    if (step == Step::failed) return failure(row.why());
    if (step != Step::row) return all;
    all.push_back(
        {row.integer(0), std::string(row.text(1)), std::string(row.text(2)), std::string(row.text(3))});
  }
}

Result<std::map<std::int64_t, std::int64_t>> software_classes(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto all, read_software(reader));
  return software_classes(all);
}

Result<std::map<std::int64_t, std::int64_t>> host_kinds(Reader& reader) {
  KS_ASSIGN_OR_RETURN(
      auto row, reader.connection().prepare("select id, lower(hex(fingerprint)) from host order by id"));
  std::map<std::int64_t, std::int64_t> out;
  std::map<std::string, std::int64_t, std::less<>> first;
  for (;;) {
    const Step step = row.step();
    if (step == Step::failed) return failure(row.why());
    if (step != Step::row) return out;
    out[row.integer(0)] = first.try_emplace(std::string(row.text(1)), row.integer(0)).first->second;
  }
}

Result<std::map<std::int64_t, Value>> host_names(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto hosts, reader.query("select id, name from host"));
  std::map<std::int64_t, Value> names;
  for (const auto& row : hosts.rows) names[*row[0].integer()] = row[1];
  return names;
}

Result<std::map<std::int64_t, std::string>> host_kind_names(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto kinds, host_kinds(reader));
  KS_ASSIGN_OR_RETURN(const auto hosts,
                      reader.query("select id, name || '#' || substr(hex(fingerprint), 1, 6) from host"));
  std::map<std::int64_t, std::string> names;
  for (const auto& row : hosts.rows) names[row[0].integer() ? *row[0].integer() : 0] = row[1].to_text();
  for (auto& [host, name] : names)
    if (const auto kind = kinds.find(host); kind != kinds.end() && kind->second != host)
      name = names[kind->second];
  return names;
}

std::vector<std::string> contradictions(const SoftwareTexts& a, const SoftwareTexts& b) {
  std::vector<std::string> names;
  if (a.build != b.build) names.emplace_back("the build of Kernsweep or of its pack");
  std::map<std::string, std::string, std::less<>> known;
  each_content(a,
               [&](std::string key, std::string hash) { known.emplace(std::move(key), std::move(hash)); });
  each_content(b, [&](const std::string& key, const std::string& hash) {
    const auto at = known.find(key);
    if (at == known.end() || at->second == hash) return;
    std::string name = key.substr(key.find(kBehindRole) + 1);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  });
  return names;
}

}  // namespace kernsweep
