#include "worker/spool/spool_record.hpp"

#include <gtest/gtest.h>

#include "tests/unit/worker/spool_fixture.hpp"

namespace kernsweep {
namespace {

const SpoolOwner kOwner{std::string(16, 'i'), std::string(16, 'd'), "host f00", "tcp://h:1"};

std::string a_file() {
  return spool_file_of(kOwner, {{"s", software_of("s")}},
                       {{attempt_of(1), outcome_of(1, "one")}, {attempt_of(2), outcome_of(2, "two")}});
}

// Whatever happened to the file: nothing may be read from it that was never written.
void expect_nothing_wrong(const SpoolContents& read, const std::string& how) {
  if (read.owner) {
    EXPECT_EQ(read.owner->instance, kOwner.instance) << how;
    EXPECT_EQ(read.owner->database, kOwner.database) << how;
    EXPECT_EQ(read.owner->host, kOwner.host) << how;
    EXPECT_EQ(read.owner->endpoint, kOwner.endpoint) << how;
  }
  for (const auto& [attempt, outcome] : read.outcomes) {
    const std::uint64_t index = attempt.job.index;
    ASSERT_TRUE(index == 1 || index == 2) << how;
    EXPECT_EQ(outcome.SerializeAsString(),
              outcome_of(index, index == 1 ? "one" : "two").SerializeAsString())
        << how;
  }
  for (const auto& [identity, software] : read.software)
    EXPECT_EQ(software.SerializeAsString(), software_of("s").SerializeAsString()) << how;
}

TEST(SpoolRecord, WhatWasWrittenIsRead) {
  const SpoolContents read = read_spool(a_file());
  ASSERT_TRUE(read.owner);
  EXPECT_EQ(read.outcomes.size(), 2U);
  EXPECT_EQ(read.software.size(), 1U);
  EXPECT_EQ(read.unread_bytes, 0U);
  EXPECT_FALSE(read.other_version);
  expect_nothing_wrong(read, "whole");
}

TEST(SpoolRecord, NothingHasNoOwnerAndNoDamage) {
  const SpoolContents read = read_spool("");
  EXPECT_FALSE(read.owner);
  EXPECT_EQ(read.unread_bytes, 0U);
}

TEST(SpoolRecord, ReleasedOutcomesAreGoneUntilTheyAreKeptAgain) {
  std::string file = a_file();
  wire::Attempts released;
  encode(attempt_of(1), *released.add_attempts());
  append_record(SpoolRecord::released, released.SerializeAsString(), 0, file);
  EXPECT_EQ(read_spool(file).outcomes.count(attempt_of(1)), 0U);
  EXPECT_EQ(read_spool(file).outcomes.count(attempt_of(2)), 1U);
  append_record(SpoolRecord::outcome, outcome_of(1, "one").SerializeAsString(), 0, file);
  EXPECT_EQ(read_spool(file).outcomes.size(), 2U);
}

TEST(SpoolRecord, EveryPrefixIsReadAsFarAsItGoes) {
  const std::string file = a_file();
  std::size_t most = 0;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const SpoolContents read = read_spool(std::string_view(file).substr(0, size));
    expect_nothing_wrong(read, "cut to " + std::to_string(size));
    EXPECT_GE(read.outcomes.size(), most) << size;
    most = read.outcomes.size();
    EXPECT_LT(read.outcomes.size(), 2U) << size;  // the last record is not whole
  }
  EXPECT_EQ(most, 1U);
}

// Each flip falls into one record of five (owner twice, software, two outcomes): the other four are read,
// and the owner is known whichever record of his is hit.
TEST(SpoolRecord, EveryFlippedBitCostsOneRecordAtMostAndIsSeen) {
  const std::string file = a_file();
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = file;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      const SpoolContents read = read_spool(flipped);
      const std::string how = "bit " + std::to_string(bit) + " of byte " + std::to_string(at);
      expect_nothing_wrong(read, how);
      EXPECT_TRUE(read.owner) << how;
      EXPECT_GE(read.outcomes.size() + read.software.size(), 2U) << how;
      EXPECT_GT(read.unread_bytes, 0U) << how;
    }
  }
}

TEST(SpoolRecord, ARecordIsBelievedOnlyAtItsPlace) {
  std::string elsewhere;
  append_record(SpoolRecord::outcome, outcome_of(1, "one").SerializeAsString(), 500, elsewhere);
  EXPECT_TRUE(read_spool(elsewhere).outcomes.empty());
  EXPECT_EQ(read_spool(elsewhere).unread_bytes, elsewhere.size());
  EXPECT_EQ(read_spool(std::string(500, ' ') + elsewhere).outcomes.size(), 1U);
}

TEST(SpoolRecord, RecordsInsideABodyAreImplausible) {
  std::string inner;
  append_record(SpoolRecord::outcome, outcome_of(9, "nine").SerializeAsString(), 0, inner);
  const std::string file = spool_file_of(kOwner, {}, {{attempt_of(1), outcome_of(1, inner)}});
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string flipped = file;
    flipped[at] = static_cast<char>(~flipped[at]);
    EXPECT_EQ(read_spool(flipped).outcomes.count(attempt_of(9)), 0U) << at;
  }
}

TEST(SpoolRecord, ALaterVersionIsLeftAlone) {
  std::string file;
  append_record(SpoolRecord::owner, "kernsweep-spool 2\nwhatever", 0, file);
  const SpoolContents read = read_spool(file);
  EXPECT_TRUE(read.other_version);
  EXPECT_FALSE(read.owner);
}

}  // namespace
}  // namespace kernsweep
