#include "worker/process/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/wire/protocol.pb.h"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(Memory, IsReadInBytesUnitsAndShares) {
  EXPECT_EQ(memory_of("1073741824", 16 * kGiB).value(), kGiB);
  EXPECT_EQ(memory_of("8GiB", 16 * kGiB).value(), 8 * kGiB);
  EXPECT_EQ(memory_of("1.5GiB", 16 * kGiB).value(), kGiB + kGiB / 2);
  EXPECT_EQ(memory_of("500MB", 16 * kGiB).value(), 500'000'000U);
  EXPECT_EQ(memory_of("500 MB", 16 * kGiB).value(), 500'000'000U);
  EXPECT_EQ(memory_of("50%", 16 * kGiB).value(), 8 * kGiB);
  EXPECT_EQ(memory_of("8GiB", 0).value(), 8 * kGiB);  // of a machine that does not report it
}

TEST(Memory, ThatMakesNoSenseIsRefusedWithWhatToWrite) {
  for (const char* wrong : {"", "much", "8 gigs", "-1GiB", "0", "nan", "inf", "1e400", "101%", "%", "32GiB",
                            "1kB", "8GiB8", "8GiB "}) {
    const auto refused = memory_of(wrong, 16 * kGiB);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().message, IsGolden()) << wrong;
    EXPECT_THAT(refused.error().message, IsGolden()) << wrong;
  }
  EXPECT_FALSE(memory_of("50%", 0));
}

TEST(Tags, AreFactsAndNumbersWhereTheyLookLikeOnes) {
  Facts facts = {{"cores", 2}};
  ASSERT_TRUE(add_tags({"rack=7", "site=Bonn", "speed=2.5", "fast=true", "note=a=b", "empty="}, facts));
  EXPECT_EQ(facts.at("rack"), Value(7));
  EXPECT_EQ(facts.at("site"), Value("Bonn"));
  EXPECT_EQ(facts.at("speed"), Value(2.5));
  EXPECT_EQ(facts.at("fast"), Value(true));
  EXPECT_EQ(facts.at("note"), Value("a=b"));
  EXPECT_EQ(facts.at("cores"), Value(2));
}

TEST(Tags, ThatCannotBeAreRefused) {
  for (const char* wrong : {"rack", "=7", "", "7=rack", "a-b=1", "a b=1", "host.rack=7"}) {
    Facts facts;
    const Status refused = add_tags({wrong}, facts);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().message, IsGolden()) << wrong;
  }
  Facts facts;
  EXPECT_THAT(add_tags({"rack=7", "rack=8"}, facts).error().message, IsGolden());
}

TEST(Tags, DoNotReplaceWhatEveryHostTells) {
  Facts facts = {{"cores", 2}, {"name", "n"}};
  const Status refused = add_tags({"cores=64"}, facts);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, IsGolden());
  EXPECT_EQ(facts.at("cores"), Value(2));
}

TEST(Allow, IsAListOfKinds) {
  EXPECT_EQ(allowed_kinds("packs").value(), std::vector<std::string>{"packs"});
  EXPECT_EQ(allowed_kinds("python,packs,python").value(), (std::vector<std::string>{"packs", "python"}));
  EXPECT_EQ(allowed_kinds("packs,command,python,build").value(), kernel_kinds());
  for (const char* wrong : {"", "pack", "all", "packs,", ",packs", "packs command", "Packs"}) {
    const auto refused = allowed_kinds(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().message, IsGolden()) << wrong;
  }
}

wire::SlotKey key_of(const std::string& family, const std::string& variable = "") {
  wire::SlotKey key;
  key.set_family(family);
  if (!variable.empty()) (*key.mutable_environment())[variable] = "x";
  return key;
}

TEST(Allow, ForbidsOtherKindsByWhatWouldBeStarted) {
  EXPECT_FALSE(forbidden({}, key_of("command")));
  EXPECT_FALSE(forbidden({"packs"}, key_of("gemm")));
  EXPECT_TRUE(forbidden({"packs"}, key_of("command")));
  EXPECT_TRUE(forbidden({"packs"}, key_of("python")));
  EXPECT_TRUE(forbidden({"command"}, key_of("gemm")));
  EXPECT_FALSE(forbidden({"command"}, key_of("command")));
  const auto why = forbidden({"packs", "python"}, key_of("command"));
  EXPECT_THAT(*why, IsGolden());
  EXPECT_THAT(*why, IsGolden());
}

TEST(Allow, ForbidsBuildsUnlessTheyAreNamed) {
  EXPECT_FALSE(forbidden_build({}));
  EXPECT_FALSE(forbidden_build({"command", "build"}));
  EXPECT_THAT(forbidden_build({"command"}).value_or(""), IsGolden());
}

// A reference is a program, too, if it is a command or a function. A setting is what the job itself runs, a
// file is only read.
TEST(Allow, ForbidsReferencesByWhatWouldBeStarted) {
  const auto refused = [](const std::vector<std::string>& allowed, ReferenceKind kind,
                          bool enabled = true) {
    VerifyRules verify;
    verify.enabled = enabled;
    verify.reference.kind = kind;
    verify.reference.text = "x";
    return forbidden(allowed, verify).has_value();
  };
  for (const auto kind : {ReferenceKind::command, ReferenceKind::python}) {
    const std::string name(name_of(kind));
    EXPECT_TRUE(refused({"packs"}, kind)) << name;
    EXPECT_FALSE(refused({"packs", name}, kind)) << name;
    EXPECT_FALSE(refused({}, kind)) << name;
    EXPECT_FALSE(refused({"packs"}, kind, false)) << name << " is not computed without verification";
  }
  EXPECT_TRUE(refused({"packs", "python"}, ReferenceKind::command));
  for (const auto kind : {ReferenceKind::variant, ReferenceKind::setting, ReferenceKind::file})
    EXPECT_FALSE(refused({"packs"}, kind));
}

TEST(Allow, WithoutCommandForbidsVariablesThatBringInPrograms) {
  for (const char* name : {"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "GCONV_PATH", "PYTHONPATH", "PATH",
                           "HOME", "OMP_TOOL_LIBRARIES"}) {
    EXPECT_TRUE(forbidden({"packs"}, key_of("gemm", name))) << name;
    EXPECT_FALSE(forbidden({"packs", "command"}, key_of("gemm", name))) << name;
    EXPECT_FALSE(forbidden({}, key_of("gemm", name))) << name;
  }
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_CORETYPE", "KMP_AFFINITY", "MALLOC_ARENA_MAX"})
    EXPECT_FALSE(forbidden({"packs"}, key_of("gemm", name))) << name;
}

}  // namespace
}  // namespace kernsweep
