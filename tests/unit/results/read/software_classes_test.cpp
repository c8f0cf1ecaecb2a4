#include "results/read/software_classes.hpp"

#include "results/answer/best/best.hpp"
#include "results/answer/best/sweep_effects.hpp"
#include "results/report/answer_text.hpp"
#include "tests/unit/results/answer/claims/claims_fixture.hpp"

namespace kernsweep {
namespace {

using testing::ElementsAre;
using testing::Pair;

// name:content of each library, all of them in /lib.
SoftwareTexts software(std::int64_t id,
                       std::initializer_list<std::pair<const char*, const char*>> libraries,
                       const char* build = "b") {
  SoftwareTexts out{id, build, ""};
  for (const auto& [name, hash] : libraries)
    out.libraries += std::string("/lib/") + name + ".1\t" + name + "\t-\t10\t" + hash + "\t-\n";
  return out;
}

TEST(SoftwareClasses, ALibraryThatOnlyOneHasLoadedMakesNoDifference) {
  EXPECT_THAT(software_classes({software(1, {{"libc", "c"}}), software(2, {{"libc", "c"}, {"libtbb", "t"}}),
                                software(3, {{"libc", "c"}, {"libblas", "x"}})}),
              ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 1)));
}

TEST(SoftwareClasses, AnotherContentOfTheSameLibraryDoes) {
  EXPECT_THAT(software_classes({software(4, {{"libc", "c"}}), software(7, {{"libc", "d"}}),
                                software(9, {{"libc", "d"}, {"libm", "m"}})}),
              ElementsAre(Pair(4, 4), Pair(7, 7), Pair(9, 7)));
}

// 3 has nothing in common with 1, but with 2, which is of the class of 1.
TEST(SoftwareClasses, AllMembersMustAgree) {
  EXPECT_THAT(software_classes({software(1, {{"liba", "1"}}), software(2, {{"libb", "1"}}),
                                software(3, {{"libb", "2"}})}),
              ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 3)));
}

TEST(SoftwareClasses, AnotherBuildOfOursIsAnotherClassWhateverItLoads) {
  EXPECT_THAT(software_classes({software(1, {}), software(2, {}, "other")}),
              ElementsAre(Pair(1, 1), Pair(2, 2)));
}

TEST(SoftwareClasses, WhereALibraryLiesIsNoDifference) {
  SoftwareTexts here = software(1, {{"libc", "c"}}), there = here;
  there.id = 2;
  there.libraries.replace(0, 4, "/opt");
  SoftwareTexts unnamed{3, "b", "/x/pack.so\t-\t-\t5\tp\t-"}, moved{4, "b", "/y/pack.so\t-\t-\t5\tq\t-"};
  EXPECT_THAT(software_classes({here, there, unnamed, moved}),
              ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 1), Pair(4, 4)));
}

TEST(SoftwareClasses, AFileThatBothRanMustHoldTheSame) {
  SoftwareTexts old{1, "b", "", "word\t./bench.py\t./bench.py\t9\tx\nprogram\tpython3\t/bin/py\t5\tp"};
  SoftwareTexts edited{2, "b", "", "word\t./bench.py\t./bench.py\t9\ty\nprogram\tpython3\t/bin/py\t5\tp"};
  SoftwareTexts other_file{3, "b", "", "word\t./other.py\t./other.py\t9\tz"};
  SoftwareTexts other_variable{4, "b", "", "variable\tPATH\t/bin\t-\t-"};
  EXPECT_THAT(software_classes({old, edited, other_file, other_variable}),
              ElementsAre(Pair(1, 1), Pair(2, 2), Pair(3, 1), Pair(4, 1)));
  EXPECT_THAT(contradictions(old, edited), ElementsAre("./bench.py"));
  EXPECT_THAT(contradictions(old, other_file), testing::IsEmpty());
}

TEST(SoftwareClasses, TheSameNameElsewhereIsTheSameOnlyWithTheSameContent) {
  SoftwareTexts here{1, "b", "", "module\tm\t/a/m.py\t9\tx"},
      copied{2, "b", "", "module\tm\t/b/m.py\t9\tx"}, another{3, "b", "", "module\tm\t/c/m.py\t9\ty"};
  EXPECT_THAT(software_classes({here, copied, another}), ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 3)));
}

TEST(SoftwareClasses, AnotherLibraryOfAProgramIsASettingUnlessItsFileHasChanged) {
  SoftwareTexts slow{1, "b", "", "linked\tlibk.so\t./slow/libk.so\t9\tx"},
      fast{2, "b", "", "linked\tlibk.so\t./fast/libk.so\t9\ty"},
      rebuilt{3, "b", "", "linked\tlibk.so\t./fast/libk.so\t9\tz"};
  EXPECT_THAT(software_classes({slow, fast, rebuilt}), ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 3)));
}

struct StoredSoftware : test::ClaimsTest {
  SoftwareId script(const std::string& hash) {
    return test::good(store.add_software(
        {.identity = digest_of("script " + hash), .sources = "word\t./bench.py\t./bench.py\t9\t" + hash}));
  }
  // Processes of a point, each with its time and software.
  void put_processes(std::uint64_t point, const std::vector<Value>& values,
                     const std::vector<std::pair<double, SoftwareId>>& processes) {
    std::uint32_t process = 0;
    for (const auto& [seconds, software] : processes) {
      test::Job made = job(values, seconds);
      made.record.point = point;
      made.record.process = process++;
      made.record.software = software;
      put(made);
    }
  }
};

// Taken together they would be 107 us, a time that no build had.
TEST_F(StoredSoftware, BestGivesAPointARowForEachSoftwareThatContradicts) {
  const SoftwareId a = script("x"), b = script("y");
  begin("s", {"variant", "m"});
  put_processes(0, {"bench", 1}, {{13.9e-6, a}, {13.9e-6, a}, {200e-6, b}, {200e-6, b}});
  put_processes(1, {"other", 1}, {{27.8e-6, a}});
  Reader r = reader();
  const BestAnswer answer = test::good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "median_s", 0), Value(13.9e-6));
  EXPECT_EQ(cell(answer, "software", 0), Value(1));
  EXPECT_EQ(cell(answer, "processes", 0), Value(2));
  EXPECT_EQ(cell(answer, "runner_up", 0), Value("other"));
  EXPECT_NEAR(*cell(answer, "times_better", 0).number(), 2.0, 1e-12);  // 27.8 / 13.9
  EXPECT_EQ(cell(answer, "median_s", 1), Value(200e-6));
  EXPECT_EQ(cell(answer, "software", 1), Value(2));
  EXPECT_EQ(cell(answer, "processes", 1), Value(2));
  EXPECT_EQ(cell(answer, "runner_up", 1), Value());
  EXPECT_EQ(answer.groups, 1U);
  EXPECT_EQ(answer.several_software, 1U);
  EXPECT_THAT(
      text_of(answer, "r.db", 24),
      testing::HasSubstr("1 point was measured by more than one software, whose times are not taken "
                         "together; what changed: ./bench.py\n"));
}

// The median of 13.9, 13.9, 200 and 200.
TEST_F(StoredSoftware, BestTakesTogetherWhatDiffersInLoadedLibrariesAlone) {
  std::vector<SoftwareId> loaded;
  for (const char* libraries : {"/l/a\ta\t-\t1\tx\t-", "/l/b\tb\t-\t1\tx\t-"})
    loaded.push_back(
        test::good(store.add_software({.identity = digest_of(libraries), .libraries = libraries})));
  begin("s", {"variant"});
  put_processes(0, {"bench"},
                {{13.9e-6, loaded[0]}, {13.9e-6, loaded[0]}, {200e-6, loaded[1]}, {200e-6, loaded[1]}});
  Reader r = reader();
  const BestAnswer answer = test::good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_NEAR(*cell(answer, "median_s").number(), 106.95e-6, 1e-12);
  EXPECT_EQ(cell(answer, "processes"), Value(4));
  EXPECT_EQ(answer.several_software, 0U);
}

TEST_F(StoredSoftware, BestTakesHostsOfOneKindTogetherAndOthersNever) {
  const auto host = [&](const char* name, const char* kind) {
    return test::good(store.add_host({.fingerprint = digest_of(kind), .name = name}));
  };
  const std::vector<std::pair<double, HostId>> processes = {
      {1.0, host("n1", "k")}, {2.0, host("n2", "k")}, {9.0, host("n3", "k")}, {200.0, host("n1", "other")}};
  for (const bool each : {false, true}) {
    begin(each ? "each" : "any", {"variant"});
    for (const auto& [seconds, id] : processes) {
      test::Job made = job({"bench"}, seconds);
      made.record.point = 0;
      made.record.host = id;
      made.record.attempt.job.host = each ? id.value : 0;
      put(made);
    }
  }
  Reader r = reader();
  const BestAnswer any = test::good(best(r, {.sweep = "any"}));
  ASSERT_EQ(any.rows.size(), 2U);
  EXPECT_EQ(cell(any, "median_s", 0), Value(2.0));  // of 1, 2 and 9
  EXPECT_EQ(cell(any, "processes", 0), Value(3));
  EXPECT_EQ(cell(any, "median_s", 1), Value(200.0));
  EXPECT_EQ(test::good(best(r, {.sweep = "each"})).rows.size(), 4U);
}

// 1 s against 2 s by one, 10 s against 40 s by the other: the mean is that of 1 / 2 and 1 / 4.
TEST_F(StoredSoftware, FindingsHoldAPointAgainstThatOfTheSameSoftware) {
  const SoftwareId x = script("x"), y = script("y");
  begin("s", {"variant", "m"});
  put_processes(0, {"a", 1}, {{1.0, x}, {10.0, y}});
  put_processes(1, {"b", 1}, {{2.0, x}, {40.0, y}});
  Reader r = reader();
  const SweepEffects found = test::good(sweep_effects(r, "s", 9));
  ASSERT_EQ(found.effects.size(), 1U);
  EXPECT_EQ(found.effects[0].matched, 2U);
  EXPECT_DOUBLE_EQ(found.effects[0].least, 0.25);
  EXPECT_DOUBLE_EQ(found.effects[0].most, 0.5);
  EXPECT_NEAR(found.effects[0].speedup, 0.353553390593, 1e-9);  // the root of 1 / 8
}

TEST_F(StoredSoftware, AClaimAboutTimesLooksAtEachSoftwareByItself) {
  const SoftwareId x = script("x"), y = script("y");
  begin("s", {"variant"});
  put_point({"bench"}, 13.9e-6, [&](test::Job& made) { made.record.software = x; });
  put_point({"bench"}, 200e-6, [&](test::Job& made) { made.record.software = y; });
  const JudgedClaim claim = judged(of_kind(ClaimKind::at_most, 150e-6));
  EXPECT_EQ(claim.pairs, 2U);
  EXPECT_NEAR(claim.lowest, 13.9e-6, 1e-9);
  EXPECT_NEAR(claim.highest, 200e-6, 1e-9);
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
}

TEST_F(StoredSoftware, IsReadFromTheDatabase) {
  for (const char* libraries : {"/l/a\ta\t-\t1\tx\t-", "/l/b\tb\t-\t1\tx\t-", "/l/a\ta\t-\t1\ty\t-"})
    test::good(
        store.add_software({.identity = digest_of(libraries), .version = "0.1.0", .libraries = libraries}));
  Reader r = reader();
  EXPECT_THAT(test::good(software_classes(r)), ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 3)));
}

}  // namespace
}  // namespace kernsweep
