// A worker that has lost GPUs says so by joining again.
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class LostGpus : public Table {
 protected:
  static HostFacts with(std::uint32_t gpus, std::uint32_t lost = 0, std::uint32_t number = 1) {
    return {number, 1, gpus, 0, lost};
  }
};

TEST_F(LostGpus, JobsThatNeedMoreThanAreLeftEndAsUnplaceableAndTheOthersGoOn) {
  space = std::make_shared<FakeSpace>(3);
  space->gpus_of = {{0, 2}, {1, 2}};
  submit();
  join(1, with(2));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, with(1, 1), {attempt(0), attempt(1)}, WorkerId{1});
  tell(JobsReturned{WorkerId{2}, {attempt(0), attempt(1)}});
  pass(1s);
  EXPECT_EQ(sent_to(2), "2#1");
  EXPECT_EQ(core->explain({kSweep, 0, 0}).standing, Standing::no_host_fits);
  answer(2, attempt(2));
  EXPECT_EQ(stored(), "2#1 ok accepted from 2");
  store({attempt(2)});
  EXPECT_EQ(released_to(2), "2#1");
  EXPECT_EQ(stored(), "0#2 unplaceable accepted: requires 2 GPUs");
  EXPECT_EQ(stored(), "1#2 unplaceable accepted: requires 2 GPUs");
  store({attempt(0, 2), attempt(1, 2)});
  EXPECT_EQ(ended(), "ending 2");
}

TEST_F(LostGpus, AnotherHostOfTheSameKindIsStillWaitedFor) {
  space = std::make_shared<FakeSpace>(2);
  space->gpus_of = {{0, 2}};
  submit();
  join(1, with(2));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(7, with(2, 0, 5));
  EXPECT_EQ(retracted_from(1), "1#1");
  tell(WorkerLeft{WorkerId{7}, "closed"});
  EXPECT_EQ(dismissed(7), "closed");
  join(2, with(1, 1), {attempt(0), attempt(1)}, WorkerId{1});
  tell(JobsReturned{WorkerId{2}, {attempt(0)}});
  answer(2, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 2");
  store({attempt(1)});
  EXPECT_EQ(released_to(2), "1#1");
  pass(2s);
  EXPECT_FALSE(core->idle()) << "it is away, and may come back with its GPUs";
  join(8, with(2, 0, 5));
  EXPECT_EQ(sent_to(8), "0#2");
}

TEST_F(LostGpus, AFormerSessionThatIsFoundToBeOverLaterIsNotWaitedForEither) {
  space = std::make_shared<FakeSpace>(1);
  space->gpus_of = {{0, 2}};
  join(1, with(2));
  join(2, with(2));
  submit();
  EXPECT_EQ(sent_to(1), "0#1");
  join(3, with(1, 1), {}, WorkerId{2});
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
  store({attempt(0)});
  EXPECT_EQ(stored(), "0#2 unplaceable accepted: requires 2 GPUs");
  store({attempt(0, 2)});
  EXPECT_EQ(ended(), "ending 2");
}

// The kind that it was with fewer GPUs and all its cores is not waited for either.
TEST_F(LostGpus, SoWithCoresThatItHasGivenUp) {
  const auto with_cores = [](std::uint32_t cores, std::uint32_t lost, std::uint32_t gpus) {
    return HostFacts{1, cores, gpus, 0, 0, lost};
  };
  space = std::make_shared<FakeSpace>(1);
  space->cores_of = {{0, 4}};
  submit();
  join(1, {1, 4, 1, 0, 1});
  EXPECT_EQ(sent_to(1), "0#1");
  join(2, with_cores(4, 0, 2), {attempt(0)}, WorkerId{1});
  join(3, with_cores(3, 1, 2), {attempt(0)}, WorkerId{2});
  tell(JobsReturned{WorkerId{3}, {attempt(0)}});
  pass(1s);  // it has given a job back unasked, and rests
  EXPECT_EQ(stored().rfind("0#2 unplaceable accepted", 0), 0U);
  store({attempt(0, 2)});
  EXPECT_EQ(ended(), "ending 2");
}

}  // namespace
}  // namespace kernsweep::coordinator
