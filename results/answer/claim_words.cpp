#include "results/answer/claim_words.hpp"

#include <vector>

#include "results/roofs/roof_rows.hpp"
#include "results/store/records.hpp"

namespace kernsweep {

Status add_bounds(Reader& reader, const ClaimView& view, ClaimRows& rows) {
  const auto roofs = read_roofs(reader);
  if (!roofs) return tl::unexpected<Error>(roofs.error());
  rows.no_bound.clear();  // what it was about was another claim's
  for (ClaimJob& job : rows.jobs) {
    const bool asked = job.ok && view.is_graded_well(job) && view.is_first(job.point);
    if (!asked || !job.bound.empty()) continue;
    const auto share = share_of_result(reader, job.result, *roofs, "");
    if (share)
      job.bound = name_of(share->bound);
    else if (rows.no_bound.empty())
      rows.no_bound = share.error().message;
  }
  return Done{};
}

namespace {

std::string_view word_of(const ClaimJob& job, ClaimKind kind) {
  return kind == ClaimKind::ends_as ? name_of(job.outcome) : job.bound;
}

}  // namespace

void judge_words(const ClaimRows& rows, ClaimView& view, JudgedClaim& out) {
  std::vector<const ClaimJob*> others;
  for (const ClaimJob& job : rows.jobs) {
    if (!view.counts(job, out)) continue;
    const std::string_view word = word_of(job, out.claim.kind);
    if (word.empty()) {
      ++out.without;
      continue;
    }
    ++out.pairs;
    view.meet(job.point, job.point);
    if (word != out.claim.word) others.push_back(&job);
  }
  if (out.pairs == 0 && out.without > 0) out.reason = "no job has a class: " + rows.no_bound;
  if (out.pairs == 0) return;
  out.against = others.size();
  out.verdict = others.empty() ? ClaimVerdict::confirmed : ClaimVerdict::refuted;
  if (others.size() > kDisagreementsMax) others.resize(kDisagreementsMax);
  for (const ClaimJob* job : others)
    out.disagreements.push_back({view.words(job->point, job->point),
                                 kUnknown,
                                 {},
                                 job->result,
                                 0,
                                 std::string(word_of(*job, out.claim.kind))});
}

}  // namespace kernsweep
