// A test with the fake driver, which must get back all that was taken from it.
#pragma once

#include <gtest/gtest.h>

#include "tests/kernels/cuda/fake_driver/fake_driver.hpp"
#include "tests/kernels/cuda/points.hpp"

namespace kernsweep::testing {

class FakeCuda : public ::testing::Test {
 protected:
  void SetUp() override { fake_cuda::start(); }
  void TearDown() override { EXPECT_EQ(fake_cuda::left_over(), ""); }

  static const ks_family& family(const char* name) { return family_of(cuda_pack(), name); }
};

}  // namespace kernsweep::testing
