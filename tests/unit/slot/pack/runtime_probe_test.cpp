#include "worker/slot/pack/runtime_probe.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace kernsweep {
namespace {

const std::string kPack = build_folder() + "/tests/unit_slot_packs/telling.so";

Result<std::string> told_by(const std::string& variant, const std::string& m = "2") {
  return runtime_of({kPack, "talk", variant, {{"m", m}}});
}

// What answer_runtime_question() writes, and its status before a blank.
std::string answer_to(const std::vector<std::string>& words) {
  int ends[2];
  KS_ASSERT(pipe(ends) == 0);
  const int status = answer_runtime_question(words, ends[1]);
  close(ends[1]);
  char text[1024];
  const ssize_t got = read(ends[0], text, sizeof text);
  close(ends[0]);
  return std::to_string(status) + " " + std::string(text, got > 0 ? static_cast<std::size_t>(got) : 0);
}

TEST(RuntimeProbe, TellsWhatTheVariantTellsAfterOneRunOnZeros) {
  const auto text = told_by("good");
  ASSERT_TRUE(text) << text.error().message;
  // 1 thread + 2 x 3 zeros + 1 run; the byte that is no UTF-8 is replaced
  EXPECT_EQ(*text, "Lib 1.0 caf\xEF\xBF\xBD core=2\nthreads=1");
  EXPECT_EQ(told_by("silent").value_or("none"), "");
}

TEST(RuntimeProbe, GivesTheReasonWhyNot) {
  EXPECT_EQ(told_by("refusing").error().message, "libnone.so.1 is not here");
  EXPECT_THAT(told_by("failing").error().message, IsGolden());
  EXPECT_THAT(told_by("hollow").error().message, IsGolden());
  EXPECT_THAT(told_by("missing").error().message, IsGolden());
  EXPECT_THAT(runtime_of({kPack, "no", "good", {}}).error().message, IsGolden());
  EXPECT_THAT(runtime_of({kPack + "x", "talk", "good", {}}).error().message, IsGolden());
}

TEST(RuntimeProbe, RefusesPointsThatAreWrongOrLarge) {
  EXPECT_THAT(runtime_of({kPack, "talk", "good", {}}).error().message, IsGolden());
  EXPECT_THAT(told_by("good", "text").error().message, IsGolden());
  for (const char* m : {"1000000000", "9223372036854775807", "-1"})
    EXPECT_THAT(told_by("good", m).error().message, IsGolden()) << m;
}

TEST(RuntimeProbe, AnswersInOneLineBehindWhatLibrariesPrint) {
  EXPECT_EQ(answer_to({kPack, "talk", "good", "m=2"}),
            "0 \nruntime Lib 1.0 caf\xEF\xBF\xBD core=2 threads=1\n");
  EXPECT_EQ(answer_to({kPack, "talk", "refusing", "m=2"}), "1 \nreason libnone.so.1 is not here\n");
  EXPECT_EQ(answer_to({kPack, "talk"}), "2 ");
  EXPECT_EQ(answer_to({kPack, "talk", "good", "m"}), "2 ");
}

}  // namespace
}  // namespace kernsweep
