// The command line: questions to a database.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
namespace {

constexpr const char* kBestFooter =
    "Jobs that failed are left out and, unless --grade C is given, those graded C; the last lines say how "
    "many.\nExit status: 0 answered, 2 bad input or usage.";

constexpr const char* kExportFooter =
    "All rows are written, whatever their status and grade: look at those columns before you use a "
    "number.\n"
    "Exit status: 0 answered, 2 bad input or usage.";

}  // namespace

void CommandLine::add_queries() {
  CLI::App* const best = command(Command::best, "best", "The best variant and setting for each problem");
  add_database(best);
  add_sweep(best);
  best->add_option("--by", out_.by, "Columns that make up a problem (default: all but settings)")
      ->delimiter(',');
  best->add_option("--metric", out_.metric,
                   "median_s (default), gflops, gbps, min_s, max_s, of single calls p90_s, p99_s, p999_s, "
                   "energy_j, cpu_s, peak_memory_bytes, or a name of the table metric");
  best->add_option("--better", out_.better,
                   "Which numbers of a name of the table metric are the better ones: larger or smaller "
                   "(default: as was declared, or as its unit says)")
      ->check(CLI::IsMember({"larger", "smaller"}));
  best->add_option("--grade", out_.grade, "Worst grade to use: A, B or C (default: B)");
  add_json(best);
  best->footer(kBestFooter);

  CLI::App* const show = command(Command::show, "show", "One result: what matters; with -v everything");
  add_database(show);
  show->add_option("result", out_.which, "Number of a result, or SWEEP/JOB")->required();
  show->add_option("--diff", out_.other_result,
                   "Another result: tell in what hosts, software, inputs and settings differ");
  show->add_option("--roofs", out_.roofs_file, "Database with the roofs of its host (default: the same)");
  add_json(show);
  show->footer(kAnswerFooter);

  CLI::App* const sql = command(Command::sql, "sql", "Ask the database in SQL (read only)");
  add_database(sql);
  sql->add_option("statement", out_.statement, "One select statement")->required();
  sql->add_flag("--csv", out_.csv, "Answer as CSV");
  add_json(sql);
  sql->footer(kAnswerFooter);

  CLI::App* const exported = command(Command::export_rows, "export", "Write all rows of a sweep to stdout");
  add_database(exported);
  add_sweep(exported);
  exported->add_flag("--all", out_.all, "The rows of all sweeps");
  exported->add_flag("--csv", out_.csv, "As CSV (default)");
  exported->add_flag("--jsonl", out_.jsonl, "One JSON object per line");
  exported->footer(kExportFooter);
}

}  // namespace kernsweep
