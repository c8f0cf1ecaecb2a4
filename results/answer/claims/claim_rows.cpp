#include "results/answer/claims/claim_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "results/answer/disturbed_results.hpp"
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
    KS_ASSIGN_OR_RETURN(auto implausible, AllImplausible::of(reader_, sweep.id));
    implausible_ = std::move(implausible);
    out_.implausible = implausible_.all();
    KS_ASSIGN_OR_RETURN(disturbed_, read_disturbed(reader_, sweep.id));
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
    codes_.resize(out_.names.size());
    table_.emplace(codes_.size());
    KS_ASSIGN_OR_RETURN(const auto order, file_order(reader_.connection(), sweep.id));
    KS_RETURN_IF_ERROR(reader_.connection().each_row(
        selected,
        fmt::format("from outcome o left join attempt_row r on r.result = o.result "
                    "left join conditions c on c.result = o.result where o.sweep_id = {}",
                    sweep.id.value),
        [this](const Row& row) { take(row); }, order));
    take_points();
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
    job.grade = implausible_.about(job.result) ? 'X' : grade.empty() ? '\0' : grade[0];
    if (const auto cost = disturbed_.find(job.result); cost != disturbed_.end() && job.grade != 'X') {
      job.disturbed = true;
      job.cost = cost->second;
    }
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

  std::uint32_t point_of(const Row& row, std::int64_t software) {
    for (std::size_t c = 0; c < codes_.size(); ++c)
      codes_[c] = out_.values[c].of(row.cell(ClaimColumn::kValues + c));
    return table_->number(codes_, {out_.caches.of(row.cell(ClaimColumn::kCache)),
                                   out_.hosts.of(row.cell(ClaimColumn::kHost)), software});
  }

  void take_points() {
    const PointTable::Spots spots = table_->spots();
    std::vector<std::uint32_t> points(spots.count, 0);
    for (const std::uint32_t spot : spots.of) ++points[spot];
    for (std::size_t p = 0; p < spots.of.size(); ++p)
      out_.points.push_back({table_->places()[p], spots.of[p], points[spots.of[p]] > 1});
    out_.spots = spots.count;
    out_.codes = std::move(*table_).taken_codes();
  }

  Reader& reader_;
  ClaimRows out_;
  AllImplausible implausible_;
  DisturbedResults disturbed_;
  std::map<std::int64_t, std::int64_t> classes_;  // of software
  std::vector<std::uint32_t> codes_;              // of the values of a row
  std::optional<PointTable> table_;
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
