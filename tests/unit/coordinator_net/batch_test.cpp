#include "coordinator/net/batch.hpp"

#include <gmock/gmock.h>

#include <set>

namespace kernsweep::coordinator {
namespace {

constexpr SweepId kSweep{5};

class Batches : public ::testing::Test {
 protected:
  explicit Batches(const std::string& more = "")
      : expansion_(read("sweep: 1\nname: s\nkernel: gemm\nmeasure: {processes: 2}\n"
                        "axes:\n  m: [1, 2]\n  env.A: [null, x]\n  blas.library: [one, two]\n" +
                        more)),
        space_(expansion_, hosts_),
        writer_(space_, expansion_.sweep(), kSweep, keys_) {}

  static Expansion read(const std::string& text) {
    auto parsed = Expansion::parse(text, "", {});
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
    return std::move(*parsed);
  }

  wire::JobBatch write(const std::vector<std::uint64_t>& indices) {
    std::vector<AttemptId> attempts;
    for (const auto index : indices) attempts.push_back({{kSweep, index, 0}, 1});
    wire::JobBatch batch;
    writer_.write(attempts, sent_, batch);
    return batch;
  }

  Expansion expansion_;
  std::vector<KnownHost> hosts_;
  ExpansionSpace space_;
  KeyBook keys_;
  BatchWriter writer_;
  SentDefinitions sent_;
};

TEST_F(Batches, DefinitionsAreSentOncePerSession) {
  const wire::JobBatch first = write({0});
  EXPECT_EQ(first.plans_size(), 1);
  EXPECT_EQ(first.rules_size(), 1);
  EXPECT_EQ(first.keys_size(), 1);
  const wire::JobBatch again = write({0});
  EXPECT_EQ(again.plans_size() + again.rules_size() + again.keys_size(), 0);
  ASSERT_EQ(again.jobs_size(), 1);
  EXPECT_EQ(again.jobs(0).key(), first.jobs(0).key());
}

TEST_F(Batches, JobsOfOneProcessKeyDifferOnlyInParameters) {
  // 2 m x 2 env x 2 libraries x 2 processes = 16 jobs; m does not decide the process: 8 keys.
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < expansion_.raw_jobs(); ++i) all.push_back(i);
  ASSERT_EQ(all.size(), 16U);
  const wire::JobBatch batch = write(all);
  EXPECT_EQ(batch.keys_size(), 8);
  for (const auto& one : batch.keys()) {
    for (const auto& other : batch.keys()) {
      if (one.number() == other.number()) continue;
      const bool differs = one.libraries() != other.libraries() || one.process() != other.process() ||
                           one.environment().count("A") != other.environment().count("A");
      EXPECT_TRUE(differs) << one.number() << " and " << other.number();
    }
  }
}

class VariantBatches : public Batches {
 protected:
  VariantBatches() : Batches("include: [{variant: b, m: 9, blas.library: x, env.A: y}]\n") {}
};

// Libraries and threads of one variant must not disturb another.
TEST_F(VariantBatches, VariantsNeverShareAProcess) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < expansion_.raw_jobs(); ++i) all.push_back(i);
  const wire::JobBatch batch = write(all);
  std::set<std::string> variants;
  for (const auto& key : batch.keys()) variants.insert(key.variant());
  EXPECT_EQ(variants, (std::set<std::string>{"b", "null"}));
}

TEST_F(Batches, AVariableThatIsNotSetIsAbsent) {
  const wire::JobBatch batch = write({0});
  ASSERT_TRUE(space_.point(0).values[1].is_null());
  EXPECT_EQ(batch.keys(0).environment().count("A"), 0U);
}

TEST_F(Batches, ABodyHasOneValuePerColumn) {
  const wire::JobBatch batch = write({0});
  wire::JobBody body;
  ASSERT_TRUE(body.ParseFromString(batch.jobs(0).body()));
  EXPECT_EQ(body.values_size(), batch.plans(0).columns_size());
  EXPECT_EQ(body.cache(), static_cast<std::uint32_t>(Cache::hot));
}

class DerivedBatches : public Batches {
 protected:
  DerivedBatches() : Batches("derive: {flops: 2 * m}\n") {}
};

TEST_F(DerivedBatches, KernelsDoNotSeeDerivedColumns) {
  const wire::JobBatch batch = write({0});
  ASSERT_EQ(batch.plans(0).columns_size(), 4);
  EXPECT_EQ(batch.plans(0).columns(3), "");
}

class DependingBatches : public Batches {
 protected:
  DependingBatches() : Batches("depends: [b.bin, a.bin]\n") {}
};

TEST_F(DependingBatches, TellTheFilesThatTheSweepDependsOn) {
  const wire::JobBatch batch = write({0});
  ASSERT_EQ(batch.plans_size(), 1);
  EXPECT_THAT(batch.plans(0).depends(), testing::ElementsAre("b.bin", "a.bin"));
}

}  // namespace
}  // namespace kernsweep::coordinator
