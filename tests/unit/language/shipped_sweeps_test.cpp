// The sweep files of sweeps/: that they can decide, and that their first lines foretell what `check` does.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "language/check/explain.hpp"
#include "shared/stats/contest.hpp"
#include "tests/golden_text/places.hpp"

namespace kernsweep {
namespace {

// Those for GPUs are gpu_*.yaml and claims/G*.yaml.
bool is_for_gpus(const std::filesystem::path& file) {
  const std::string name = file.filename();
  return name.starts_with("gpu_") || name.starts_with("G");
}

std::vector<std::filesystem::path> shipped() {
  std::vector<std::filesystem::path> files;
  for (const char* const folder : {"/sweeps", "/sweeps/claims"})
    for (const auto& entry : std::filesystem::directory_iterator(source_folder() + std::string(folder)))
      if (entry.path().extension() == ".yaml" && !is_for_gpus(entry.path())) files.push_back(entry.path());
  return files;
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Five processes a point are what ranks need (docs/internals/evidence.md); C20 asks about bits only.
TEST(ShippedSweeps, HaveTheProcessesThatDecide) {
  ASSERT_FALSE(shipped().empty());
  for (const auto& file : shipped()) {
    const auto expansion = Expansion::read(file, {});
    ASSERT_TRUE(expansion) << expansion.error().message;
    const bool of_bits = file.filename() == "C20.yaml";
    EXPECT_GE(expansion->sweep().processes, of_bits ? 2u : 5u) << file;
  }
}

// The end of a range that two equal points would keep says that a difference is absent. It is shown only
// where groups that processes do not show are unlikely; here all points of the sweep are steady, and
// nothing else is known of the host.
TEST(ShippedSweeps, CanShowTheAbsenceOfADifferenceThatTheyClaim) {
  int asked = 0;
  const std::filesystem::path folder = source_folder() + "/sweeps/claims";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto expansion = Expansion::read(entry.path(), {});
    ASSERT_TRUE(expansion) << expansion.error().message;
    bool claims_absence = false;
    for (std::size_t i = 0; i < expansion->claims(); ++i) {
      const Claim& claim = expansion->claim(i);
      const bool equals_keep = claim.by.low < 1 || (claim.by.high > 1 && std::isfinite(claim.by.high));
      claims_absence = claims_absence || (claim.kind == ClaimKind::faster && equals_keep);
    }
    if (!claims_absence) continue;
    ++asked;
    const std::uint32_t processes = expansion->sweep().processes;
    ProcessSpread spread;
    const std::vector<double> logs(processes, 0.0);
    for (std::uint64_t point = 0; point < check_report(*expansion).points; ++point) spread.add(logs, 0);
    spread.fit();
    EXPECT_FALSE(groups_may_be_unseen(spread, processes, processes, {})) << entry.path();
  }
  EXPECT_GE(asked, 5);
}

TEST(ShippedSweeps, SayHowLongTheyTakeAsCheckEstimatesIt) {
  for (const auto& file : shipped()) {
    const auto expansion = Expansion::read(file, {});
    ASSERT_TRUE(expansion) << expansion.error().message;
    const CheckReport report = check_report(*expansion);
    const std::string range = text_of_range(report.seconds, report.seconds_most);
    EXPECT_THAT(text_of_file(file),
                testing::HasSubstr("# `kernsweep check` estimates " + range + " on two idle cores.\n"))
        << file;
  }
}

}  // namespace
}  // namespace kernsweep
