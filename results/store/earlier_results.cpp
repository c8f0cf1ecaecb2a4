#include "results/store/earlier_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/store/database.hpp"
#include "results/store/wrong_points.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

Status describe(sqlite::Connection& database, std::vector<Origin>& origins) {
  KS_ASSIGN_OR_RETURN(auto host,
                      database.prepare("select lower(hex(fingerprint)), name from host where id = ?"));
  KS_ASSIGN_OR_RETURN(auto software,
                      database.prepare("select version, libraries, sources from software where id = ?"));
  for (Origin& origin : origins) {
    host.bind(1, origin.host.value);
    if (const Step step = host.step(); step == Step::row) {
      origin.fingerprint = host.text(0);
      origin.host_name = host.text(1);
      host.reset();
    } else if (step != Step::done) {
      return failure(host.why());
    }
    software.bind(1, origin.software.value);
    if (const Step step = software.step(); step == Step::row) {
      origin.version = software.text(0);
      origin.libraries = software.text(1);
      origin.sources = software.text(2);
      software.reset();
    } else if (step != Step::done) {
      return failure(software.why());
    }
  }
  return Done{};
}

struct SweepName {
  std::int64_t id = 0;
  std::string name;
};

Result<std::vector<SweepName>> sweeps_of(sqlite::Connection& database, const std::string& kernel,
                                         SweepId except) {
  KS_ASSIGN_OR_RETURN(
      auto rows,
      database.prepare("select id, name from sweep where kernel = ? and id <> ? order by id desc"));
  rows.bind(1, kernel);
  rows.bind(2, except.value);
  std::vector<SweepName> sweeps;
  Step step;
  while ((step = rows.step()) == Step::row)
    sweeps.push_back({rows.integer(0), fmt::format("{}@{}", rows.text(1), rows.integer(0))});
  if (step != Step::done) return failure(rows.why());
  return sweeps;
}

}  // namespace

Status describe_origins(const std::string& path, std::vector<Origin>& origins) {
  if (origins.empty()) return Done{};
  KS_ASSIGN_OR_RETURN(auto database, open_database_for_reading(path));
  return describe(database, origins);
}

Result<EarlierResults> EarlierResults::read(const std::string& path, const std::string& kernel,
                                            SweepId except, SweepId superseded) {
  KS_ASSIGN_OR_RETURN(auto database, open_database_for_reading(path));
  KS_ASSIGN_OR_RETURN(const auto sweeps, sweeps_of(database, kernel, except));
  EarlierResults out;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> origins;
  WrongPoints wrong;
  bool with_others = false;
  const auto use = [&](const sqlite::Row& row) {
    const std::string_view grade = row.text(4);
    const auto outcome = outcome_named(row.text(5));
    const Worth worth = outcome != Outcome::ok         ? Worth::none
                        : grade == "A" || grade == "B" ? Worth::usable
                                                       : Worth::doubtful;
    const auto key = digest_from_bytes(row.text(0));
    if (!key || (worth != Worth::usable && !with_others) || out.results_.size() >= kResultsMax) return;
    if (outcome && gives_way(*outcome)) return;
    // The whole point is measured again, because measuring a part of it would hide the wrong result.
    if (outcome == Outcome::ok && !wrong.empty() &&
        wrong.contains(point_on_host(row.integer(6), row.integer(7))))
      return;
    const auto host = static_cast<std::uint32_t>(row.integer(2));
    const auto software = static_cast<std::uint32_t>(row.integer(3));
    const auto [at, added] =
        origins.try_emplace({host, software}, static_cast<std::uint32_t>(out.origins_.size()));
    if (added) {
      Origin& origin = out.origins_.emplace_back();
      origin.host = HostId{host};
      origin.software = SoftwareId{software};
    }
    ++out.origins_[at->second].jobs;
    out.results_.push_back({*key, static_cast<std::uint64_t>(row.integer(1)), at->second,
                            static_cast<std::uint16_t>(out.sweeps_.size() - 1), worth});
  };
  for (const SweepName& sweep : sweeps) {
    KS_ASSIGN_OR_RETURN(wrong, wrong_points(database, SweepId{static_cast<std::uint32_t>(sweep.id)}));
    with_others = sweep.id == superseded.value;
    if (out.sweeps_.size() <= UINT16_MAX) out.sweeps_.push_back(sweep.name);
    KS_RETURN_IF_ERROR(database.each_row(
        {"key", "result", "host_id", "software_id", "grade", "status", "point", "job_host"},
        fmt::format("from outcome where sweep_id = {} and reused = 0{}", sweep.id,
                    with_others ? "" : " and status = 'ok'"),
        use));
  }
  std::ranges::sort(out.results_, [](const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key < b.key : a.result > b.result;
  });
  KS_RETURN_IF_ERROR(describe(database, out.origins_));
  out.allowed_.assign(out.origins_.size(), 0);
  return out;
}

void EarlierResults::keep_only(std::vector<Digest> keys) {
  std::ranges::sort(keys);
  std::erase_if(results_, [&](const Entry& each) { return !std::ranges::binary_search(keys, each.key); });
  std::vector<Origin> kept;
  std::vector<std::uint32_t> places(origins_.size(), UINT32_MAX);
  for (Entry& each : results_) {
    if (places[each.origin] == UINT32_MAX) {
      places[each.origin] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(origins_[each.origin]));
      kept.back().jobs = 0;
    }
    each.origin = places[each.origin];
    ++kept[each.origin].jobs;
  }
  origins_ = std::move(kept);
  allowed_.assign(origins_.size(), 0);
}

std::vector<EarlierResults::Entry>::const_iterator EarlierResults::first_of(const Digest& key) const {
  return std::ranges::lower_bound(results_, key, {}, &Entry::key);
}

std::optional<EarlierResults::Found> EarlierResults::find(const Digest& key) const {
  return find(key, [](std::size_t) { return true; });
}

std::optional<EarlierResults::Newest> EarlierResults::newest(const Digest& key) const {
  const auto at = first_of(key);
  if (at == results_.end() || at->key != key) return std::nullopt;
  return Newest{at->origin, at->worth};
}

}  // namespace kernsweep
