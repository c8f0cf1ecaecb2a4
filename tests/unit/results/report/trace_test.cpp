// Time lines: what lies where, what is added up, and what is left out.
#include "results/report/trace.hpp"

#include "results/store/events.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::why;

struct Trace : test::QueryTest {
  TraceSums sums;

  std::string traced(const std::string& which = "") {
    Reader r = reader();
    std::string text;
    const auto done = write_trace(r, which, [&](std::string_view part) -> Status {
      text += part;
      return Done{};
    });
    if (!done) return "error: " + done.error().message;
    sums = *done;
    return text;
  }
  // An attempt of session 1 that ends at `end`; lengths in seconds.
  Job ended(std::vector<Value> values, double end, double setup, double wait, double run, double warm_up) {
    Job made = job(std::move(values), 1e-3);
    made.record.finished_unix_s = 1e9 + end;
    made.record.queue_s = 0.25;
    made.record.setup_s = setup;
    made.record.lease_wait_s = wait;
    made.record.run_s = run;
    made.record.warmup_s = warm_up;
    made.record.session = 1;
    return made;
  }
};

// Two at a time, then one that fits behind the first; one that crashed while it was prepared; one whose end
// is unknown; a worker that was lost.
TEST_F(Trace, LaysOutPhasesBackwardsFromTheEndAndThreadsByWhatIsFree) {
  begin("s", {"variant", "how\x1b"});
  const HostId host = good(store.add_host({.fingerprint = digest_of("h"), .name = "host \"<b>\x1b[2J"}));
  Job first = ended({"a", "<script>\"\u202E"}, 4, 1, 1, 2, 0.5);
  first.record.host = host;
  first.record.affinity = "0-1";
  first.record.conditions.emplace();
  first.record.conditions->disturbed_by = "clock 12, switched 40";
  put(first);
  Job second = ended({"b", std::string(10000, 'y')}, 5, 2, 0, 3, 0);
  second.record.host = host;
  put(second);
  Job third = ended({"c", 1}, 7, 1, 0, 2, 5);  // a warm-up that is longer than the whole run
  third.record.host = host;
  put(third);
  Job crashed =
      ended({"d", 2}, 8, 1, kUnknown, kUnknown, kUnknown).failed(Outcome::signal, "SIGSEGV\n\x1b");
  crashed.record.host = host;
  put(crashed);
  put(job({"e", 3}, 1e-3));
  good(store.note({.what = EventKind::lost,
                   .unix_s = 1e9 + 6,
                   .attempt = {},
                   .sweep = {},
                   .session = 1,
                   .host = host,
                   .reason = "silent"}));
  const std::string text = traced();
  EXPECT_EQ(sums.attempts, 4U);
  EXPECT_EQ(sums.without_end, 1U);
  EXPECT_EQ(sums.threads, 2U);
  EXPECT_EQ(sums.disturbances, 1U);
  EXPECT_EQ(sums.events, 1U);
  EXPECT_EQ(sums.of(TracePhase::prepare), 5'000'000'000);
  EXPECT_EQ(sums.of(TracePhase::wait), 1'000'000'000);
  EXPECT_EQ(sums.of(TracePhase::warm_up), 2'500'000'000);
  EXPECT_EQ(sums.of(TracePhase::measure), 4'500'000'000);
  EXPECT_EQ(sums.queue_ns, 1'000'000'000);
  EXPECT_EQ(sums.wall_ns, 8'000'000'000);
  EXPECT_THAT(text, IsGolden());
  EXPECT_THAT(text_of(sums, "t.json"), IsGolden());
  EXPECT_THAT(to_json(sums), IsGolden());
}

// Two attempts of a slot, and one of another: what a slot did and waited adds up to its wall time.
TEST_F(Trace, AddsUpWhatASlotDid) {
  begin("s", {"variant"});
  const HostId host = good(store.add_host({.fingerprint = digest_of("h"), .name = "host"}));
  const auto attempt = [&](const char* variant, double end, double start, std::uint32_t slot) {
    Job made = ended({variant}, end, 6, 1, 2, 0.5);
    made.record.host = host;
    made.record.inputs_s = 1;
    made.record.reference_s = 3;
    made.record.verify_s = 1.5;
    made.record.check_s = 1;
    made.record.start_s = start;
    made.record.slot = slot;
    put(made);
  };
  attempt("a", 12, 2, 100);
  attempt("b", 25, 0, 100);
  attempt("c", 12, 2, 101);
  const std::string text = traced();
  EXPECT_EQ(sums.of(TracePhase::idle), 3'000'000'000);
  EXPECT_EQ(sums.all_ns() + sums.of(TracePhase::idle), (25 + 12) * std::int64_t{1'000'000'000});
  EXPECT_THAT(text, IsGolden());
  EXPECT_THAT(text_of(sums, "t.json"), IsGolden());
}

// A worker that comes again is another session, and no other slot.
TEST_F(Trace, CountsWhatRanAtOneMomentAndNotSessions) {
  begin("s", {"variant"});
  const HostId near = good(store.add_host({.fingerprint = digest_of("n"), .name = "near"}));
  const HostId far = good(store.add_host({.fingerprint = digest_of("f"), .name = "far"}));
  std::uint32_t session = 0;
  for (const auto& [host, end] : {std::pair{near, 2.0}, {near, 4.0}, {far, 6.0}, {near, 6.5}}) {
    Job each = ended({static_cast<std::int64_t>(session)}, end, 0, 0, 2, 0);
    each.record.host = host;
    each.record.session = ++session;
    put(each);
  }
  traced();
  EXPECT_EQ(sums.threads, 2U);
  EXPECT_EQ(sums.together, 2U);
  EXPECT_EQ(sums.hosts, 2U);
}

TEST_F(Trace, SaysWhenNothingHasEnded) {
  begin("s", {"variant"});
  EXPECT_THAT(traced(), IsGolden());
  put(job({"a"}, 1e-3));
  EXPECT_THAT(traced(), IsGolden());
  EXPECT_THAT(traced("other"), IsGolden());
  SweepRecord imported = test::sweep_named("imported", {"variant"});
  imported.tags = {{kImportedFrom, "hyperfine"}};
  begin(imported);
  put(job({"a"}, 1e-3));
  EXPECT_THAT(traced(), IsGolden());
}

TEST_F(Trace, EndsWhereItsSinkEnds) {
  begin("s", {"variant"});
  put(ended({"a"}, 4, 1, 1, 2, 0.5));
  put(ended({"b"}, 9, 1, 1, 2, 0.5));
  Reader r = reader();
  int parts = 0;
  const auto done = write_trace(r, "", [&](std::string_view) -> Status {
    if (++parts == 3) return failure("full");
    return Done{};
  });
  EXPECT_EQ(why(done), "full");
  EXPECT_EQ(parts, 3);
}

}  // namespace
}  // namespace kernsweep
