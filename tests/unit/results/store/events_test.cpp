// Sweeps that clients submit, and the history of attempts.
#include "results/store/events.hpp"

#include "results/sqlite/schema.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::asked;
using test::Folder;
using test::good;
using test::Job;
using test::sweep_named;

struct EventsTest : testing::Test {
  Folder folder;
  std::string path = folder.file("r.db");
  std::optional<Store> store = good(Store::open_for_writing(path));

  void open_again() {
    store.reset();
    store = good(Store::open_for_writing(path));
  }
  SweepRecord submitted(const std::string& name, std::int32_t priority = 0) {
    SweepRecord record = sweep_named(name, {"a"});
    record.submitted = true;
    record.priority = priority;
    return record;
  }
};

TEST_F(EventsTest, EveryKindAndStateHasANameOfItsOwn) {
  for (int n = 1; n <= static_cast<int>(EventKind::ended); ++n) {
    const auto kind = static_cast<EventKind>(n);
    EXPECT_EQ(event_kind_named(name_of(kind)), kind);
  }
  EXPECT_EQ(event_kind_named("sent"), std::nullopt);
  EXPECT_EQ(event_kind_named(""), std::nullopt);
  EXPECT_EQ(name_of(SweepState::cancelled), "cancelled");
  EXPECT_EQ(sweep_state_named("cancelled"), SweepState::cancelled);
}

TEST_F(EventsTest, TheFilesOfASweepComeBackByteForByte) {
  SweepRecord record = submitted("s", -7);
  const std::string odd("a,b\n1,\0\xFF\r\n", 10);
  record.files = {{"shapes.csv", odd}, {"../more.csv", ""}, {"größe.jsonl", std::string(100'000, 'x')}};
  const SweepId id = good(store->begin_sweep(record)).id;
  open_again();
  const StoredSweep found = *good(store->sweep(id));
  ASSERT_EQ(found.record.files.size(), 3U);  // by path
  EXPECT_EQ(found.record.files[0].path, "../more.csv");
  EXPECT_EQ(found.record.files[0].content, "");
  EXPECT_EQ(found.record.files[1].path, "größe.jsonl");
  EXPECT_EQ(found.record.files[1].content, std::string(100'000, 'x'));
  EXPECT_EQ(found.record.files[2].content, odd);
  EXPECT_EQ(found.record.priority, -7);
  EXPECT_TRUE(found.record.submitted);
}

TEST_F(EventsTest, SubmittedSweepsThatHaveNotEndedAreContinuedInOrder) {
  std::vector<SweepId> ids;
  for (const char* name : {"running", "stopped", "finished", "cancelled"})
    ids.push_back(good(store->begin_sweep(submitted(name))).id);
  good(store->begin_sweep(sweep_named("of run", {"a"})));  // not submitted: its command continues it
  good(store->finish_sweep(ids[1], SweepState::stopped, 1e9));
  good(store->finish_sweep(ids[2], SweepState::finished, 1e9));
  good(store->finish_sweep(ids[3], SweepState::cancelled, 1e9));
  open_again();
  const auto rest = good(store->to_be_continued());
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].record.name, "running");
  EXPECT_EQ(rest[0].state, SweepState::running);
  EXPECT_EQ(rest[1].record.name, "stopped");
  EXPECT_EQ(rest[1].state, SweepState::stopped);
  EXPECT_EQ(good(store->sweep(ids[3]))->state, SweepState::cancelled);
  EXPECT_EQ(good(store->over()), (std::vector{ids[2], ids[3]}));
}

// As if the coordinator died at once: what workers hold of it must not be forgotten.
TEST_F(EventsTest, ACancelledSweepThatIsSubmittedAgainIsContinued) {
  const SweepId id = good(store->begin_sweep(submitted("s"))).id;
  good(store->finish_sweep(id, SweepState::cancelled, 1e9));
  EXPECT_TRUE(good(store->begin_sweep(submitted("s"))).existed);
  open_again();
  EXPECT_TRUE(good(store->over()).empty());
  EXPECT_EQ(good(store->to_be_continued()).size(), 1U);
}

TEST_F(EventsTest, ASweepThatWasRunAndIsSubmittedLaterIsContinued) {
  SweepRecord record = sweep_named("s", {"a"});
  record.files = {{"a.csv", "old"}};
  const SweepId id = good(store->begin_sweep(record)).id;
  EXPECT_TRUE(good(store->to_be_continued()).empty());
  record.submitted = true;
  record.priority = 5;
  record.files = {{"a.csv", "new"}, {"b.csv", "b"}};
  const Store::Begun begun = good(store->begin_sweep(record));
  EXPECT_TRUE(begun.existed);
  EXPECT_EQ(begun.id, id);
  const auto rest = good(store->to_be_continued());
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].record.priority, 5);
  ASSERT_EQ(rest[0].record.files.size(), 2U);
  EXPECT_EQ(rest[0].record.files[0].content, "old");
  // Run again by its file: it stays one that was submitted.
  good(store->begin_sweep(sweep_named("s", {"a"})));
  EXPECT_EQ(good(store->to_be_continued()).size(), 1U);
}

TEST_F(EventsTest, TheIdentityIsOfTheFileAndStays) {
  const Digest identity = good(store->identity());
  EXPECT_NE(identity, Digest{});
  open_again();
  EXPECT_EQ(good(store->identity()), identity);
  Store other = good(Store::open_for_writing(folder.file("other.db")));
  EXPECT_NE(good(other.identity()), identity);
}

TEST_F(EventsTest, EventsJoinTheBatchAndGoWithIt) {
  const SweepId id = good(store->begin_sweep(submitted("s"))).id;
  good(store->note({.what = EventKind::joined, .unix_s = 1, .session = 3, .reason = "node7"}));
  EXPECT_EQ(asked(path, "select count(*) from event"), "0");
  good(store->record(Job(id, 0, {1}).ready()));
  good(store->commit());
  EXPECT_EQ(asked(path, "select count(*) from event"), "1");
  good(store->note({.what = EventKind::left, .unix_s = 2, .session = 3}));
  open_again();  // not committed
  EXPECT_EQ(asked(path, "select count(*) from event"), "1");
}

TEST_F(EventsTest, AnEventSaysWhatItIsOf) {
  const SweepId id = good(store->begin_sweep(submitted("s"))).id;
  const HostId host = good(store->add_host({.fingerprint = digest_of("h"), .name = "node7"}));
  good(store->note({.what = EventKind::submitted, .unix_s = 1.5, .sweep = id}));
  good(store->note({.what = EventKind::refused, .reason = "wrong version"}));
  good(store->note({.what = EventKind::late,
                    .unix_s = 2.5,
                    .attempt = AttemptId{{id, 17, 4}, 2},
                    .session = 9,
                    .host = host,
                    .reason = "attempt 3 is believed"}));
  good(store->commit());
  EXPECT_EQ(asked(path, "select * from event order by id"),
            "1|1.5|1|null|null|null|null|null|submitted|null\n"
            "2|null|null|null|null|null|null|null|refused|wrong version\n"
            "3|2.5|1|17|4|2|9|1|late|attempt 3 is believed");
}

// Attempt 1 of job 17 is lost with its worker, attempt 2 is sent to another one and answers.
TEST_F(EventsTest, TheHistoryTellsWhatHappenedToAJob) {
  const SweepId id = good(store->begin_sweep(submitted("s"))).id;
  Job lost(id, 17, {1});
  lost.failed(Outcome::worker_lost, "silent for 3 s");
  lost.record.final = false;
  lost.record.sent_unix_s = 100;
  lost.record.session = 3;
  lost.record.finished_unix_s = 110;
  good(store->record(lost.ready()));
  const AttemptId first{{id, 17, 0}, 1};
  good(store->note({.what = EventKind::lost,
                    .unix_s = 110,
                    .attempt = first,
                    .session = 3,
                    .reason = "silent for 3 s"}));
  Job second(id, 17, {1});
  second.record.attempt.number = 2;
  second.record.sent_unix_s = 111;
  second.record.session = 4;
  second.record.finished_unix_s = 112;
  good(store->record(second.ready()));
  good(store->note({.what = EventKind::late, .unix_s = 115, .attempt = first, .session = 3}));
  Job other(id, 18, {2});  // without the time when it was sent
  other.record.finished_unix_s = 112;
  good(store->record(other.ready()));
  good(store->reuse({.job = {id, 19, 0}, .point = 19, .values = other.values, .from = ResultId{2}}));
  good(store->commit());
  EXPECT_EQ(asked(path,
                  "select attempt, cast(unix_s as integer), what, status, session, result, reason from "
                  "attempt_history where "
                  "sweep_id = 1 and job = 17 order by unix_s, rank"),
            "1|100|sent|null|3|1|null\n"
            "1|110|lost|null|3|null|silent for 3 s\n"
            "1|110|finished|worker_lost|3|1|silent for 3 s\n"
            "2|111|sent|null|4|2|null\n"
            "2|112|finished|ok|4|2|null\n"
            "1|115|late|null|3|null|null");
  EXPECT_EQ(asked(path, "select attempt, what, status from attempt_history where job = 18"),
            "1|finished|ok");
  EXPECT_EQ(asked(path, "select attempt, what, status, result from attempt_history where job = 19"),
            "0|reused|ok|2");
  EXPECT_EQ(
      asked(path, "select attempt, cast(sent_unix_s as integer), session from attempt order by result"),
      "1|100|3\n2|111|4\n1|null|null");
}

// An outcome that gave way to a later one is an attempt like others.
TEST_F(EventsTest, AnOutcomeThatGaveWayStandsInTheHistoryOnce) {
  const SweepId id = good(store->begin_sweep(submitted("s"))).id;
  Job first(id, 0, {1});
  first.failed(Outcome::cancelled, "the sweep was cancelled").record.finished_unix_s = 1;
  good(store->record(first.ready()));
  Job second(id, 0, {1});
  second.record.attempt.number = 2;
  second.record.finished_unix_s = 2;
  good(store->record(second.ready()));
  good(store->commit());
  EXPECT_EQ(asked(path, "select attempt, what, status from attempt_history order by unix_s, rank"),
            "1|finished|cancelled\n2|finished|ok");
}

// The events of one job are found by indices, for any number of jobs.
TEST_F(EventsTest, TheHistoryOfOneJobIsFoundWithoutAScan) {
  const std::string plan = asked(path,
                                 "explain query plan select * from attempt_history where sweep_id = 1 and "
                                 "job = 17 order by unix_s, rank");
  EXPECT_THAT(plan, testing::HasSubstr("SEARCH"));
  for (const char* table : {"SCAN a", "SCAN o", "SCAN event", "SCAN outcome"})
    EXPECT_THAT(plan, testing::Not(testing::HasSubstr(table))) << plan;
}

}  // namespace
}  // namespace kernsweep
