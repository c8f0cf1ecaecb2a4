// What outcomes name as their software, and what is kept of their inputs and order.
#include "coordinator/net/recording.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::coordinator {
namespace {

class RecordingSoftware : public ::testing::Test {
 protected:
  RecordingSoftware()
      : expansion_(test::good(
            Expansion::parse("sweep: 1\nname: s\nkernel: gemm\naxes: {m: [1, 2, 3]}\n", "", {}))),
        path_(folder_.file("r.db")),
        store_(test::good(Store::open_for_writing(path_))),
        sweep_(test::good(store_.begin_sweep(test::sweep_named("s", {"m"}))).id),
        recording_(store_, "test") {
    recording_.add(sweep_, std::make_shared<const Expansion>(expansion_));
  }

  static wire::Software software(const std::string& libraries, const std::string& threads) {
    wire::Software told;
    told.set_identity(std::string(digest_of(libraries + threads).view()));
    told.set_version("0.1.0");
    told.set_git("abc+changes");
    told.set_pack("gemm");
    told.set_libraries(libraries);
    told.set_thread_environment(threads);
    return told;
  }
  static wire::OutcomeBody body_of(const wire::Software& told) {
    wire::OutcomeBody body;
    body.set_software(told.identity());
    body.set_pack_name("gemm");
    body.set_pack_version("1.0");
    body.add_samples_s(1);
    return body;
  }
  void record(const wire::OutcomeBody& body) {
    PendingResult result;
    result.attempt = {{sweep_, next_job_++, 0}, 1};
    result.body = body.SerializeAsString();
    ASSERT_TRUE(recording_.record(result));
    ASSERT_TRUE(store_.commit());
  }
  std::string asked(const std::string& query) { return test::asked(path_, query); }

  test::Folder folder_;
  Expansion expansion_;
  std::string path_;
  Store store_;
  SweepId sweep_;
  Recording recording_;
  std::uint64_t next_job_ = 0;
};

TEST_F(RecordingSoftware, OutcomesOfOneSoftwareShareItsRow) {
  const wire::Software told = software("/lib/a.so", "");
  recording_.learn(told);
  recording_.learn(told);
  record(body_of(told));
  record(body_of(told));
  EXPECT_EQ(asked("select version, git, pack, libraries from software"),
            "0.1.0|abc+changes|gemm|/lib/a.so");
  EXPECT_EQ(asked("select count(distinct software_id) from attempt"), "1");
}

TEST_F(RecordingSoftware, AnotherLibraryIsAnotherSoftware) {
  for (const char* libraries : {"/lib/a.so", "/lib/a.so\n/lib/b.so"}) {
    const wire::Software told = software(libraries, "");
    recording_.learn(told);
    record(body_of(told));
  }
  EXPECT_EQ(asked("select count(*) from software"), "2");
}

TEST_F(RecordingSoftware, AnotherNumberOfThreadsIsTheSameSoftwareWithOtherVariables) {
  for (const char* threads : {"OMP_NUM_THREADS=1", "OMP_NUM_THREADS=2"}) {
    const wire::Software told = software("/lib/a.so", threads);
    recording_.learn(told);
    record(body_of(told));
  }
  EXPECT_EQ(asked("select count(*) from software"), "1");
  EXPECT_EQ(asked("select thread_environment from result order by result"),
            "OMP_NUM_THREADS=1\nOMP_NUM_THREADS=2");
}

TEST_F(RecordingSoftware, WithoutItsTellingThePackIsNamed) {
  record(body_of(software("/lib/never-told.so", "")));
  EXPECT_EQ(asked("select version, pack, pack_version, libraries from software"), "test|gemm|1.0|");
  wire::OutcomeBody nothing;
  nothing.set_reason("the process was lost");
  record(nothing);
  EXPECT_EQ(asked("select software_id is null from attempt where result = 2"), "1");
}

// 256 MiB: eight texts of 32 MiB are one byte and eight entries too much, a ninth is not kept.
TEST_F(RecordingSoftware, WhatOneWorkerTellsHasAnEnd) {
  const wire::Software first = software("/lib/a.so", "");
  recording_.learn(first);
  for (int i = 0; i < 8; ++i)
    recording_.learn(software(std::string(std::size_t{32} << 20, 'x'), std::to_string(i)));
  const wire::Software late = software("/lib/late.so", "");
  recording_.learn(late);
  record(body_of(first));
  record(body_of(late));
  EXPECT_EQ(asked("select libraries from software"), "/lib/a.so");
  EXPECT_EQ(asked("select software_id is null from attempt order by result"), "0\n1");
}

TEST_F(RecordingSoftware, ASweepThatBeganAnewBeforeItsEndWasToldIsStillKnown) {
  recording_.add(sweep_, std::make_shared<const Expansion>(expansion_));
  EXPECT_FALSE(recording_.forget(sweep_));
  record(body_of(software("/lib/a.so", "")));
  EXPECT_EQ(asked("select count(*) from attempt"), "1");
  EXPECT_TRUE(recording_.forget(sweep_));
}

TEST_F(RecordingSoftware, OrderAndWaitsAreKept) {
  wire::OutcomeBody body = body_of(software("", ""));
  body.set_order(41);
  body.set_queue_s(0.5);
  body.set_lease_wait_s(0.25);
  record(body);
  EXPECT_EQ(asked("select order_index, queue_s, lease_wait_s from attempt"), "41|0.5|0.25");
}

// A pack may be called anything: the first blank of "my pack 1.0" does not end its name.
TEST_F(RecordingSoftware, APackMayHaveABlankInItsName) {
  wire::OutcomeBody body;
  body.set_pack_name("my pack");
  body.set_pack_version("1.0 beta");
  record(body);
  body.set_pack_name("my pack\n1.0 beta");
  body.clear_pack_version();
  record(body);
  EXPECT_EQ(asked("select pack, pack_version from software order by id"),
            "my pack|1.0 beta\nmy pack\n1.0 beta|");
}

}  // namespace
}  // namespace kernsweep::coordinator
