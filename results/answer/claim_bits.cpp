#include "results/answer/claim_bits.hpp"

#include <algorithm>
#include <map>

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

}  // namespace kernsweep
