// best, show, sql, export: answers from a results database.
#include <cstdio>

#include "cli/grammar/arguments.hpp"
#include "results/answer/best.hpp"
#include "results/answer/provenance_difference.hpp"
#include "results/read/reader.hpp"
#include "results/read/show.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/export.hpp"
#include "results/report/json.hpp"
#include "results/report/show_text.hpp"
#include "results/roofs/roof_rows.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

Status to_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return Done{};
  return failure("the output could not be written");
}

// What cannot be printed is told at the end of the program.
int failed(const Error& error) {
  return std::ferror(stdout) != 0 ? kExitBadInput : report_error(error.message);
}

int print_best(const Arguments& arguments, Reader& reader) {
  BestQuestion question;
  question.sweep = arguments.sweep;
  if (!arguments.by.empty()) question.by = arguments.by;
  if (!arguments.metric.empty()) {
    const Status chosen = choose_metric(reader, arguments.metric, question);
    if (!chosen) return report_error(chosen.error().message);
    question.better = better_named(arguments.better);
    if (question.better != Better::unknown && question.metric != BestMetric::counted)
      return report_error("--better is for what was counted; of " + arguments.metric +
                          " it is known which numbers are the better ones");
  }
  if (!arguments.grade.empty()) {
    if (arguments.grade.size() != 1 || arguments.grade[0] < 'A' || arguments.grade[0] > 'C') {
      return report_error("--grade is A, B or C, not '" + arguments.grade + "'");
    }
    question.worst_grade = arguments.grade[0];
  }
  const auto answer = best(reader, question);
  if (!answer) return report_error(answer.error().message);
  if (arguments.json) {
    std::printf("%s\n", to_json(*answer).c_str());
    return 0;
  }
  constexpr auto kAllRows = static_cast<std::size_t>(-1);
  std::printf("%s", text_of(*answer, arguments.file, kAllRows).c_str());
  if (!answer->rows.rows.empty())
    std::printf("%s", text_of_left_out(*answer, best_with_grade_c(arguments.file)).c_str());
  return 0;
}

int print_changes(const Arguments& arguments, Reader& reader, const Shown& one) {
  const auto other = show(reader, arguments.other_result);
  if (!other) return report_error(other.error().message);
  const RowSet changes = provenance_changes(one, *other);
  if (arguments.json) {
    std::printf("%s\n", to_json(changes).c_str());
  } else if (changes.rows.empty()) {
    std::printf("same point, process settings, software, inputs and host\n");
  } else {
    TableStyle style;
    style.cell_max = arguments.verbose ? static_cast<std::size_t>(-1) : 48;
    std::printf("%s", text_table(changes, style).c_str());
  }
  return 0;
}

int print_shown(const Arguments& arguments, Reader& reader) {
  auto shown = show(reader, arguments.which);
  if (!shown) return report_error(shown.error().message);
  if (!arguments.other_result.empty()) return print_changes(arguments, reader, *shown);
  const auto roofs = roofs_for(reader, arguments.roofs_file);
  if (!roofs) return report_error(roofs.error().message);
  add_share(*shown, reader, *roofs, arguments.json ? Detail::numbers : Detail::line);
  if (arguments.json) {
    std::printf("%s\n", to_json(*shown).c_str());
    return 0;
  }
  const std::string more = "kernsweep show " + arguments.file + " " + arguments.which + " -v";
  std::printf("%s", summary_of(*shown, arguments.verbose ? "" : more).c_str());
  if (arguments.verbose) std::printf("\n%s", text_of(*shown).c_str());
  return 0;
}

// A column that some view has: it was written without its quotes, or asked of another view.
std::string there_it_is(const std::string& name, const std::string& view) {
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
      std::string::npos;
  if (!plain) return "; write it in double quotes: \"" + name + "\", from \"" + view + "\"";
  return "; it is a column of \"" + view + "\"";
}

// Axes are columns of the sweep's view, and of no other: a name that is wrong may be near another's.
std::string with_known_columns(const std::string& complaint, Reader& reader) {
  constexpr std::string_view kNoColumn = "no such column: ";
  const auto at = complaint.find(kNoColumn);
  if (at == std::string::npos) return complaint;
  // The newest sweep's view first.
  const auto rows = reader.query(
      "select p.name, m.name from sqlite_master m, pragma_table_info(m.name) p where m.type = 'view' "
      "order by m.rowid desc");
  if (!rows) return complaint;
  const std::string word = complaint.substr(at + kNoColumn.size());
  std::vector<std::string> names;
  for (const auto& row : rows->rows) {
    if (row[0].to_text() == word) return complaint + there_it_is(word, row[1].to_text());
    names.push_back(row[0].to_text());
  }
  const auto near = nearest(word, names);
  return complaint + (near ? "; did you mean '" + *near + "'?"
                           : "; `select * from results limit 1` shows those of the results");
}

int print_sql(const Arguments& arguments, Reader& reader) {
  if (arguments.csv && arguments.json) return report_error("sql answers as --csv or --json, not both");
  if (arguments.csv) {
    const Status done = export_query(reader, arguments.statement, ExportFormat::csv, to_stdout);
    return done ? 0 : failed(done.error());
  }
  const auto rows = reader.query(arguments.statement);
  if (!rows) return report_error(with_known_columns(rows.error().message, reader));
  std::printf("%s", arguments.json ? (to_json(*rows) + "\n").c_str() : text_table(*rows).c_str());
  return 0;
}

int print_export(const Arguments& arguments, Reader& reader) {
  if (arguments.csv && arguments.jsonl) return report_error("export is --csv or --jsonl, not both");
  ExportQuestion question{arguments.sweep, arguments.all,
                          arguments.jsonl ? ExportFormat::jsonl : ExportFormat::csv};
  const Status done = export_rows(reader, question, to_stdout);
  return done ? 0 : failed(done.error());
}

}  // namespace

int query_command(const Arguments& arguments) {
  auto reader = Reader::open(arguments.file);
  if (!reader) return report_error(reader.error().message);
  if (arguments.command == Command::best) return print_best(arguments, *reader);
  if (arguments.command == Command::show) return print_shown(arguments, *reader);
  if (arguments.command == Command::sql) return print_sql(arguments, *reader);
  return print_export(arguments, *reader);
}

}  // namespace kernsweep
