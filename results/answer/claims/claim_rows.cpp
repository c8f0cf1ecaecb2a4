#include "results/answer/claims/claim_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/read/code_table.hpp"
#include "results/read/file_order.hpp"
#include "results/read/software_classes.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Cell;
using sqlite::Row;
using sqlite::Step;

namespace {

struct ClaimColumn {
  enum : std::size_t {
    kStatus = 0,
    kGrade,
    kResult,
    kProcess,
    kCache,
    kHost,
    kSoftware,
    kHash,
    kError,
    kInputs,
    kRepeats,
    kFirstMetric,
    kValues = kFirstMetric + kClaimMetrics
  };
};

class Reading {
 public:
  explicit Reading(Reader& reader) : reader_(reader) { out_.hashes.of(Cell{}); }

  Result<ClaimRows> all(const StoredSweep& sweep) {
    KS_ASSIGN_OR_RETURN(const auto columns, reader_.columns(sweep.id));
    std::vector<std::string> selected = {
        "o.status",          "o.grade",       "o.result",      "o.process", "o.cache",
        "o.host_id",         "o.software_id", "o.output_hash", "r.error",   "r.inputs",
        "r.repeatable is 0", "o.median_s",    "o.gflops",      "o.gbps",    "c.peak_memory_bytes",
        "c.p90_s",           "c.p99_s",       "c.p999_s",      "o.variant"};
    KS_ASSERT(selected.size() == ClaimColumn::kValues + 1);
    KS_ASSIGN_OR_RETURN(classes_, software_classes(reader_));
    KS_ASSIGN_OR_RETURN(auto not_believed, AllNotBelieved::of(reader_, sweep.id));
    not_believed_ = std::move(not_believed);
    out_.not_believed = not_believed_.all();
    out_.names = {"variant"};
    out_.derived = {0};
    for (const SweepColumn& column : columns) {
      if (column.name == "variant") continue;
      out_.names.push_back(column.name);
      out_.derived.push_back(column.derived ? 1 : 0);
      selected.push_back("o." + column.stored);
      out_.values.resize(out_.names.size());
      if (is_number_word(column.stands_for)) out_.values.back().read_words();
    }
    out_.values.resize(out_.names.size());
    KS_ASSIGN_OR_RETURN(const auto order, file_order(reader_.connection(), sweep.id));
    KS_RETURN_IF_ERROR(reader_.connection().each_row(
        selected,
        fmt::format("from outcome o left join attempt_row r on r.result = o.result "
                    "left join conditions c on c.result = o.result where o.sweep_id = {}",
                    sweep.id.value),
        [this](const Row& row) { take(row); }, order));
    number_spots();
    return std::move(out_);
  }

 private:
  void take(const Row& row) {
    ClaimJob job;
    const auto software = classes_.find(row.integer(ClaimColumn::kSoftware));
    job.software = software == classes_.end() ? 0 : software->second;
    job.point = point_of(row, job.software);
    const std::string_view status = row.text(ClaimColumn::kStatus), grade = row.text(ClaimColumn::kGrade);
    job.ok = status == "ok";
    job.wrong = status == "wrong_result";
    job.outcome = outcome_named(status).value_or(Outcome::cancelled);
    job.result = static_cast<std::uint64_t>(row.integer(ClaimColumn::kResult));
    job.grade = not_believed_.about(job.result) ? 'X' : grade.empty() ? '\0' : grade[0];
    job.process = static_cast<std::uint32_t>(row.integer(ClaimColumn::kProcess));
    job.hash = row.text(ClaimColumn::kHash).empty() ? 0 : out_.hashes.of(row.cell(ClaimColumn::kHash));
    job.error = row.real(ClaimColumn::kError);
    job.inputs = row.integer(ClaimColumn::kInputs);
    job.repeatable = row.integer(ClaimColumn::kRepeats) == 0;
    job.metrics.back() = kUnknown;
    for (std::size_t m = 0; m < kClaimMetrics; ++m)
      job.metrics[m] = row.real(ClaimColumn::kFirstMetric + m);
    out_.jobs.push_back(job);
  }

  // The codes go behind the others first, so that the table can compare them; known ones go again.
  std::uint32_t point_of(const Row& row, std::int64_t software) {
    const std::size_t width = out_.names.size();
    const auto at = static_cast<std::uint32_t>(out_.points.size());
    for (std::size_t c = 0; c < width; ++c)
      out_.codes.push_back(out_.values[c].of(row.cell(ClaimColumn::kValues + c)));
    out_.points.push_back({out_.caches.of(row.cell(ClaimColumn::kCache)),
                           out_.hosts.of(row.cell(ClaimColumn::kHost)), software});
    const auto mine = std::span(out_.codes).last(width);
    const ClaimPoint place = out_.points.back();
    const std::uint64_t hash = hash_of(place, mine) + static_cast<std::uint64_t>(software) * 31;
    const std::uint32_t known = table_.number(CodeTable::hash_of(hash), [&](std::uint32_t other) {
      const ClaimPoint& there = out_.points[other];
      return there.cache == place.cache && there.host == place.host && there.software == software &&
             std::ranges::equal(mine, std::span(out_.codes).subspan(other * width, width));
    });
    if (known != at) {
      out_.points.pop_back();
      out_.codes.resize(at * width);
    }
    return known;
  }

  static std::uint64_t hash_of(const ClaimPoint& place, std::span<const std::uint32_t> codes) {
    std::uint64_t hash = place.cache * 31ULL + place.host;
    for (const std::uint32_t code : codes) hash = (hash ^ code) * 0x9E3779B97F4A7C15U;
    return hash;
  }

  void number_spots() {
    const std::size_t width = out_.names.size();
    const auto codes_of = [&](std::uint32_t p) { return std::span(out_.codes).subspan(p * width, width); };
    CodeTable table;
    std::vector<std::uint32_t> first;  // point of each spot
    for (std::uint32_t p = 0; p < out_.points.size(); ++p) {
      ClaimPoint& point = out_.points[p];
      point.spot = table.number(CodeTable::hash_of(hash_of(point, codes_of(p))), [&](std::uint32_t spot) {
        const ClaimPoint& known = out_.points[first[spot]];
        return known.cache == point.cache && known.host == point.host &&
               std::ranges::equal(codes_of(first[spot]), codes_of(p));
      });
      if (point.spot == first.size())
        first.push_back(p);
      else
        point.several_software = out_.points[first[point.spot]].several_software = true;
    }
    out_.spots = static_cast<std::uint32_t>(first.size());
  }

  Reader& reader_;
  ClaimRows out_;
  AllNotBelieved not_believed_;
  std::map<std::int64_t, std::int64_t> classes_;  // of software
  CodeTable table_;
};

}  // namespace

Result<ClaimRows> read_claim_rows(Reader& reader, const StoredSweep& sweep) {
  return Reading(reader).all(sweep);
}

Status read_counted(Reader& reader, const Claim& claim, ClaimRows& rows) {
  const bool memory = claim.kind == ClaimKind::less_memory;
  const std::string_view name = memory ? kDevicePeak : std::string_view(claim.counted);
  if (name.empty()) return Done{};
  KS_ASSIGN_OR_RETURN(
      auto value, reader.connection().prepare("select value from metric where name = ? and result = ?"));
  for (ClaimJob& job : rows.jobs) {
    job.metrics.back() = kUnknown;
    value.bind(1, name);
    value.bind(2, job.result);
    const Step step = value.step();
    if (step == Step::failed) return failure(value.why());
    if (step == Step::row) job.metrics.back() = value.real(0);
    value.reset();
  }
  return Done{};
}

}  // namespace kernsweep
