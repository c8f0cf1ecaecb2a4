// docs/reference/doctor.md has a row for each check, with the reason that the program gives, and no others.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/golden_text/places.hpp"
#include "worker/host/doctor/checks.hpp"

namespace kernsweep {
namespace {

// Rows such as "| `cpu.governor` | why | what to do |": id to why.
std::map<std::string, std::string> documented_checks() {
  std::map<std::string, std::string> rows;
  std::ifstream page(source_folder() + "/docs/reference/doctor.md");
  for (std::string line; std::getline(page, line);) {
    const auto end = line.find("` | ");
    if (line.rfind("| `", 0) != 0 || end == std::string::npos || line.find('.') > end) continue;
    const auto why = end + 4;
    rows[line.substr(3, end - 3)] = line.substr(why, line.find(" | ", why) - why);
  }
  return rows;
}

TEST(DoctorPage, ExplainsExactlyTheChecksThatExist) {
  std::map<std::string, std::string> checks;
  for (const Check& check : all_checks()) checks[check.id] = check.why;
  EXPECT_EQ(documented_checks(), checks);
}

}  // namespace
}  // namespace kernsweep
