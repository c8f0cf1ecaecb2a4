#include "results/page/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/answer/best/sweep_effects.hpp"
#include "results/answer/roof_shares.hpp"
#include "results/page/report_points.hpp"
#include "results/page/report_troubles.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/compare_text.hpp"
#include "results/report/json_object.hpp"
#include "results/text/units.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kBestRowsMax = 2000;  // problems in the answer
constexpr std::size_t kPairsMax = 2000;     // pairs of the comparison
constexpr std::size_t kEffectsMax = 200;
constexpr std::size_t kTextRows = 40;  // of the answer as text

std::string json_of_sweep(const StoredSweep& sweep) {
  JsonObject tags;
  for (const auto& [name, value] : sweep.record.tags) tags.add(name, Value(value));
  return JsonObject()
      .add("name", sweep.record.name)
      .count("id", sweep.id.value)
      .add("kernel", sweep.record.kernel)
      .add("state", name_of(sweep.state))
      .add("started", sweep.record.started_unix_s)
      .add("file", sweep.record.file)
      .add("text", sweep.record.text)
      .add("quick", sweep.record.quick)
      .count("processes", sweep.record.processes)
      .count("raw_points", sweep.record.raw_points)
      .count("raw_jobs", sweep.record.raw_jobs)
      .add_raw("tags", tags.text())
      .text();
}

std::string json_of_sweeps(const std::vector<StoredSweep>& all) {
  return json_list(all, [](const StoredSweep& sweep) {
    return JsonObject()
        .add("name", sweep.record.name)
        .count("id", sweep.id.value)
        .add("kernel", sweep.record.kernel)
        .add("state", name_of(sweep.state))
        .count("jobs", sweep.answered_jobs)
        .text();
  });
}

struct AnswerParts {
  std::string json, text;
};

// The answers of `best` and of the end of a run.
Result<AnswerParts> answer_of(Reader& reader, const ReportQuestion& question,
                              const std::vector<HostRoofs>& roofs) {
  KS_ASSIGN_OR_RETURN(auto found, sweep_effects(reader, question.sweep, kBestRowsMax));
  note_above_roofs(found.best, reader, roofs);
  SweepEffects shown = found;
  std::erase_if(shown.effects, [](const Effect& effect) { return !is_clear(effect); });
  if (shown.effects.size() > kEffectsMax) shown.effects.resize(kEffectsMax);
  const std::string effects = text_of(found, kEffectsMax);
  const std::string table = text_of(found.best, question.database, kTextRows);
  const bool any = !found.best.rows.empty();
  const std::string left_out =
      any ? text_of_left_out(found.best, best_with_grade_c(question.database)) : table;
  const std::string json = JsonObject()
                               .add_raw("found", to_json(shown))
                               .add("effects_text", effects)
                               .add("left_out", left_out)
                               .add("more_processes", text_of_more_processes(found.best.imported_from))
                               .add("text", table)
                               .text();
  return AnswerParts{json, any ? table + left_out + "\n" + effects : table};
}

// The newest sweep of this name before this one that has an outcome; empty: there is none.
std::string earlier_of(const StoredSweep& sweep, const std::vector<StoredSweep>& all) {
  for (const StoredSweep& other : all)  // newest first
    if (other.id.value < sweep.id.value && other.record.name == sweep.record.name &&
        other.answered_jobs > 0)
      return std::to_string(other.id.value);
  return "";
}

int rank_of(const ComparedPair& pair) {
  return pair.verdict == TimeVerdict::slower      ? 0
         : pair.verdict == TimeVerdict::undecided ? 1
         : pair.verdict == TimeVerdict::faster    ? 2
                                                  : 3;
}

Result<std::string> comparison_of(Reader& reader, const ReportQuestion& question, const StoredSweep& sweep,
                                  const std::vector<StoredSweep>& all) {
  const std::string against = question.against.empty() ? earlier_of(sweep, all) : question.against;
  if (against.empty()) return std::string("null");
  const auto no_file = [](const std::string&) { return false; };
  CompareQuestion asked;
  KS_ASSIGN_OR_RETURN(auto a, parse_side(against, no_file));
  KS_ASSIGN_OR_RETURN(auto b, parse_side(std::to_string(sweep.id.value), no_file));
  asked.a = a;
  asked.b = b;
  asked.sweep = name_by_number(sweep.id);
  auto answer = compare(reader, reader, asked);
  if (!answer) {
    // The user did not request this comparison, so if it is impossible the report has no error.
    if (!question.against.empty()) return tl::unexpected<Error>(answer.error());
    return std::string("null");
  }
  std::vector<ComparedPair>& rows = answer->rows;
  const std::size_t more = rows.size() > kPairsMax ? rows.size() - kPairsMax : 0;
  if (more > 0) {
    std::ranges::stable_sort(rows, {}, rank_of);
    rows.resize(kPairsMax);
  }
  return JsonObject()
      .add_raw("answer", to_json(*answer))
      .add_raw("points", json_list(rows, [](const ComparedPair& row) { return json_list(row.parameters); }))
      .count("rows_more", more)
      .text();
}

std::string json_of_limit(const std::string& name, const Limit& limit, double bytes) {
  return JsonObject()
      .add("name", name)
      .add("rate", limit.rate)
      .add("by", limit.by)
      .add("bytes", bytes > 0 ? Value(bytes) : Value())
      .text();
}

std::string json_of_roofs(const std::vector<HostRoofs>& all) {
  const auto of_peak = [](const auto& peak) { return json_of_limit(peak.first, peak.second, 0); };
  const auto of_level = [](const MemoryLevel& level) {
    return json_of_limit(level.name, level.limit, level.bytes);
  };
  return json_list(all, [&](const HostRoofs& each) {
    return JsonObject()
        .add("host", each.host)
        .add("cpu", each.cpu)
        .add("gpu", each.gpu)
        .add("threads", each.threads)
        .add_raw("peaks", json_list(each.roofs.peaks, of_peak))
        .add_raw("levels", json_list(each.roofs.levels, of_level))
        .text();
  });
}

}  // namespace

Result<SweepReport> report_data(Reader& reader, const ReportQuestion& question, const ReportParts& parts) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  KS_ASSIGN_OR_RETURN(const auto all, reader.sweeps());
  KS_ASSIGN_OR_RETURN(const auto roofs, read_roofs(reader));
  ReportQuestion narrowed = question;
  narrowed.sweep = name_by_number(sweep.id);
  KS_ASSIGN_OR_RETURN(const auto answer, answer_of(reader, narrowed, roofs));
  KS_ASSIGN_OR_RETURN(const auto points, report_points(reader, sweep));
  KS_ASSIGN_OR_RETURN(const auto troubles, report_troubles(reader, sweep));
  KS_ASSIGN_OR_RETURN(const auto comparison, comparison_of(reader, question, sweep, all));
  SweepReport made;
  made.title = fmt::format("{}@{}", sweep.record.name, sweep.id.value);
  made.answer = answer.text;
  made.json = JsonObject()
                  .count("format", 1)
                  .add("made_by", "kernsweep " + version_text())
                  .add("database", question.database)
                  .add_raw("sweep", json_of_sweep(sweep))
                  .add_raw("sweeps", json_of_sweeps(all))
                  .add_raw("answer", answer.json)
                  .add_raw("axes", points.axes)
                  .add_raw("points", points.points)
                  .add_raw("processes", points.processes)
                  .add_raw("failures", troubles.failures)
                  .add_raw("grades", troubles.grades)
                  .add("rejected", parts.rejected)
                  .add_raw("comparison", comparison)
                  .add_raw("claims", parts.claims.empty() ? "null" : parts.claims)
                  .add_raw("roofs", json_of_roofs(roofs))
                  .add_raw("hosts", troubles.hosts)
                  .add_raw("software", troubles.software)
                  .text();
  return made;
}

}  // namespace kernsweep
