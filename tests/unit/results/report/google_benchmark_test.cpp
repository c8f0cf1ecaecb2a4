// The form of Google Benchmark: every job is there once, with its data of the database.
#include "results/report/google_benchmark.hpp"

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::Job;

struct GoogleBenchmark : test::QueryTest {
  std::string exported(const std::string& which = "") {
    Reader r = reader();
    std::string text;
    const Status done = export_google_benchmark(r, which, [&](std::string_view part) -> Status {
      text += part;
      return Done{};
    });
    return done ? text : "error: " + done.error().message;
  }
};

TEST_F(GoogleBenchmark, HasEachJobWithItsProcessAndWhyItFailed) {
  begin("s", {"variant", "threads", "how \"\x1b[2J"});
  put({"a", 2, "x/y"}, 1.5e-3);
  Job cold = job({"a", Value(), 0.5}, 1e-9);
  cold.record.cache = Cache::cold;
  cold.record.process = 1;
  cold.record.grade = 0;
  put(cold);
  put(job({"<b>", 1, 1}, 1).failed(Outcome::signal, "SIGSEGV: \"quoted\"\nand more"));
  EXPECT_THAT(exported(), IsGolden());
}

TEST_F(GoogleBenchmark, IsWholeWithoutAJobAndRefusesAnUnknownSweep) {
  begin("s", {"m"});
  EXPECT_THAT(exported(), IsGolden());
  EXPECT_THAT(exported("t"), IsGolden());
}

// compare.py takes benchmarks of one name as repetitions, and two kinds of host are none.
TEST_F(GoogleBenchmark, TellsKindsOfHostsApart) {
  begin("s", {"m"});
  const auto host = [&](const char* print, const char* name) {
    return test::good(store.add_host({.fingerprint = digest_of(print), .name = name}));
  };
  const HostId near = host("one", "near"), like_near = host("one", "twin"), far = host("other", "far"),
               renewed = host("third", "near");
  for (const HostId each : {near, like_near, far, renewed}) {
    Job made = job({1}, 1e-3);
    made.record.host = each;
    put(made);
  }
  EXPECT_THAT(exported(), IsGolden());
}

// A sink that is full ends the export with its own reason.
TEST_F(GoogleBenchmark, EndsWhereItsSinkEnds) {
  begin("s", {"m"});
  put({1}, 1e-3);
  put({2}, 1e-3);
  Reader r = reader();
  int parts = 0;
  const Status done = export_google_benchmark(r, "", [&](std::string_view) -> Status {
    if (++parts == 2) return failure("full");
    return Done{};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "full");
  EXPECT_EQ(parts, 2);
}

}  // namespace
}  // namespace kernsweep
