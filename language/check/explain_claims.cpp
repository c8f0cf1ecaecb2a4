// The part of `kernsweep check` about claims.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "language/check/explain.hpp"

namespace kernsweep {
namespace {

std::string text_of(const ClaimRange& by) {
  if (!by.low_itself) return "";
  return std::isfinite(by.high) ? fmt::format(", {} to {} times", by.low, by.high)
                                : fmt::format(", at least {} times", by.low);
}

}  // namespace

std::string text_of(const Claim& claim) {
  std::string out(name_of(claim.kind));
  out += claim.side.empty() ? "" : ": " + text_of(claim.side);
  if (!claim.than.empty()) out += " than " + text_of(claim.than) + text_of(claim.by);
  if (has_metric(claim.kind)) out += fmt::format(": {} {}", claim.metric, claim.bound);
  if (!claim.word.empty()) out += ": " + claim.word;
  if (claim.kind == ClaimKind::error_below) out += fmt::format(": {}", claim.bound);
  return out + (claim.where.empty() ? "" : ", where " + claim.where);
}

void count_claims(const Expansion& expansion, const CheckLimits& limits, CheckReport& report) {
  constexpr std::uint64_t kPointsMost = 2'000'000;  // more points than are ever measured
  constexpr std::uint64_t kPointsBetweenLooksAtTheClock = 4096;
  if (expansion.claims() == 0) return;
  for (std::size_t c = 0; c < expansion.claims(); ++c) {
    const Claim& claim = expansion.claim(c);
    report.claims.push_back({claim.name, text_of(claim), 0, 0, !claim.than.empty()});
  }
  const Instant start = limits.now();
  const std::uint64_t last = std::min({expansion.raw_points(), limits.points, kPointsMost});
  std::uint64_t position = 0;
  Point point;
  for (; position < last; ++position) {
    if (position % kPointsBetweenLooksAtTheClock == 0 && limits.now() - start > limits.time) break;
    expansion.point_at(position, point);
    if (expansion.rejection(position, point)) continue;
    for (std::size_t c = 0; c < report.claims.size(); ++c) {
      const ClaimSides sides = expansion.claim_sides(c, point);
      report.claims[c].first += sides.first ? 1 : 0;
      report.claims[c].second += sides.second ? 1 : 0;
    }
  }
  report.claims_exact = position == expansion.raw_points();
  for (const ClaimReport& claim : report.claims) {
    if (!report.claims_exact) break;
    const bool empty = claim.first == 0 || (claim.two_sided && claim.second == 0);
    if (empty) report.notes.push_back("the claim '" + claim.name + "' has no point to judge by");
  }
}

}  // namespace kernsweep
