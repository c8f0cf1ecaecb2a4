#include "results/answer/compare/operand_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/disturbed_results.hpp"
#include "results/read/file_order.hpp"
#include "results/read/point_table.hpp"
#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Cell;
using sqlite::Row;
using sqlite::Statement;
using sqlite::Step;

std::vector<std::string> parameters_of(const FoundSide& a, const FoundSide& b) {
  std::vector<std::string> names = {"variant"};
  for (const FoundSide* side : {&a, &b})
    for (const SweepColumn& column : side->columns)
      if (!column.derived && std::ranges::find(names, column.name) == names.end())
        names.push_back(column.name);
  return names;
}

namespace {

// Columns of the question, before those of the values.
struct SideColumn {
  enum : std::size_t {
    kStatus = 0,
    kGrade,
    kMedian,
    kResult,
    kCache,
    kHost,
    kSoftware,
    kQuick,
    kInputs,
    kMetric,
    kKey,
    kProcess,
    kFinished,
    kValues
  };
};

class SideReading {
 public:
  SideReading(Reader& reader, const FoundSide& side, const std::string& where, char worst_grade,
              SideWords& words)
      : reader_(reader), side_(side), where_(where), worst_grade_(worst_grade), words_(words) {}

  Result<SideRows> rows() {
    out_.width = words_.names.size();
    table_.emplace(out_.width);
    KS_RETURN_IF_ERROR(learn("host", "fingerprint", words_.hosts, hosts_));
    KS_RETURN_IF_ERROR(learn("software", "identity", words_.software, software_));
    KS_ASSIGN_OR_RETURN(const auto software, read_software(reader_));
    // 0 is what is not known.
    for (const SoftwareTexts& each : software) classes_[each.id] = words_.classes.of(each) + 1;
    KS_ASSIGN_OR_RETURN(implausible_, AllImplausible::of(reader_, side_.sweep.id));
    KS_ASSIGN_OR_RETURN(disturbed_, read_disturbed(reader_, side_.sweep.id));
    std::vector<std::uint32_t> codes(out_.width);
    KS_ASSIGN_OR_RETURN(const auto order, file_order(reader_.connection(), side_.sweep.id));
    Status taken = Done{};
    KS_RETURN_IF_ERROR(reader_.connection().each_row(
        selected(), from(),
        [&](const Row& row) {
          if (taken) taken = take(row, codes);
        },
        order));
    KS_RETURN_IF_ERROR(taken);
    const PointTable::Spots spots = table_->spots();
    for (std::size_t p = 0; p < out_.points.size(); ++p) out_.points[p].spot = spots.of[p];
    out_.spots = spots.count;
    out_.codes = std::move(*table_).taken_codes();
    gather();
    return std::move(out_);
  }

 private:
  std::vector<std::string> selected() {
    out_.stands_for = {StandsFor::itself};  // the variant
    std::vector<std::string> columns = {"o.status = 'ok'",   "o.grade",   "o.median_s",        "o.result",
                                        "o.cache",           "o.host_id", "o.\"software.id\"", "o.quick",
                                        "r.inputs",          "c.metric",  "o.\"job.key\"",     "o.process",
                                        "r.finished_unix_s", "o.variant"};
    for (std::size_t i = 1; i < words_.names.size(); ++i) {
      const auto found = std::ranges::find(side_.columns, words_.names[i], &SweepColumn::name);
      out_.stands_for.push_back(found == side_.columns.end() ? StandsFor::itself : found->stands_for);
      columns.push_back(found == side_.columns.end() ? "null" : "o." + schema::quoted(stored_name(*found)));
    }
    return columns;
  }

  std::string from() const {
    return "from (" + rows_where(side_.sweep.id, side_.columns, side_.condition, where_) +
           ") o left join attempt_row r on r.result = o.result left join conditions c on c.result = "
           "o.result";
  }

  // The numbers that both sides use for the rows of a table.
  Status learn(const std::string& table, const std::string& identity, ValueCodes& codes,
               std::unordered_map<std::int64_t, std::uint32_t>& known) {
    known[0] = codes.of(Cell{});
    return reader_.connection().each_row({"id", identity}, "from " + table, [&](const Row& row) {
      known[row.integer(0)] = codes.of(row.cell(1));
    });
  }

  Status take(const Row& row, std::vector<std::uint32_t>& codes) {
    ++out_.read;
    const double median = row.real(SideColumn::kMedian);
    if (row.integer(SideColumn::kStatus) == 0 || !std::isnormal(median) || median < 0) {
      ++out_.failed;
      return Done{};
    }
    const Implausible* const flaw =
        implausible_.about(static_cast<std::uint64_t>(row.integer(SideColumn::kResult)));
    if (flaw != nullptr) out_.implausible.push_back(*flaw);
    const std::string_view grade = row.text(SideColumn::kGrade);
    const bool good = grade.empty() || grade[0] <= worst_grade_;
    const auto cost = disturbed_.find(static_cast<std::uint64_t>(row.integer(SideColumn::kResult)));
    if (flaw != nullptr || (!good && cost == disturbed_.end())) {
      ++out_.graded_below;
      return Done{};
    }
    out_.disturbed += good ? 0 : 1;
    for (std::size_t i = 0; i < codes.size(); ++i)
      codes[i] = words_.values[i].of(row.cell(SideColumn::kValues + i));
    SidePoint place;
    place.cache = words_.caches.of(row.cell(SideColumn::kCache));
    place.host_id = row.integer(SideColumn::kHost);
    place.software_id = row.integer(SideColumn::kSoftware);
    place.host = hosts_[place.host_id];
    place.software = software_[place.software_id];
    place.software_class = classes_[place.software_id];
    const std::uint32_t point = table_->number(codes, {place.cache, place.host, place.software_class});
    if (point == out_.points.size()) {
      const auto inputs = inputs_of(row.integer(SideColumn::kInputs));
      if (!inputs) return failure(inputs.error().message);
      place.inputs = *inputs;
      place.result = static_cast<std::uint64_t>(row.integer(SideColumn::kResult));
      place.quick = row.integer(SideColumn::kQuick) != 0;
      out_.points.push_back(place);
    }
    SidePoint& known = out_.points[point];
    known.mixed_software = known.mixed_software || known.software != place.software;
    if (known.metric == 0) known.metric = words_.metrics.of(row.cell(SideColumn::kMetric));
    out_.times.push_back(median);
    out_.results.push_back(static_cast<std::uint64_t>(row.integer(SideColumn::kResult)));
    out_.costs.push_back(cost == disturbed_.end() ? 0 : cost->second);
    out_.blocks.push_back(static_cast<std::uint32_t>(row.integer(SideColumn::kProcess)));
    out_.measurements.push_back(measurement_of(row));
    point_of_time_.push_back(point);
    return Done{};
  }

  // What was measured, in which process, when and on which host. Without the moment (a row that another
  // program has written) only its place in this file tells it from others.
  Digest measurement_of(const Row& row) {
    if (row.cell(SideColumn::kFinished).kind == Cell::Kind::null)
      return digest_of(fmt::format("{} {}", row.integer(SideColumn::kResult), reader_.connection().path()));
    std::string text(row.cell(SideColumn::kKey).text);
    text += fmt::format("/{}/{}/{}", row.integer(SideColumn::kProcess),
                        hosts_[row.integer(SideColumn::kHost)], row.real(SideColumn::kFinished));
    return digest_of(text);
  }

  Result<std::uint32_t> inputs_of(std::int64_t text) {
    const auto [known, added] = inputs_.try_emplace(text, 0);
    if (!added) return known->second;
    if (!content_.columns()) {
      KS_ASSIGN_OR_RETURN(content_, reader_.connection().prepare("select content from text where id = ?"));
    }
    content_.bind(1, text);
    const Step step = content_.step();
    if (step == Step::failed) return failure(content_.why());
    Cell cell;
    if (step == Step::row && !content_.text(0).empty()) cell = {Cell::Kind::text, 0, content_.text(0)};
    known->second = words_.inputs.of(cell);
    content_.reset();
    return known->second;
  }

  // Brings the times of each point together; processes keep their order.
  void gather() {
    for (const std::uint32_t point : point_of_time_) ++out_.points[point].times_end;
    std::uint32_t begin = 0;
    for (SidePoint& point : out_.points) {
      const std::uint32_t count = point.times_end;
      point.times_begin = point.times_end = begin;
      begin += count;
    }
    std::vector<std::uint32_t> places;
    for (const std::uint32_t point : point_of_time_) places.push_back(out_.points[point].times_end++);
    const auto order = [&](auto& all) {
      auto ordered = all;
      for (std::size_t i = 0; i < places.size(); ++i) ordered[places[i]] = all[i];
      all = std::move(ordered);
    };
    order(out_.times);
    order(out_.results);
    order(out_.costs);
    order(out_.blocks);
    order(out_.measurements);
  }

  Reader& reader_;
  const FoundSide& side_;
  const std::string& where_;
  const char worst_grade_;
  SideWords& words_;
  SideRows out_;
  AllImplausible implausible_;
  DisturbedResults disturbed_;
  std::vector<std::uint32_t> point_of_time_;
  std::unordered_map<std::int64_t, std::uint32_t> hosts_, software_, classes_, inputs_;
  Statement content_;
  std::optional<PointTable> table_;
};

}  // namespace

Result<SideRows> read_side(Reader& reader, const FoundSide& side, const std::string& where,
                           char worst_grade, SideWords& words) {
  return SideReading(reader, side, where, worst_grade, words).rows();
}

StoredSpread::Stratum stratum_of(const SideWords& words, const SideRows& rows, std::uint32_t point) {
  const SidePoint& place = rows.points[point];
  StoredSpread::Stratum stratum{{}, words.caches.values()[place.cache], words.hosts.values()[place.host]};
  const auto threads = std::ranges::find(words.names, "threads") - words.names.begin();
  const auto column = static_cast<std::size_t>(threads);
  if (column < words.names.size())
    stratum.threads = words.values[column].values()[rows.codes[point * rows.width + column]];
  return stratum;
}

}  // namespace kernsweep
