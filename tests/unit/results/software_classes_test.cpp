#include "results/software_classes.hpp"

#include "tests/unit/results/query_fixture.hpp"

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

struct StoredSoftware : test::QueryTest {};

TEST_F(StoredSoftware, IsReadFromTheDatabase) {
  for (const char* libraries : {"/l/a\ta\t-\t1\tx\t-", "/l/b\tb\t-\t1\tx\t-", "/l/a\ta\t-\t1\ty\t-"})
    test::good(
        store.add_software({.identity = digest_of(libraries), .version = "0.1.0", .libraries = libraries}));
  Reader r = reader();
  EXPECT_THAT(test::good(software_classes(r)), ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 3)));
}

}  // namespace
}  // namespace kernsweep
