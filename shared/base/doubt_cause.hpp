// The causes of doubts about a result for which there is general advice. OutcomeBody.doubt_cause has the
// number, attempt_row.doubt_cause the name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kernsweep {

// `clock` to `major_fault` disturb single samples. `others`: the threads of the job and of other programs
// together needed more cores than the host has. `quota`: the quota of a control group stopped the job.
enum class DoubtCause : std::uint32_t {
  unknown,
  clock,
  steal,
  migrated,
  switched,
  major_fault,
  others,
  quota
};
inline constexpr std::array<std::string_view, 8> kDoubtCauses = {
    "", "clock", "steal", "migrated", "switched", "major fault", "others", "quota"};

inline std::string_view name_of(DoubtCause cause) {
  return kDoubtCauses[static_cast<std::size_t>(cause)];
}
// The cause with this number, which a peer sent; `unknown` if there is none.
inline DoubtCause doubt_cause_numbered(std::uint32_t number) {
  return number < kDoubtCauses.size() ? static_cast<DoubtCause>(number) : DoubtCause::unknown;
}
inline DoubtCause doubt_cause_named(std::string_view name) {
  for (std::uint32_t number = 1; number < kDoubtCauses.size(); ++number)
    if (kDoubtCauses[number] == name) return static_cast<DoubtCause>(number);
  return DoubtCause::unknown;
}

}  // namespace kernsweep
