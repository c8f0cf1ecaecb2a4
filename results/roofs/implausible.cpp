#include "results/roofs/implausible.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/read/wrong_points.hpp"
#include "results/roofs/roof_rows.hpp"
#include "shared/base/try.hpp"
#include "shared/text/choices.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

// Adds the results above the roofs of their hosts.
Status add_above_roofs(Reader& reader, SweepId sweep, std::vector<Implausible>& all) {
  // The table `text` has each text once, so it is small compared with the jobs.
  KS_ASSIGN_OR_RETURN(
      const auto any,
      reader.connection().integer(
          "select exists (select 1 from sweep where kernel = 'roof') and exists (select 1 from text where "
          "content like '{%\"least\":%')"));
  if (any == 0) return Done{};
  KS_ASSIGN_OR_RETURN(const auto roofs, read_roofs(reader));
  KS_ASSIGN_OR_RETURN(
      auto row,
      reader.connection().prepare(
          "select distinct o.result, case when json_valid(t.content) then t.content ->> 'least' end from "
          "outcome o join attempt_row a on a.result = o.result join text t on t.id = a.distrust where "
          "o.sweep_id = ? and o.status = 'ok' order by o.result"));
  row.bind(1, sweep.value);
  Step step;
  while ((step = row.step()) == Step::row) {
    const auto result = static_cast<std::uint64_t>(row.integer(0));
    if (auto why = why_implausible(reader, result, row.text(1), roofs))
      all.push_back({result, std::move(*why)});
  }
  if (step == Step::failed) return failure(row.why());
  return Done{};
}

}  // namespace

Result<AllImplausible> AllImplausible::of(Reader& reader, SweepId sweep) {
  AllImplausible out;
  KS_ASSIGN_OR_RETURN(out.all_, beside_wrong_results(reader, sweep));
  KS_RETURN_IF_ERROR(add_above_roofs(reader, sweep, out.all_));
  const auto same = [](const Implausible& a, const Implausible& b) { return a.result == b.result; };
  std::ranges::stable_sort(out.all_, {}, &Implausible::result);
  out.all_.erase(std::unique(out.all_.begin(), out.all_.end(), same), out.all_.end());
  return out;
}

const Implausible* AllImplausible::about(std::uint64_t result) const {
  const auto found = std::ranges::lower_bound(all_, result, {}, &Implausible::result);
  return found != all_.end() && found->result == result ? &*found : nullptr;
}

Result<SweepRows> read_graded_rows(Reader& reader, const StoredSweep& sweep,
                                   std::vector<SweepColumn> columns, const std::string& extra,
                                   KeptJobs kept) {
  auto rows = read_rows(reader, sweep, std::move(columns), extra, kept);
  if (!rows) return rows;
  KS_ASSIGN_OR_RETURN(const auto implausible, AllImplausible::of(reader, sweep.id));
  rows->implausible = implausible.all();
  if (rows->implausible.empty()) return rows;
  for (SweepRows::Job& job : rows->jobs)
    if (implausible.about(job.result) != nullptr) job.grade = 'X';
  return rows;
}

std::optional<std::string> why_implausible(Reader& reader, std::uint64_t result, std::string_view least,
                                           const std::vector<HostRoofs>& roofs) {
  const auto names = split_choices(least);
  const auto listed = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  const Least work{listed("flops"), listed("bytes")};
  if (!work.flops && !work.bytes) return std::nullopt;
  const auto found = call_of_result(reader, result, roofs, "");
  if (!found) return std::nullopt;
  const auto share = share_of_least(*found->roofs, found->call, work);
  if (!share || !(share->share > kAboveRoof)) return std::nullopt;
  return fmt::format("{}{} are above the measured {}, {} ({}), and no right kernel does less work",
                     rate_text(*share, share->share * share->limit.rate),
                     share->bound == Bound::memory ? ", without what caches may hold," : "", share->roof,
                     rate_text(*share, share->limit.rate), share->limit.by);
}

}  // namespace kernsweep
