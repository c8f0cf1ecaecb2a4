#include "tests/fuzz/conversation/judge.hpp"

#include "results/read/reader.hpp"
#include "results/read/show.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/export.hpp"
#include "results/report/json.hpp"
#include "results/report/show_text.hpp"
#include "results/text/table.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::fuzz {
namespace {

RowSet asked(Reader& reader, const std::string& question) {
  auto rows = reader.query(question);
  KS_ASSERT(rows.has_value());
  return std::move(*rows);
}

bool any(Reader& reader, const std::string& from) {
  return *asked(reader, "select exists (select 1 from " + from + ")").rows[0][0].integer() != 0;
}

// Nothing is forgotten before it is on the disk, or will never be needed.
void judge_released(Reader& reader, const Seen& seen) {
  for (const AttemptId& attempt : seen.released) {
    const auto largest = seen.largest.find(attempt.job);
    if (largest != seen.largest.end() && largest->second > attempt.number) continue;
    const std::string sweep = std::to_string(attempt.job.sweep.value);
    if (any(reader, "sweep where id = " + sweep + " and state <> 'running'")) continue;
    // Its point may be measured on other hardware.
    if (any(reader,
            "sweep where id = " + sweep +
                " and raw_jobs > raw_points and (select count(distinct fingerprint) from host) > 1"))
      continue;
    const std::string job = " where sweep_id = " + sweep +
                            " and job = " + std::to_string(attempt.job.index) +
                            " and job_host = " + std::to_string(signed_host(attempt.job.host));
    KS_ASSERT(any(reader, "outcome" + job) ||
              any(reader, "attempt" + job + " and attempt >= " + std::to_string(attempt.number)));
  }
}

// Texts of peers in the rows can always be shown and exported.
void judge_texts(Reader& reader) {
  ExportQuestion question;
  question.all_sweeps = true;
  question.format = ExportFormat::jsonl;
  const Status lines = export_rows(reader, question, [](std::string_view text) -> Status {
    while (!text.empty()) {
      const auto end = text.find('\n');
      KS_ASSERT(end != std::string_view::npos && is_json_object(text.substr(0, end)));
      text.remove_prefix(end + 1);
    }
    return Done{};
  });
  KS_ASSERT(lines.has_value());
  const RowSet newest = asked(reader, "select result from attempt order by result desc limit 2");
  for (const auto& row : newest.rows) {
    const auto shown = show(reader, row[0].to_text());
    KS_ASSERT(shown.has_value());
    KS_ASSERT(is_json_object(to_json(*shown)));
    const std::string text = summary_of(*shown, "") + text_of(*shown);
    KS_ASSERT(text.find('\x1b') == std::string::npos);  // terminals obey such
  }
  const std::string table = text_table(asked(reader, "select * from attempt_history"));
  KS_ASSERT(table.find('\x1b') == std::string::npos);
}

}  // namespace

void judge(const std::string& database, const Seen& seen, bool all) {
  auto reader = Reader::open(database);
  KS_ASSERT(reader.has_value());
  // One accepted outcome for a job; those that only say that nothing was tried give way in a later life.
  KS_ASSERT(asked(*reader,
                  "select 1 from attempt where final = 1 and status not in ('cancelled', 'skipped', "
                  "'unplaceable', 'worker_lost') group by sweep_id, job, job_host having count(*) > 1")
                .rows.empty());
  KS_ASSERT(
      asked(*reader, "select 1 from attempt group by sweep_id, job, job_host, attempt having count(*) > 1")
          .rows.empty());
  KS_ASSERT(!any(*reader, "outcome o join sweep s on s.id = o.sweep_id where o.job >= s.raw_jobs"));
  judge_released(*reader, seen);
  if (!all) return;
  KS_ASSERT(asked(*reader, "select * from pragma_integrity_check").rows[0][0].to_text() == "ok");
  judge_texts(*reader);
}

}  // namespace kernsweep::fuzz
