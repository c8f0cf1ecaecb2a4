#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <regex>
#include <sstream>
#include <utility>

namespace kernsweep {
namespace {

constexpr const char* kMark = "== ";  // "== Suite.Test 2"; the lines of its text follow, indented
constexpr const char* kIndent = "  ";

using Texts = std::map<std::string, std::string>;

Texts read_texts(const std::string& path) {
  Texts texts;
  std::ifstream file(path);
  std::string* now = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kMark)) {
      now = &texts[line.substr(3)];
    } else if (now != nullptr) {
      if (!now->empty()) *now += '\n';
      *now += line.size() > 2 ? line.substr(2) : "";
    }
  }
  return texts;
}

std::string indented(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += kIndent + line + "\n";
  return out;
}

// One process at a time: ctest runs several programs at once.
void write_text(const std::string& path, const std::string& place, const std::string& text) {
  const int lock = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) std::abort();
  Texts texts = read_texts(path);
  texts[place] = text;
  std::ofstream file(path, std::ios::trunc);
  for (const auto& [name, kept] : texts) file << kMark << name << "\n" << indented(kept);
  file.close();
  close(lock);
}

// Next to the source of the test, in any path that the compiler saw.
std::string path_of(const std::string& source) {
  const std::string folder = "tests/";
  const auto at = source.rfind("/" + folder);
  const std::string inside = at == std::string::npos ? source : source.substr(at + 1);
  return std::filesystem::path(source_folder() + "/" + inside).replace_extension(".golden").string();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// The folder for temporary files, as it is set and without links, with the name of a folder in it. A test
// may set another, so it is looked up for each text.
std::string without_temporary_folders(std::string text) {
  static constexpr const char* kName = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  std::error_code failed;
  const auto folder = std::filesystem::temp_directory_path(failed);
  if (failed) return text;
  for (const auto& form : {folder, std::filesystem::weakly_canonical(folder, failed)}) {
    const std::string start = (form / "").string();
    for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
      const auto end = std::min(text.find_first_not_of(kName, at + start.size()), text.size());
      if (end > at + start.size()) text.replace(at, end - at, "<folder>");
    }
  }
  return text;
}

// The same on every machine, in every build and in every process.
std::string without_place(const std::string& text) {
  static const std::regex kFolder("/(tmp|var/tmp|dev/shm)/[A-Za-z0-9_.-]+");
  static const std::regex kDescriptor("/proc/[0-9]{2,}/fd/[0-9]+");
  static const std::regex kProcess("(\\(pid |/proc/)[0-9]{2,}");
  // The build and the tree first: they may lie in the folder for temporary files.
  std::string out = replaced(text, build_folder(), "<build>");
  out = replaced(std::move(out), source_folder(), "<source>");
  out = without_temporary_folders(std::move(out));
  out = std::regex_replace(out, kFolder, "<folder>");
  out = std::regex_replace(out, kDescriptor, "/proc/<pid>/fd/<number>");
  out = std::regex_replace(out, kProcess, "$1<pid>");
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

std::string next_golden_place() {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test->test_suite_name()) + "." + test->name();
  static std::string counted;
  static int count = 0;
  if (name != std::exchange(counted, name)) count = 0;
  return name + " " + std::to_string(++count);
}

bool is_golden(const std::string& text, const std::string& place, std::string& why) {
  const std::string path = path_of(::testing::UnitTest::GetInstance()->current_test_info()->file());
  const std::string now = without_place(text);
  if (std::getenv("KERNSWEEP_WRITE_GOLDEN") != nullptr) {
    write_text(path, place, now);
    return true;
  }
  const Texts texts = read_texts(path);
  const auto kept = texts.find(place);
  if (kept != texts.end() && kept->second == now) return true;
  why = "which is not \"" + (kept == texts.end() ? "" : kept->second) + "\" of " + path + ", " + place +
        "; if it is the better text, run the test with KERNSWEEP_WRITE_GOLDEN=1 and read the difference";
  return false;
}

std::string rounded(const std::string& text) {
  constexpr double kNothing = 1e-12;  // what is left of a difference of equal numbers
  static const std::regex number(R"(-?\d+\.\d+(e[-+]?\d+)?)");
  std::string out;
  auto from = text.begin();
  for (std::sregex_iterator each(text.begin(), text.end(), number), end; each != end; ++each) {
    out.append(from, text.begin() + each->position());
    std::ostringstream shown;
    const double value = std::stod(each->str());
    shown << std::setprecision(6) << (std::abs(value) < kNothing ? 0 : value);
    out += shown.str();
    from = text.begin() + each->position() + each->length();
  }
  return out.append(from, text.end());
}

}  // namespace kernsweep
