#include "results/answer/claims/claim_judges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kernsweep {

namespace {

// `worst_first`: what speaks against the claim; of very many the first are described.
template <class Against, class Describe>
void add_disagreements(const std::vector<Against>& worst_first, const Describe& describe,
                       JudgedClaim& out) {
  for (const Against& each : worst_first)
    if (out.disagreements.size() < kDisagreementsMax) out.disagreements.push_back(describe(each));
}

// For a claim that one disagreement refutes, if anything was compared.
template <class Against, class Describe>
void take_against(const std::vector<Against>& against, const Describe& describe, JudgedClaim& out) {
  if (out.pairs == 0) return;
  out.against = against.size();
  out.verdict = against.empty() ? ClaimVerdict::confirmed : ClaimVerdict::refuted;
  add_disagreements(against, describe, out);
}

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

void judge_bits(const OutputsOfResults& outputs, ClaimView& view, JudgedClaim& out) {
  BitUnits units(view.rows(), view.names_place("process"));
  for (const SweepRows::Job& job : view.rows().jobs) {
    if (!view.counts(job, out)) continue;
    if (const auto output = outputs.find(job.result); output != outputs.end())
      units.add(job, output->second);
    else
      ++out.without;
  }
  std::vector<std::size_t> named;
  for (std::size_t c = 0; c < view.rows().columns.size(); ++c)
    if (view.is_named(c)) named.push_back(c);
  for (std::uint8_t place = 0; place < BitUnits::kPlaces; ++place)
    if (view.names_place(BitUnits::kPlaceNames[place]))
      named.push_back(units.column_of(static_cast<BitUnits::Place>(place)));
  std::vector<std::pair<const BitUnit*, const BitUnit*>> different;
  const auto left = units.compare(named, [&](const BitUnit& first, const BitUnit& other) {
    ++out.pairs;
    view.meet(placed(first), placed(other));
    if (first.output.hash != other.output.hash) different.emplace_back(&first, &other);
  });
  out.not_repeatable = left.not_repeatable;
  out.other_inputs = left.other_inputs;
  const auto describe = [&](const auto& pair) {
    const auto& [a, b] = pair;
    return Disagreement{view.words(placed(*a), placed(*b)), 1, {1, 1}, a->result, b->result, ""};
  };
  take_against(different, describe, out);
}

void judge_errors(ClaimView& view, JudgedClaim& out) {
  const auto is_wrong = [](const SweepRows::Job& job) { return job.outcome == Outcome::wrong_result; };
  const auto error_of = [&](const SweepRows::Job& job) {
    return is_wrong(job) && job.extra < out.claim.bound ? kUnknown : job.extra;
  };
  std::vector<const SweepRows::Job*> wrong;
  out.lowest = std::numeric_limits<double>::infinity();
  for (const SweepRows::Job& job : view.rows().jobs) {
    if (!view.counts(job, out)) continue;
    const double error = error_of(job);
    if (std::isnan(error) && !is_wrong(job)) {
      ++out.without;
      continue;
    }
    ++out.pairs;
    view.meet(placed(job), placed(job));
    if (std::isnan(error)) {
      ++out.wrong;
    } else {
      out.lowest = std::min(out.lowest, error);
      out.highest = std::max(out.highest, error);
    }
    if (!(error < out.claim.bound)) wrong.push_back(&job);
  }
  if (out.pairs == out.wrong) out.lowest = out.highest = kUnknown;
  std::ranges::stable_sort(wrong, [&](const SweepRows::Job* a, const SweepRows::Job* b) {
    return std::isnan(error_of(*a)) ? !std::isnan(error_of(*b)) : error_of(*a) > error_of(*b);
  });
  const auto describe = [&](const SweepRows::Job* job) {
    return Disagreement{view.words(placed(*job), placed(*job)), error_of(*job), {}, job->result, 0, ""};
  };
  take_against(wrong, describe, out);
}

void judge_words(const std::function<std::string_view(const SweepRows::Job&)>& word_of, ClaimView& view,
                 JudgedClaim& out) {
  std::vector<const SweepRows::Job*> others;
  for (const SweepRows::Job& job : view.rows().jobs) {
    if (!view.counts(job, out)) continue;
    const std::string_view word = word_of(job);
    if (word.empty()) {
      ++out.without;
      continue;
    }
    ++out.pairs;
    view.meet(placed(job), placed(job));
    if (word != out.claim.word) others.push_back(&job);
  }
  const auto describe = [&](const SweepRows::Job* job) {
    const std::string word(word_of(*job));
    return Disagreement{view.words(placed(*job), placed(*job)), kUnknown, {}, job->result, 0, word};
  };
  take_against(others, describe, out);
}

void take_evidence(JudgedClaim& out, const DescribePair& describe) {
  out.verdict = out.evidence.verdict;
  out.against = out.evidence.against;
  if (out.verdict == ClaimVerdict::undecided && processes_may_decide(out.evidence.open))
    take_open(out, describe);
  const auto& pairs = out.evidence.pairs;
  std::vector<std::pair<double, std::size_t>> worst;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i].stand == ClaimStand::against)
      worst.emplace_back(-std::max(out.claim.by.low / pairs[i].ratio, pairs[i].ratio / out.claim.by.high),
                         i);
  std::ranges::sort(worst);
  const auto with_ratio_of = [&](const auto& each) {
    Disagreement found = describe(each.second);
    found.number = pairs[each.second].ratio;
    found.bounds = pairs[each.second].bounds;
    return found;
  };
  add_disagreements(worst, with_ratio_of, out);
}

}  // namespace kernsweep
