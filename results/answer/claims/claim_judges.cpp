#include "results/answer/claims/claim_judges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "results/roofs/roof_rows.hpp"
#include "results/store/records.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// Jobs that differ in nothing but the process (and of one kind of software, where that is what is
// compared); or single jobs where the processes are what is compared.
struct ComparedUnit {
  const ClaimJob* job = nullptr;
  bool repeatable = true;
};

class BitsOfClaim {
 public:
  BitsOfClaim(const ClaimRows& rows, ClaimView& view, JudgedClaim& out)
      : rows_(rows),
        view_(view),
        out_(out),
        by_job_(view.names_place("process")),
        by_software_(view.names_place("software")) {}

  void judge() {
    collect();
    find_dependent();
    std::map<std::vector<std::uint32_t>, const ClaimJob*> first;
    std::vector<std::pair<const ClaimJob*, const ClaimJob*>> different;
    for (const ComparedUnit& unit : units_) {
      if (!unit.repeatable && !by_job_) {
        ++out_.not_repeatable;
        continue;
      }
      const auto [group, added] = first.emplace(key_of(*unit.job), unit.job);
      if (added || !differ_as_named(*group->second, *unit.job)) continue;
      if (group->second->inputs != unit.job->inputs) {
        ++out_.other_inputs;
        continue;
      }
      ++out_.pairs;
      view_.meet(group->second->point, unit.job->point);
      if (group->second->hash != unit.job->hash) different.emplace_back(group->second, unit.job);
    }
    out_.against = different.size();
    if (out_.pairs > 0) out_.verdict = different.empty() ? ClaimVerdict::confirmed : ClaimVerdict::refuted;
    if (different.size() > kDisagreementsMax) different.resize(kDisagreementsMax);
    for (const auto& [a, b] : different)
      out_.disagreements.push_back({view_.words(a->point, b->point), 1, {1, 1}, a->result, b->result});
  }

 private:
  void collect() {
    // The same process is never measured twice: another kind of software has other processes of the point.
    std::map<std::pair<std::uint32_t, std::int64_t>, std::size_t> unit_of;
    for (const ClaimJob& job : rows_.jobs) {
      if (!view_.counts(job, out_)) continue;
      if (job.hash == 0) {
        ++out_.without;
        continue;
      }
      const auto [at, added] =
          unit_of.try_emplace({job.point, by_software_ ? job.software : 0}, units_.size());
      if (by_job_ || added) {
        units_.push_back({&job, job.repeatable});
      } else {
        ComparedUnit& unit = units_[at->second];
        unit.repeatable = unit.repeatable && job.repeatable && job.hash == unit.job->hash;
      }
    }
  }

  // Columns that are set for some values of a named one and not for others.
  void find_dependent() {
    const std::size_t width = rows_.names.size();
    dependent_.assign(width, 0);
    for (std::size_t named = 0; named < width; ++named) {
      if (!view_.is_named(named)) continue;
      std::vector<char> is_set(rows_.values[named].values().size() * width, 0), seen(is_set.size(), 0);
      for (const ComparedUnit& unit : units_) {
        const std::size_t value = rows_.code(unit.job->point, named);
        for (std::size_t c = 0; c < width; ++c) {
          seen[value * width + c] = 1;
          if (!rows_.value(unit.job->point, c).is_null()) is_set[value * width + c] = 1;
        }
      }
      for (std::size_t c = 0; c < width; ++c) {
        bool some = false, none = false;
        for (std::size_t at = c; at < is_set.size(); at += width)
          if (seen[at]) (is_set[at] ? some : none) = true;
        if (some && none) dependent_[c] = 1;
      }
    }
  }

  std::vector<std::uint32_t> key_of(const ClaimJob& job) const {
    std::vector<std::uint32_t> key;
    for (std::size_t c = 0; c < rows_.names.size(); ++c)
      if (!rows_.derived[c] && !view_.is_named(c) && !dependent_[c])
        key.push_back(rows_.code(job.point, c));
    const ClaimPoint& place = rows_.points[job.point];
    if (!view_.names_place("cache")) key.push_back(place.cache);
    if (!view_.names_place("host")) key.push_back(place.host);
    if (!by_software_ && (by_job_ || place.several_software))
      key.push_back(static_cast<std::uint32_t>(job.software));
    return key;
  }

  // Two that agree in what the claim names (and differ in what depends on it) are no pair.
  bool differ_as_named(const ClaimJob& a, const ClaimJob& b) const {
    for (std::size_t c = 0; c < rows_.names.size(); ++c)
      if (view_.is_named(c) && rows_.code(a.point, c) != rows_.code(b.point, c)) return true;
    const ClaimPoint &here = rows_.points[a.point], &there = rows_.points[b.point];
    return (view_.names_place("cache") && here.cache != there.cache) ||
           (view_.names_place("host") && here.host != there.host) ||
           (view_.names_place("process") && a.process != b.process) ||
           (by_software_ && a.software != b.software);
  }

  const ClaimRows& rows_;
  ClaimView& view_;
  JudgedClaim& out_;
  bool by_job_, by_software_;
  std::vector<ComparedUnit> units_;
  std::vector<char> dependent_;
};

}  // namespace

void judge_bits(const ClaimRows& rows, ClaimView& view, JudgedClaim& out) {
  BitsOfClaim(rows, view, out).judge();
}

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

Status add_bounds(Reader& reader, const ClaimView& view, ClaimRows& rows) {
  KS_ASSIGN_OR_RETURN(const auto roofs, read_roofs(reader));
  rows.no_bound.clear();  // what it was about was another claim's
  for (ClaimJob& job : rows.jobs) {
    const bool counts = job.ok && view.is_graded_well(job) && view.is_first(job.point);
    if (!counts || !job.bound.empty()) continue;
    const auto share = share_of_result(reader, job.result, roofs, "");
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
