#include "cli/launch/ssh_package.hpp"

#include <filesystem>
#include <vector>

#include "cli/program.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

Result<std::string> output_of(const std::vector<std::string>& words, const std::string& doing) {
  KS_ASSIGN_OR_RETURN(const auto answer, run_program({words}));
  if (answer.status == 0) return answer.output;
  return failure(doing + " failed with status " + std::to_string(answer.status) + "\n" +
                 last_lines(answer.errors, 4, "  "));
}

// Packs only files of Kernsweep, because the folder above bin/ may be /usr.
Result<std::string> pack_this(const std::string& folder) {
  const fs::path root = fs::path(program_path()).parent_path().parent_path();
  std::error_code error;
  if (fs::exists(root / "CMakeCache.txt", error)) {
    return failure(
        "this kernsweep is in a build tree, " + root.string() +
        ", which runs on no other host; make a package with 'cpack -G TGZ' there and give it with "
        "--package FILE.tar.gz, or run an installed kernsweep");
  }
  const std::string path = folder + "/kernsweep.tar.gz";
  // gzip -n writes no time stamp, so that equal files give equal packages.
  std::vector<std::string> words = {"tar", "-C", root.string(), "-I", "gzip -n", "-cf", path};
  for (const char* option : {"--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner",
                             "--transform=s,^,kernsweep/,"})
    words.emplace_back(option);
  for (const char* part : {"bin/kernsweep", "libexec/kernsweep", "lib/kernsweep", "share/kernsweep"}) {
    if (fs::exists(root / part, error)) words.emplace_back(part);
  }
  KS_RETURN_IF_ERROR(output_of(words, "packing " + root.string()));
  return path;
}

Status check_package(const std::string& path) {
  KS_ASSIGN_OR_RETURN(const auto listed, output_of({"tar", "-tzf", path}, "reading the package " + path));
  if (listed.find("/bin/kernsweep\n") == std::string::npos)
    return failure(path + " has no bin/kernsweep in its one folder; make a package with 'cpack -G TGZ'");
  return Done{};
}

}  // namespace

Result<SshPackage> package_for_hosts(const std::string& given, const std::string& folder) {
  KS_ASSIGN_OR_RETURN(const auto path, given.empty() ? pack_this(folder)
                                                     : Result<std::string>(fs::absolute(given).string()));
  if (!given.empty()) {
    KS_RETURN_IF_ERROR(check_package(path));
  }
  KS_ASSIGN_OR_RETURN(const auto sum, output_of({"sha256sum", "--", path}, "sha256sum"));
  // sha256sum begins the line with '\' if the file name has special characters.
  const std::size_t from = sum.starts_with('\\') ? 1 : 0;
  return SshPackage{path, sum.substr(from, 64)};
}

}  // namespace kernsweep
