// Short sweeps written in tests, and what became of them as text.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "language/space/axis.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep::sweep_test {

// The four lines that every sweep needs but axes; what follows begins in line 4.
inline std::string with_head(const std::string& rest) {
  return "sweep: 1\nname: n\nkernel: gemm\n" + rest;
}

inline Result<Expansion> parsed(const std::string& rest, const Replacements& replacements = {}) {
  return Expansion::parse(with_head(rest), "s.yaml", replacements);
}

inline Expansion expansion_of(const std::string& rest, const Replacements& replacements = {}) {
  auto result = parsed(rest, replacements);
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

// "" when there is none.
inline std::string error_of(const std::string& rest, const Replacements& replacements = {}) {
  const auto result = parsed(rest, replacements);
  return result ? std::string() : result.error().message;
}

// "a=1 b=x": columns that are null are left out.
inline std::string text_of(const Expansion& expansion, const Point& point) {
  std::string out;
  for (std::size_t c = 0; c < point.values.size(); ++c) {
    if (point.values[c].is_null()) continue;
    out += (out.empty() ? "" : " ") + expansion.sweep().columns[c].name + "=" + point.values[c].to_text();
  }
  return out;
}

// Accepted points in order.
inline std::vector<std::string> points_of(const Expansion& expansion) {
  std::vector<std::string> out;
  Point point;
  for (std::uint64_t i = 0; i < expansion.raw_points(); ++i) {
    expansion.point_at(i, point);
    if (!expansion.rejection(i, point)) out.push_back(text_of(expansion, point));
  }
  return out;
}

// "<text of the filter>: <reason>" of every rejected point in order.
inline std::vector<std::string> rejections_of(const Expansion& expansion) {
  std::vector<std::string> out;
  Point point;
  for (std::uint64_t i = 0; i < expansion.raw_points(); ++i) {
    expansion.point_at(i, point);
    if (const auto rejection = expansion.rejection(i, point)) {
      out.push_back(expansion.filters()[rejection->rule].text + ": " + rejection->reason);
    }
  }
  return out;
}

// The kind of the first value of a column, "text" and the like.
inline std::string kind_in(const Expansion& expansion, const std::string& column) {
  Point point;
  expansion.point_at(0, point);
  for (std::size_t c = 0; c < point.values.size(); ++c) {
    if (expansion.sweep().columns[c].name == column) return std::string(point.values[c].kind_name());
  }
  return "no such column";
}

// A folder of its own for each test, gone with the test.
class Folder {
 public:
  Folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ =
        std::filesystem::path(testing::TempDir()) / (std::string("kernsweep_") + test->test_suite_name() +
                                                     "_" + test->name() + "_" + std::to_string(getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace kernsweep::sweep_test
