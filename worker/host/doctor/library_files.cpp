#include "worker/host/doctor/library_files.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "worker/host/doctor/linux_files.hpp"

namespace kernsweep {
namespace {

namespace files = std::filesystem;

constexpr int kIncludesMax = 8;  // ld.so.conf may include itself

constexpr std::string_view kStems[] = {"libopenblas",  "libscipy_openblas", "libblis",   "libaocl",
                                       "libblas",      "libcblas",          "libmkl_rt", "libarmpl",
                                       "libsatlas",    "libtatlas",         "libatlas",  "libnvpl_blas",
                                       "libflexiblas", "libgslcblas"};

bool is_folder(const std::string& path) {
  std::error_code error;
  return files::is_directory(path, error);
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const auto found = files::canonical(path, error);
  return error ? "" : found.string();
}

// `pattern` has at most one `*`, in its last part.
std::vector<std::string> files_like(const std::string& pattern) {
  const auto slash = pattern.rfind('/');
  const auto star = pattern.find('*', slash);
  if (star == std::string::npos) return {pattern};
  const std::string before = pattern.substr(slash + 1, star - slash - 1);
  const std::string behind = pattern.substr(star + 1);
  std::vector<std::string> found;
  for (const std::string& name : names_in(pattern.substr(0, slash)))
    if (name.size() >= before.size() + behind.size() && name.starts_with(before) && name.ends_with(behind))
      found.push_back(pattern.substr(0, slash + 1) + name);
  return found;
}

// `root` ends with a slash; absolute paths in the file are relative to it.
void read_configuration(const std::string& root, const std::string& file, int depth,
                        std::vector<std::string>& out) {
  if (depth > kIncludesMax) return;
  for (const std::string& line : lines_in(file)) {
    const auto words = words_of(std::string_view(line).substr(0, line.find('#')));
    if (words.empty()) continue;
    if (words[0] != "include") {
      if (words[0].starts_with('/')) out.push_back(root + words[0].substr(1));
      continue;
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool absolute = words[i].starts_with('/');
      const std::string pattern = absolute ? root + words[i].substr(1) : root + "etc/" + words[i];
      for (const std::string& included : files_like(pattern))
        read_configuration(root, included, depth + 1, out);
    }
  }
}

// Order of names: with a short version, as programs are linked ("libblas.so.3"); then with the whole
// version; last without one ("libblas.so"), because only a developer's package has it.
int preference(const std::string& name) {
  const auto so = name.find(".so");
  if (so == std::string::npos || so + 3 == name.size()) return 2;
  return std::count(name.begin() + static_cast<std::ptrdiff_t>(so), name.end(), '.') == 2 ? 0 : 1;
}

}  // namespace

bool names_a_blas(const std::string& file) {
  for (const std::string_view stem : kStems) {
    if (!file.starts_with(stem)) continue;
    const std::string rest = file.substr(stem.size());
    const auto so = rest.find(".so");
    const bool shared = so != std::string::npos && (so + 3 == rest.size() || rest[so + 3] == '.');
    const bool whole_word =
        std::string_view(".-_0123456789").find(rest.empty() ? 'x' : rest[0]) != std::string_view::npos;
    const bool has_flavours = stem == "libopenblas" || stem == "libarmpl";  // libopenblasp-r0.3.21.so
    if (shared && (whole_word || has_flavours)) return true;
  }
  return false;
}

std::vector<std::string> library_folders_under(const std::string& root, const std::string& search_path) {
  std::vector<std::string> wanted;
  for (std::string_view rest = search_path; !rest.empty();) {
    const auto colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) wanted.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  read_configuration(root, root + "etc/ld.so.conf", 0, wanted);
  for (const char* own : {"lib64", "usr/lib64", "lib", "usr/lib"}) wanted.push_back(root + own);
  std::vector<std::string> folders, seen;
  for (const std::string& folder : wanted) {
    const std::string real = is_folder(folder) ? real_path(folder) : "";
    if (real.empty() || std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
    seen.push_back(real);
    folders.push_back(folder);
  }
  return folders;
}

std::vector<LibraryFile> blas_files_in(const std::vector<std::string>& folders) {
  std::vector<std::string> order;                         // real paths, in the order of the search
  std::map<std::string, std::vector<std::string>> names;  // all names of each path
  std::set<std::string> found;                            // bare names: the first folder with a name counts
  const auto add = [&](const std::string& real, const std::string& name) {
    if (real.empty()) return;
    if (names[real].empty()) order.push_back(real);
    if (std::find(names[real].begin(), names[real].end(), name) == names[real].end())
      names[real].push_back(name);
  };
  for (const std::string& folder : folders) {
    for (const std::string& name : names_in(folder)) {
      const std::string real = names_a_blas(name) ? real_path(folder + "/" + name) : "";
      if (!real.empty() && found.insert(name).second) add(real, name);
    }
  }
  for (const std::string& folder : folders) {
    for (const std::string& below : names_in(folder)) {
      const bool alike = below.find("blas") != std::string::npos ||
                         below.find("blis") != std::string::npos ||
                         below.find("atlas") != std::string::npos;
      if (!alike || !is_folder(folder + "/" + below)) continue;
      for (const std::string& name : names_in(folder + "/" + below)) {
        const std::string real = names_a_blas(name) ? real_path(folder + "/" + below + "/" + name) : "";
        if (!names.contains(real)) add(real, real);
      }
    }
  }
  std::vector<LibraryFile> out;
  for (const std::string& real : order) {
    auto& known = names[real];
    std::stable_sort(known.begin(), known.end(),
                     [](const auto& a, const auto& b) { return preference(a) < preference(b); });
    out.push_back({known[0], {known.begin() + 1, known.end()}});
  }
  return out;
}

}  // namespace kernsweep
