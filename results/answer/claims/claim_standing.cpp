#include "results/answer/claims/claim_standing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernsweep {
namespace {

bool is_open(const WeighedPair& pair) {
  return pair.stand == ClaimStand::open;
}

// A ratio that is nearer to an end than the margin, or processes that do not lie together, remain so.
bool processes_may_decide(ClaimOpen open) {
  return open != ClaimOpen::margin && open != ClaimOpen::apart;
}

// The points of the open pairs; of all, if none is open by itself. A claim needs as many processes as the
// pair that needs the fewest: one pair may refute it, and the mean of several needs fewer than a pair.
void take_open(JudgedClaim& out, const DescribePair& describe) {
  const auto& pairs = out.evidence.pairs;
  const bool any = std::ranges::any_of(pairs, is_open);
  out.needed = out.evidence.processes_needed;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (any && !is_open(pairs[i])) continue;
    const Disagreement named = describe(i);
    for (const std::uint64_t result : {named.first, named.second})
      if (result != 0) out.open.push_back(result);
    const std::size_t needed = pairs[i].processes_needed;
    if (out.evidence.open != ClaimOpen::groups && needed > 0 && (out.needed == 0 || needed < out.needed))
      out.needed = needed;
  }
  std::ranges::sort(out.open);
}

}  // namespace

void take_evidence(JudgedClaim& out, const DescribePair& describe) {
  out.verdict = out.evidence.verdict;
  out.against = out.evidence.against;
  if (out.verdict == ClaimVerdict::undecided && processes_may_decide(out.evidence.open))
    take_open(out, describe);
  const auto& pairs = out.evidence.pairs;
  const double low = out.claim.by.low, high = out.claim.by.high;
  std::vector<std::pair<double, std::size_t>> worst;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i].stand == ClaimStand::against)
      worst.emplace_back(-std::max(low / pairs[i].ratio, pairs[i].ratio / high), i);
  std::ranges::sort(worst);
  if (worst.size() > kDisagreementsMax) worst.resize(kDisagreementsMax);
  for (const auto& [how_far, i] : worst) {
    out.disagreements.push_back(describe(i));
    out.disagreements.back().number = pairs[i].ratio;
    out.disagreements.back().bounds = pairs[i].bounds;
  }
}

}  // namespace kernsweep
