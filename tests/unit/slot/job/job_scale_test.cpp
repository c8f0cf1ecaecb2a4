// The scale of a tolerance: of each row, where the pack says so, and of the whole output otherwise.
#include "tests/golden_text/places.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

// Two rows, 2 2 and 2e-7 2e-7, with zeros in place of the second one. 1e-5 of the largest is 2e-5.
class ScaleOfRows : public JobTest {
 protected:
  Ran small_zeros() { return run("faulty", {{"n", 4}, {"small", 1}, {"fault", "small_zeros"}}); }
};

TEST_F(ScaleOfRows, ZerosInPlaceOfASmallRowAreWrong) {
  const Ran ran = small_zeros();
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_DOUBLE_EQ(ran.body.error(), 1);
  EXPECT_EQ(run("twice", {{"n", 4}, {"small", 1}}).outcome, Outcome::ok);
}

TEST_F(ScaleOfRows, IsNotReadOfAPackOfAnEarlierVersion) {
  pack_ = *Pack::open(build_folder() + "/tests/unit_slot_packs/example_1_4.so");
  use(doubling());
  const Ran ran = small_zeros();
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_DOUBLE_EQ(ran.body.error(), 1e-7);
}

TEST_F(ScaleOfRows, HoldsForAToleranceOfTheSweepToo) {
  for (const char* name : {"f32", "relative"}) {
    rules_.measure.verify.tolerance = {{name, 1e-5}};
    EXPECT_EQ(small_zeros().outcome, Outcome::wrong_result) << name;
    EXPECT_EQ(run("twice", {{"n", 4}, {"small", 1}}).outcome, Outcome::ok) << name;
  }
}

}  // namespace
}  // namespace kernsweep::testing_slot
