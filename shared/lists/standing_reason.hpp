// The reason why a disturbed result was not measured again: the disturbance continued. It is stored among
// the reasons of its grade; `kernsweep` reads from it which programs disturbed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

inline constexpr std::string_view kStandingReason = "not retried, because the disturbance lasts";
// The former text, which databases of earlier versions hold.
inline constexpr std::string_view kStandingReasonOfOld = "not tried again, the disturbance stays";

// `who`: the programs that disturbed, as "clang uses 1.9 cores, cc1 0.3"; empty: not known.
inline std::string standing_reason(std::string_view who) {
  return std::string(kStandingReason) + (who.empty() ? "" : ": " + std::string(who));
}

// The programs that such a reason names; nothing: it is another reason.
inline std::optional<std::string_view> who_stands(std::string_view reason) {
  for (const std::string_view text : {kStandingReason, kStandingReasonOfOld}) {
    if (!reason.starts_with(text)) continue;
    reason.remove_prefix(text.size());
    return reason.starts_with(": ") ? reason.substr(2) : std::string_view();
  }
  return std::nullopt;
}

}  // namespace kernsweep
