// The reason why a disturbed result was not tried again: the disturbance stood. It is stored among the
// reasons of its grade; who disturbed is read back from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

inline constexpr std::string_view kStandingReason = "not tried again, the disturbance stays";

// `who`: "clang uses 1.9 cores, cc1 0.3"; empty: not known.
inline std::string standing_reason(std::string_view who) {
  return std::string(kStandingReason) + (who.empty() ? "" : ": " + std::string(who));
}

// `who` of such a reason; nothing: it is another reason.
inline std::optional<std::string_view> who_stands(std::string_view reason) {
  if (!reason.starts_with(kStandingReason)) return std::nullopt;
  reason.remove_prefix(kStandingReason.size());
  return reason.starts_with(": ") ? reason.substr(2) : std::string_view();
}

}  // namespace kernsweep
