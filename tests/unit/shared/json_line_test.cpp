#include "shared/text/json_line.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace kernsweep {
namespace {

using testing::EndsWith;
using testing::MatchesRegex;

TEST(JsonLines, HaveTheTimeAndThenTheFieldsInTheirOrder) {
  const std::string line =
      json_line({{"event", std::string("sent")}, {"job", std::uint64_t{17}}, {"a", 0.5}});
  EXPECT_THAT(line, MatchesRegex("\\{\"time\":\"2[0-9-]+T[0-9:]+\\.[0-9][0-9][0-9]Z\","
                                 "\"event\":\"sent\",\"job\":17,\"a\":0\\.5\\}"));
}

TEST(JsonLines, StayOneLineWhateverAKernelHasPrinted) {
  EXPECT_THAT(json_line({{"text", std::string("a\n\"b\"\\")}}), EndsWith(R"("text":"a\n\"b\"\\"})"));
  EXPECT_THAT(json_line({{"text", std::string("\xff")}}), EndsWith("\"text\":\"\xEF\xBF\xBD\"}"));
  EXPECT_THAT(json_line({{"x", static_cast<double>(NAN)}}), EndsWith("\"x\":null}"));
}

TEST(LogFields, NameAnAttemptAndItsHostOnlyWhereHostsHaveJobsOfTheirOwn) {
  const auto names = [](const AttemptId& attempt) {
    std::string all;
    for (const LogField& field : fields_of(attempt)) all += std::string(field.name) + " ";
    return all;
  };
  EXPECT_EQ(names({{SweepId{1}, 2, 0}, 3}), "sweep job attempt ");
  EXPECT_EQ(names({{SweepId{1}, 2, 9}, 3}), "sweep job attempt job_host ");
}

}  // namespace
}  // namespace kernsweep
