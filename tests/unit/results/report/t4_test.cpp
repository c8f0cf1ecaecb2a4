// T4 results: a configuration is there once, with all of its processes, or why it failed.
#include "results/report/t4.hpp"

#include "results/read/foreign_results.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::Job;

struct T4 : test::QueryTest {
  std::string exported(const std::string& which = "") {
    Reader r = reader();
    std::string text;
    const Status done = export_t4(r, which, [&](std::string_view part) -> Status {
      text += part;
      return Done{};
    });
    return done ? text : "error: " + done.error().message;
  }
  // Another process of point 0.
  Job again(double median, std::uint32_t process) {
    Job made = job({"a", 2, "x"}, median);
    made.record.point = 0;
    made.record.process = process;
    return made;
  }
};

TEST_F(T4, HasEachConfigurationOnceWithAllItsProcesses) {
  begin("s", {"variant", "threads", "how \"\x1b[2J"});
  put({"a", 2, "x"}, 0.5);
  Job doubtful = again(0.25, 1);
  doubtful.record.grade = 'C';
  doubtful.record.setup_s = 2;
  doubtful.record.finished_unix_s = 1e9;
  put(doubtful);
  put(again(1, 2).failed(Outcome::signal, "SIGSEGV: \"quoted\"\nand more"));
  Job cold = job({"a", Value(), 0.5}, 0.125);
  cold.record.cache = Cache::cold;
  put(cold);
  const std::string text = exported();
  EXPECT_THAT(rounded(text), IsGolden());
  const ForeignSweep back = read_foreign_results(text).value();
  EXPECT_THAT(back.columns, testing::ElementsAre("variant", "threads", "how \"\x1b[2J", "cache"));
  EXPECT_THAT(back.jobs[0].seconds, testing::ElementsAre(0.5, 0.5, 0.25, 0.25));
}

TEST_F(T4, SaysHowAConfigurationFailedAndLeavesOutWhatWasNotTried) {
  begin("s", {"m"});
  int m = 0;
  for (const Outcome outcome :
       {Outcome::unsupported, Outcome::wrong_result, Outcome::failed_setup, Outcome::failed_run,
        Outcome::signal, Outcome::timeout_setup, Outcome::timeout_run, Outcome::out_of_memory,
        Outcome::worker_lost, Outcome::cancelled, Outcome::unplaceable, Outcome::skipped})
    put(job({++m}, 1).failed(outcome, "because"));
  EXPECT_THAT(exported(), IsGolden());
}

TEST_F(T4, TellsHostsApartWhereThereAreSeveral) {
  begin("s", {"m"});
  for (const char* name : {"one", "two"}) {
    HostRecord host;
    host.name = name;
    host.fingerprint = digest_of(name);
    Job made = job({1}, 0.5);
    made.record.point = 0;
    made.record.host = test::good(store.add_host(host));
    put(made);
  }
  EXPECT_THAT(exported(), IsGolden());
}

// A kind of host is one place whatever its hosts are called, and one wrong process makes a point wrong.
TEST_F(T4, PutsKindsOfHostTogetherAndHidesNoWrongResult) {
  begin("s", {"m"});
  const auto put_on = [&](const char* name, bool wrong) {
    HostRecord host;
    host.name = name;
    host.fingerprint = digest_of("one kind");
    Job made = job({1}, 0.5);
    if (wrong) made = job({1}, 0.5).failed(Outcome::wrong_result, "off by one");
    made.record.point = 0;
    made.record.host = test::good(store.add_host(host));
    put(made);
  };
  put_on("one", false);
  put_on("two", true);
  EXPECT_THAT(exported(), IsGolden());
}

TEST_F(T4, IsWholeWithoutAJobAndRefusesAnUnknownSweep) {
  begin("s", {"m"});
  EXPECT_THAT(exported(), IsGolden());
  EXPECT_THAT(exported("t"), IsGolden());
}

// A sink that is full ends the export with its own reason.
TEST_F(T4, EndsWhereItsSinkEnds) {
  begin("s", {"m"});
  put({1}, 1e-3);
  put({2}, 1e-3);
  Reader r = reader();
  int parts = 0;
  const Status done = export_t4(r, "", [&](std::string_view) -> Status {
    if (++parts == 2) return failure("full");
    return Done{};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "full");
  EXPECT_EQ(parts, 2);
}

}  // namespace
}  // namespace kernsweep
