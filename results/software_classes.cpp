#include "results/software_classes.hpp"

#include <algorithm>
#include <string_view>

#include "shared/library_lines.hpp"

namespace kernsweep {
namespace {

// By soname, or where there is none by the file's name: what tells the content.
using Contents = std::map<std::string, std::string, std::less<>>;

Contents contents_of(std::string_view libraries) {
  Contents out;
  each_library(libraries,
               [&](const LibraryLine& each, std::string_view) { out.emplace(each.name(), each.hash); });
  return out;
}

struct Class {
  std::int64_t id = 0;
  std::string build;
  Contents contents;  // of all members together
};

bool agrees(const Class& with, const SoftwareTexts& one, const Contents& contents) {
  return with.build == one.build && std::ranges::all_of(contents, [&](const auto& each) {
           const auto known = with.contents.find(each.first);
           return known == with.contents.end() || known->second == each.second;
         });
}

}  // namespace

std::map<std::int64_t, std::int64_t> software_classes(const std::vector<SoftwareTexts>& all) {
  std::map<std::int64_t, std::int64_t> out;
  std::vector<Class> classes;
  for (const SoftwareTexts& one : all) {
    Contents contents = contents_of(one.libraries);
    auto found =
        std::ranges::find_if(classes, [&](const Class& each) { return agrees(each, one, contents); });
    if (found == classes.end()) {
      classes.push_back({one.id, one.build, {}});
      found = classes.end() - 1;
    }
    found->contents.merge(contents);
    out[one.id] = found->id;
  }
  return out;
}

Result<std::map<std::int64_t, std::int64_t>> software_classes(Reader& reader) {
  auto row = reader.connection().prepare(
      "select id, json_array(version, git, compiler, flags, pack, pack_version, pack_build, "
      "pack_build_id), "
      "libraries from software order by id");
  if (!row) return tl::unexpected<Error>(row.error());
  std::vector<SoftwareTexts> all;
  for (;;) {
    const sqlite::Step step = row->step();
    if (step == sqlite::Step::failed) return failure(row->why());
    if (step != sqlite::Step::row) break;
    all.push_back({row->integer(0), std::string(row->text(1)), std::string(row->text(2))});
  }
  return software_classes(all);
}

}  // namespace kernsweep
