// Results that a database already has, found by the keys of jobs.
#include "results/store/earlier_results.hpp"

#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::Folder;
using test::good;
using test::Job;

const Digest kSame = digest_of("what both sweeps measure");

class EarlierResultsTest : public ::testing::Test {
 protected:
  SweepId sweep(const std::string& name, const std::string& kernel = "gemm") {
    SweepRecord record = test::sweep_named(name, {"a"});
    record.kernel = kernel;
    return good(store_.begin_sweep(record)).id;
  }
  SoftwareId software(const std::string& sources) {
    SoftwareRecord record;
    record.identity = digest_of(sources);
    record.version = "0.1.0";
    record.sources = sources;
    return good(store_.add_software(record));
  }
  void put(SweepId id, std::uint64_t job, const Digest& key, SoftwareId by, char grade = 'A',
           Outcome outcome = Outcome::ok) {
    Job made(id, job, {static_cast<std::int64_t>(job)});
    if (outcome != Outcome::ok) made.failed(outcome, "why");
    made.record.key = key;
    made.record.software = by;
    made.record.host = host_;
    if (outcome == Outcome::ok) made.record.grade = grade;
    good(store_.record(made.ready()));
    good(store_.commit());
  }
  EarlierResults read(SweepId except = {}, SweepId superseded = {}) {
    return good(EarlierResults::read(folder_.file("r.db"), "gemm", except, superseded));
  }
  static ResultId result_of(const EarlierResults& in) {
    const auto found = in.find(kSame);
    return found ? found->result : ResultId{};
  }
  // Of the origin with these sources.
  static std::size_t place(const EarlierResults& in, const std::string& sources) {
    const auto found = std::ranges::find(in.origins(), sources, &Origin::sources);
    EXPECT_NE(found, in.origins().end()) << sources;
    return static_cast<std::size_t>(found - in.origins().begin());
  }

  Folder folder_;
  Store store_ = good(Store::open_for_writing(folder_.file("r.db")));
  HostId host_ = good(store_.add_host({.fingerprint = digest_of("h"), .name = "node7"}));
};

TEST_F(EarlierResultsTest, TheNewestOfTheAllowedOriginsIsFound) {
  put(sweep("first"), 0, kSame, software("old"));
  put(sweep("second"), 0, kSame, software("new"));
  EarlierResults earlier = read();
  ASSERT_EQ(earlier.origins().size(), 2U);
  EXPECT_FALSE(earlier.find(kSame)) << "none is allowed at first";
  EXPECT_EQ(earlier.newest(kSame)->origin, place(earlier, "new"));
  earlier.allow(place(earlier, "old"));
  EXPECT_EQ(result_of(earlier), ResultId{1});
  EXPECT_EQ(earlier.sweeps()[earlier.find(kSame)->sweep], "first@1");
  earlier.allow(place(earlier, "new"));
  EXPECT_EQ(result_of(earlier), ResultId{2});
  EXPECT_EQ(earlier.sweeps()[earlier.find(kSame)->sweep], "second@2");
  const auto on = [&](HostId host) {
    return earlier.find(kSame, [&](std::size_t origin) { return earlier.origins()[origin].host == host; });
  };
  ASSERT_TRUE(on(host_));
  EXPECT_EQ(on(host_)->result, ResultId{2});
  EXPECT_EQ(earlier.origins()[on(host_)->origin].host, host_);
  EXPECT_FALSE(on(HostId{99}));
  EXPECT_EQ(earlier.origins()[0].host_name, "node7");
  EXPECT_EQ(earlier.origins()[0].fingerprint, digest_of("h").hex());
}

// Otherwise a sweep would have the right half of a point, without the wrong result.
TEST_F(EarlierResultsTest, WhatIsRightBesideAWrongResultIsMeasuredAgain) {
  const SweepId first = sweep("first");
  const SoftwareId by = software("same");
  for (const bool right : {true, false}) {
    Job made(first, right ? 0 : 1, {Value(std::int64_t{0})});
    if (!right) made.failed(Outcome::wrong_result, "why");
    made.record.point = 0;
    if (right) made.record.key = kSame;
    made.record.software = by;
    made.record.host = host_;
    good(store_.record(made.ready()));
  }
  good(store_.commit());
  EXPECT_EQ(result_of(read()), ResultId{});
}

TEST_F(EarlierResultsTest, DoubtfulOnesOtherKernelsAndTheSweepItselfDoNotCount) {
  const SweepId own = sweep("own");
  put(own, 0, kSame, software("own"));
  put(sweep("doubtful"), 0, kSame, software("doubtful"), 'C');
  put(sweep("other", "conv2d"), 0, kSame, software("other"));
  EXPECT_TRUE(read(own).empty());
  EXPECT_FALSE(read().empty());
}

TEST_F(EarlierResultsTest, OfASupersededSweepItIsKnownWhatHadNoResultOrADoubtfulOne) {
  const Digest failed = digest_of("failed"), lost = digest_of("lost"), doubtful = digest_of("doubtful");
  const SweepId superseded = sweep("superseded");
  put(superseded, 0, kSame, software("one"));
  put(superseded, 1, failed, software("two"), 0, Outcome::failed_run);
  put(superseded, 2, doubtful, software("one"), 'C');
  put(superseded, 3, lost, software("one"), 0, Outcome::worker_lost);
  put(sweep("another"), 0, digest_of("elsewhere"), software("one"), 0, Outcome::failed_run);
  EarlierResults earlier = read({}, superseded);
  for (std::size_t i = 0; i < earlier.origins().size(); ++i) earlier.allow(i);
  EXPECT_EQ(result_of(earlier), ResultId{1});
  EXPECT_FALSE(earlier.find(failed));
  EXPECT_FALSE(earlier.find(doubtful));
  EXPECT_EQ(earlier.newest(failed)->worth, Worth::none);
  EXPECT_EQ(earlier.newest(failed)->origin, place(earlier, "two"));
  EXPECT_EQ(earlier.newest(doubtful)->worth, Worth::doubtful);
  EXPECT_FALSE(earlier.newest(lost)) << "nobody had an outcome of it";
  EXPECT_FALSE(earlier.newest(digest_of("elsewhere")));
}

TEST_F(EarlierResultsTest, WhatASweepDoesNotAskForIsForgottenWithItsOrigin) {
  const SweepId id = sweep("first");
  put(id, 0, digest_of("not asked for"), software("gone"));
  put(id, 1, kSame, software("stays"));
  EarlierResults earlier = read();
  earlier.keep_only({digest_of("unknown"), kSame});
  ASSERT_EQ(earlier.origins().size(), 1U);
  EXPECT_EQ(earlier.origins()[0].sources, "stays");
  EXPECT_EQ(earlier.origins()[0].jobs, 1U);
  earlier.allow(0);
  EXPECT_EQ(result_of(earlier), ResultId{2});
  EXPECT_FALSE(earlier.find(digest_of("not asked for")));
}

}  // namespace
}  // namespace kernsweep
