#include "kernels/cpu/libraries/cblas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep {
namespace {

struct Opened {
  std::shared_ptr<const Cblas> library;
  ks_status status = KS_OK;
  char why[256] = "";
};

void open(const char* file, int threads, Opened& opened) {
  opened.library = Cblas::open(file, threads, opened.status, {opened.why, sizeof opened.why});
}

TEST(Cblas, AFileThatIsNoLibraryIsAReasonNotACrash) {
  for (const char* file : {"", "/", "/dev/null", "/proc/self/cmdline", "libnone.so"}) {
    Opened opened;
    open(file, 1, opened);
    EXPECT_EQ(opened.library, nullptr) << file;
    EXPECT_NE(opened.status, KS_OK);
    EXPECT_THAT(std::string(opened.why), IsGolden());
  }
}

TEST(Cblas, MultipliesRowMajorDoublesInBothLibraries) {
  for (const char* file : {"libopenblas.so.0", "libblis.so.4"})
    EXPECT_EQ(testing::in_child([&]() -> std::string {
                Opened opened;
                open(file, 1, opened);
                if (opened.library == nullptr) return opened.why;
                // 1 2 / 3 4  times  5 6 / 7 8  is  19 22 / 43 50
                const double a[] = {1, 2, 3, 4};
                const double b[] = {5, 6, 7, 8};
                double c[] = {-1, -1, -1, -1};
                opened.library->dgemm(false, false, 2, 2, 2, a, 2, b, 2, c, 2);
                const bool right = c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50;
                return right ? "" : "wrong product";
              }),
              "")
        << file;
}

TEST(Cblas, FollowsLinksToTheRealFile) {
  EXPECT_THAT(testing::in_child([]() -> std::string {
                Opened opened;
                open("libopenblas.so.0", 1, opened);
                return opened.library == nullptr ? opened.why : opened.library->runtime();
              }),
              ::testing::EndsWith("-r0.3.21.so"))
      << "Debian's libopenblas.so.0 is a link";
}

TEST(Cblas, OpeningAgainSetsTheThreadsAgain) {
  const std::string runtime = testing::in_child([]() -> std::string {
    Opened opened;
    open("libopenblas.so.0", 2, opened);
    open("libopenblas.so.0", 1, opened);
    return opened.library->runtime();
  });
  EXPECT_EQ(testing::told_in(runtime)["threads"], "1") << runtime;
}

// What a library of this make reported, without its folder, if its products are right.
std::string told_by(const std::string& make) {
  const std::string file = build_folder() + "/tests/cblas/cblas_" + make + ".so";
  return testing::in_child([&]() -> std::string {
    Opened opened;
    open(file.c_str(), 2, opened);
    if (opened.library == nullptr) return opened.why;
    const double a[] = {1, 2, 3, 4};
    const float x[] = {1, 2, 3, 4};
    double c[] = {-1, -1, -1, -1};
    float z[] = {-1, -1, -1, -1};
    opened.library->dgemm(false, true, 2, 2, 2, a, 2, a, 2, c, 2);
    opened.library->sgemm(true, false, 2, 2, 2, x, 2, x, 2, z, 2);
    const bool right = c[0] == 5 && c[1] == 11 && c[3] == 25 && z[0] == 10 && z[1] == 14 && z[3] == 20;
    const std::string& runtime = opened.library->runtime();
    return (right ? "" : "wrong product: ") + runtime.substr(0, runtime.find(" file="));
  });
}

TEST(Cblas, OfEveryMakeMultipliesAndTellsItsVersionKernelsAndThreads) {
  for (const char* make :
       {"plain", "wide", "scipy64", "flexiblas", "mkl", "nvpl", "aocl", "armpl", "atlas"})
    EXPECT_THAT(std::string(make) + ": " + told_by(make), IsGolden());
}

}  // namespace
}  // namespace kernsweep
