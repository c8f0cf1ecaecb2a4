#include "cli/show/doctor_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cli/show/json.hpp"

namespace kernsweep {
namespace {

std::vector<CheckFinding> three() {
  return {{"cpu.a", "processor", "Because.", {Verdict::good, "fine", "", {{"x", 1}}}},
          {"cpu.longer", "processor", "It hurts.", {Verdict::bad, "slow", "repair it", {{"y", Null{}}}}},
          {"load.b", "machine", "It may.", {Verdict::note, "odd", "", {{"z", 0.5}, {"ok", true}}}}};
}

TEST(DoctorText, AlignsGroupsAndShoutsWhatIsBad) {
  EXPECT_EQ(doctor_text(three(), false),
            "processor\n"
            "  good     cpu.a       fine\n"
            "  BAD      cpu.longer  slow\n"
            "           why: It hurts.\n"
            "           do:  repair it\n"
            "\n"
            "machine\n"
            "  note     load.b      odd\n"
            "           why: It may.\n"
            "\n"
            "3 findings: 1 bad, 0 warnings, 1 note, 1 good; change what is bad before you measure here\n");
}

TEST(DoctorText, OfAllTellsWhyOfGoodOnesToo) {
  EXPECT_NE(doctor_text(three(), true).find("why: Because."), std::string::npos);
}

TEST(DoctorText, OfNothingIsACount) {
  EXPECT_EQ(doctor_text({}, false), "\n0 findings: 0 bad, 0 warnings, 0 notes, 0 good\n");
}

TEST(DoctorJson, HasAllFieldsWithValuesOfTheirKind) {
  EXPECT_EQ(findings_json({three()[2]}),
            "[\n  {\n    \"id\": \"load.b\",\n    \"group\": \"machine\",\n    \"verdict\": \"note\",\n"
            "    \"found\": \"odd\",\n    \"why\": \"It may.\",\n    \"remedy\": \"\",\n"
            "    \"values\": {\n      \"ok\": true,\n      \"z\": 0.5\n    }\n  }\n]");
  EXPECT_NE(findings_json({three()[1]}).find("\"y\": null"), std::string::npos);
  EXPECT_EQ(findings_json({}), "[]");
}

}  // namespace
}  // namespace kernsweep
