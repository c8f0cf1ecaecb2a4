// The conditions while an attempt was measured.
#include "results/read/show.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::test {
namespace {

class ConditionsTest : public testing::Test {
 protected:
  ConditionsTest()
      : path_(folder_.file("c.db")),
        store_(good(Store::open_for_writing(path_))),
        sweep_(good(store_.begin_sweep(sweep_named("s", {"a"}))).id) {}
  void put(std::uint64_t index, const std::optional<ConditionsRecord>& conditions) {
    Job job(sweep_, index, {1});
    job.record.conditions = conditions;
    EXPECT_EQ(good(store_.record(job.ready())), Recorded::stored);
    EXPECT_TRUE(store_.commit());
  }

  Folder folder_;
  std::string path_;
  Store store_;
  SweepId sweep_;
};

ConditionsRecord watched_section() {
  ConditionsRecord told;
  told.measured = told.clock_stable = true;
  told.clock_ghz = 3.5;
  told.clock_low = 0.75;
  told.samples_taken = 100;
  told.discarded = 12;
  told.disturbed_by = "switched 12";
  told.foreign_cores = 0.97;
  told.neighbours = 2;
  told.page_faults = 7;
  told.threads_found = 4;
  told.p99_s = 0.25;
  told.interference = 1.5;
  told.cold_by = "eviction";
  told.metric = "latency";
  told.error_element = 0.125;
  return told;
}

TEST_F(ConditionsTest, AreARowBesideTheResult) {
  put(0, watched_section());
  EXPECT_EQ(
      asked(path_,
            "select result, clock_ghz, clock_low, clock_stable, samples_taken, discarded, "
            "disturbed_by, foreign_cores, neighbours, page_faults, threads_found, p99_s, interference, "
            "cold_by, metric, error_element from conditions"),
      "1|3.5|0.75|1|100|12|switched 12|0.97|2|7|4|0.25|1.5|eviction|latency|0.125");
  EXPECT_EQ(asked(path_, "select typeof(page_faults) from conditions"), "integer");
}

TEST_F(ConditionsTest, WhatIsNotKnownIsNull) {
  put(0, watched_section());
  EXPECT_EQ(
      asked(path_,
            "select count(*) from conditions where coalesce(steal_s, cpu_s, switches, p90_s, p999_s, "
            "error_norm, nan_count, inf_count, zero_share, energy_j, load_1min, temperature_c) is null"),
      "1");
}

TEST_F(ConditionsTest, OfAnAttemptThatWasOnlyVerifiedAreThoseOfItsOutput) {
  ConditionsRecord told;
  told.nan_count = 3;
  put(0, told);
  EXPECT_EQ(asked(path_,
                  "select nan_count, coalesce(clock_stable, samples_taken, discarded, neighbours, "
                  "threads_found, peak_memory_bytes, cold_by) is null from conditions"),
            "3|1");
}

TEST_F(ConditionsTest, AJobThatWasNotWatchedHasNone) {
  put(0, std::nullopt);
  EXPECT_EQ(asked(path_, "select count(*) from conditions"), "0");
}

TEST_F(ConditionsTest, AreShownWithTheResult) {
  put(0, std::nullopt);
  put(1, watched_section());
  auto reader = good(Reader::open(path_));
  const auto titles = [&](const char* which) {
    std::string all;
    for (const auto& section : good(show(reader, which)).sections) all += section.title + " ";
    return all;
  };
  EXPECT_EQ(titles("1").find("conditions"), std::string::npos);
  EXPECT_NE(titles("2").find("conditions"), std::string::npos);
}

}  // namespace
}  // namespace kernsweep::test
