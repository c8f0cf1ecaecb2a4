#include "shared/text/unit_scale.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kernsweep {
namespace {

TEST(UnitScale, KnowsTimesAmountsAndRates) {
  const auto factor = [](const char* unit) {
    const auto scale = unit_scale(unit);
    return scale ? scale->base + (scale->per_second ? "/s " : " ") + fmt::format("{:.6g}", scale->factor)
                 : std::string("none");
  };
  EXPECT_EQ(factor("ns"), "s 1e-09");
  EXPECT_EQ(factor("µs"), "s 1e-06");
  EXPECT_EQ(factor("h"), "s 3600");
  EXPECT_EQ(factor("KiB"), "B 1024");
  EXPECT_EQ(factor("kB/s"), "B/s 1000");
  EXPECT_EQ(factor("GBytes/s"), "B/s 1e+09");
  EXPECT_EQ(factor("GFlops/s"), "flop/s 1e+09");
  EXPECT_EQ(factor("Gb/s"), "bit/s 1e+09");
  EXPECT_EQ(factor("GB/sec"), "B/s 1e+09");
  EXPECT_EQ(factor("Mbps"), "bit/s 1e+06");
  EXPECT_EQ(factor("MFLOPS"), "flop/s 1e+06");
  EXPECT_EQ(factor("Gop/s"), "op/s 1e+09");
  EXPECT_EQ(factor("tokens/s"), "tokens/s 1");
  EXPECT_EQ(factor("parsecs"), "none");
  EXPECT_EQ(factor("m"), "none");
  EXPECT_EQ(factor(""), "none");
}

}  // namespace
}  // namespace kernsweep
