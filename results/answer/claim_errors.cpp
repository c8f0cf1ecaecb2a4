#include "results/answer/claim_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/store/records.hpp"

namespace kernsweep {

void judge_errors(const ClaimRows& rows, ClaimView& view, JudgedClaim& out) {
  const auto error_of = [&](const ClaimJob& job) {
    return job.wrong && job.error < out.claim.bound ? kUnknown : job.error;
  };
  std::vector<const ClaimJob*> wrong;
  out.lowest = std::numeric_limits<double>::infinity();
  for (const ClaimJob& job : rows.jobs) {
    if (!view.counts(job, out)) continue;
    const double error = error_of(job);
    if (std::isnan(error) && !job.wrong) {
      ++out.without;
      continue;
    }
    ++out.pairs;
    view.meet(job.point, job.point);
    if (std::isnan(error)) {
      ++out.wrong;
    } else {
      out.lowest = std::min(out.lowest, error);
      out.highest = std::max(out.highest, error);
    }
    if (!(error < out.claim.bound)) wrong.push_back(&job);
  }
  if (out.pairs == out.wrong) out.lowest = out.highest = kUnknown;
  out.against = wrong.size();
  if (out.pairs == 0) return;
  out.verdict = wrong.empty() ? ClaimVerdict::confirmed : ClaimVerdict::refuted;
  std::ranges::stable_sort(wrong, [&](const ClaimJob* a, const ClaimJob* b) {
    return std::isnan(error_of(*a)) ? !std::isnan(error_of(*b)) : error_of(*a) > error_of(*b);
  });
  if (wrong.size() > kDisagreementsMax) wrong.resize(kDisagreementsMax);
  for (const ClaimJob* job : wrong)
    out.disagreements.push_back({view.words(job->point, job->point), error_of(*job), {}, job->result, 0});
}

}  // namespace kernsweep
