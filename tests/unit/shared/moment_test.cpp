#include "shared/text/moment.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kernsweep {
namespace {

TEST(Moments, AreToldInUtcWithAsManyDecimalsAsAsked) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(951782399.5, 3), "2000-02-28T23:59:59.500Z");  // date -u -d @951782399
  EXPECT_EQ(utc_text(951782399.0625, 3), "2000-02-28T23:59:59.062Z");
  EXPECT_EQ(utc_text(951782399.9999), "2000-02-28T23:59:59Z");  // cut off, not rounded
}

TEST(Moments, ThatAreNoneAreEmpty) {
  for (const double none : {-1.0, 253402300800.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
    EXPECT_EQ(utc_text(none, 3), "") << none;
  EXPECT_EQ(utc_text(253402300799.0), "9999-12-31T23:59:59Z");
}

TEST(Moments, NowIsAfterThisWasWritten) {
  EXPECT_GT(unix_now(), 1.79e9);
}

}  // namespace
}  // namespace kernsweep
