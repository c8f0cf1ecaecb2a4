// CLI11 is seen here only.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/arguments.hpp"
#include "shared/installation.hpp"
#include "shared/suggest.hpp"

namespace kernsweep {
namespace {

#define KS_EXITS                                                                                    \
  "Exit status: 0 every job has an accepted result, 1 finished but some have none, 2 bad input or " \
  "usage,\n3 stopped and resumable."
constexpr const char* kFooter = KS_EXITS;
constexpr const char* kFirstSteps = KS_EXITS "\nFirst steps: kernsweep run sweeps/first_look.yaml";
#undef KS_EXITS
constexpr const char* kAnswerFooter = "Exit status: 0 answered, 2 bad input or usage.";
constexpr const char* kBestFooter =
    "Jobs that failed are left out and, unless --grade C is given, those graded C; the last lines say how "
    "many.\nExit status: 0 answered, 2 bad input or usage.";
constexpr const char* kExportFooter =
    "All rows are written, whatever their status and grade: look at those columns before you use a "
    "number.\n"
    "Exit status: 0 answered, 2 bad input or usage.";
constexpr const char* kWorkerFooter =
    "Exit status: 0 the coordinator is done or the worker was stopped, 1 refused or nobody answered,\n"
    "2 this host cannot work, or bad usage.";

constexpr const char* kDoctorFooter =
    "-v tells of good findings too why they matter; docs/doctor.md explains each check.\n"
    "Exit status: 0 nothing is bad, 1 something is, 2 bad usage.";

constexpr const char* kCompareFooter =
    "A and B: FILE.db, SWEEP, tag:KEY=VALUE, commit:PREFIX, host:NAME, AXIS=VALUE (both of one axis), or\n"
    "FILE.db: and one of these; docs/comparing.md has the rules.\n"
    "Exit status: 0 same or faster, 1 B is slower somewhere, 2 ambiguous (or bad usage: then stderr says\n"
    "what is wrong), 3 not comparable. With --aa: 0, or 1 when more halves are called different than "
    "chance\n"
    "may do (1 %), 3 no point has enough processes.";

constexpr const char* kReplayFooter =
    "docs/again.md has the rules.\n"
    "Exit status: 0 same or faster, 1 slower, 2 ambiguous (or bad usage: then stderr says what is wrong),\n"
    "3 not comparable: something is missing here, or it has no time.";

constexpr const char* kReproFooter =
    "docs/again.md has the rules.\n"
    "Exit status: 0 printed, 2 bad input or usage; nothing is measured.";

constexpr const char* kRoofsFooter =
    "Exit status: 0 measured or shown, 1 a peak or the bandwidth of the memory is missing, 2 bad input or "
    "usage,\n3 stopped and resumable.";

constexpr const char* kClaimsFooter =
    "docs/claims.md has the rules.\n"
    "Exit status: 0 all are confirmed, 1 one is refuted, 2 none is refuted but one is undecided (or bad\n"
    "usage: then stderr says what is wrong).";

// What is missing when a positional argument is; empty: CLI11's own words will do.
std::string how_to_give(const std::string& argument) {
  if (argument == "file") return "give a sweep file, such as sweeps/first_look.yaml";
  if (argument == "database") return "give a results database, such as first-look.db";
  if (argument == "result") return "give the number of a result, from the column `result`, or SWEEP/JOB";
  if (argument == "sides") return "give what to compare, such as gemm.db variant=blas variant=onednn";
  if (argument == "statement") return "give a statement, such as \"select * from results\"";
  return "";
}

class CommandLine {
 public:
  explicit CommandLine(Arguments& out) : out_(out) {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "kernsweep " + version_text());
    app_.footer(kFooter);
    app_.add_flag("-v,--verbose", out_.verbose, "Tell more about what happens, on stderr");
    add_running();
    add_sweep_files();
    add_queries();
    add_compare();
    add_roofs();
    app_.footer(kFirstSteps);  // commands have taken over the other one
  }

  int parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
      return -1;
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app_.exit(error);  // help and version
      std::fprintf(stderr, "%s\n", complaint(error, argc, argv).c_str());
      return kExitBadInput;
    }
  }

 private:
  std::string complaint(const CLI::ParseError& error, int argc, char** argv) const {
    const auto chosen = app_.get_subcommands();
    if (chosen.empty()) return no_command(error, argc, argv);
    const std::string whose = "kernsweep " + chosen.front()->get_name();
    const std::string why = error.what();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
      const std::string hint = how_to_give(why.substr(0, why.find(' ')));
      if (!hint.empty()) return whose + ": " + hint;
    }
    return "kernsweep: " + why + "; see " + whose + " --help";
  }

  // CLI11 only misses a command where there is a word that is none.
  std::string no_command(const CLI::ParseError& error, int argc, char** argv) const {
    std::vector<std::string> names;
    for (const CLI::App* each : app_.get_subcommands({})) names.push_back(each->get_name());
    for (int i = 1; i < argc; ++i) {
      if (argv[i][0] == '-') continue;
      const std::string near = did_you_mean(argv[i], names);
      return "kernsweep: there is no command '" + std::string(argv[i]) + "'" + near +
             (near.ends_with('?') ? "" : ";") + " see kernsweep --help";
    }
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
      return "kernsweep: give a command, such as run; see kernsweep --help";
    return "kernsweep: " + std::string(error.what()) + "; see kernsweep --help";
  }

  CLI::App* command(Command which, const std::string& name, const std::string& what) {
    CLI::App* const added = app_.add_subcommand(name, what);
    added->callback([this, which] { out_.command = which; });
    added->fallthrough();
    return added;
  }

  void add_file(CLI::App* to) {
    to->add_option("file", out_.file, "Sweep file (YAML or JSON)")->required();
  }
  void add_json(CLI::App* to) { to->add_flag("--json", out_.json, "Answer as JSON on stdout"); }

  void add_replacements(CLI::App* to) {
    to->add_option("-a,--axis", out_.replacements.axes,
                   "Replace an axis: -a 'threads[pow2]=[0:3]', -a 'dtype=[f32]', or add one: -a '+n=[1,2]'")
        ->take_all()
        ->allow_extra_args(false);
    to->add_option("--set", out_.replacements.settings, "Replace a setting: --set measure.processes=5")
        ->take_all()
        ->allow_extra_args(false);
    to->add_option("--only", out_.replacements.only, "Keep the points for which the expression holds");
    to->add_option("--sample", out_.replacements.sample, "Keep a seeded share of the points: --sample 10%");
    to->add_flag("--quick", out_.replacements.quick,
                 "A first look: one process, few samples; results are marked");
  }

  void add_output(CLI::App* to) {
    to->add_option("--db", out_.database,
                   "Results database (default: <name of the sweep>.db in this folder)");
    to->add_flag("--again", out_.again, "Measure anew what has been measured");
    to->add_flag("-q,--quiet", out_.quiet, "No progress, only the result");
    add_json(to);
  }

  void add_running() {
    CLI::App* const run = command(Command::run, "run", "Run a sweep on this machine");
    add_file(run);
    add_replacements(run);
    add_output(run);

    CLI::App* const coordinator =
        command(Command::coordinator, "coordinator", "Run a sweep on the workers that connect");
    add_file(coordinator);
    add_replacements(coordinator);
    add_output(coordinator);
    coordinator
        ->add_option("--listen", out_.listen,
                     "Address for workers, such as tcp://127.0.0.1:7777 (port *: any)")
        ->required();
    coordinator->add_flag("--stay", out_.stay, "Do not end when every job has its outcome");
    coordinator->add_option("--insecure", out_.insecure,
                            "Listen beyond this machine without encryption: --insecure=yes-on-a-network");

    CLI::App* const worker = command(Command::worker, "worker", "Measure for a coordinator");
    worker
        ->add_option("--connect", out_.connect, "Address of the coordinator, such as tcp://127.0.0.1:7777")
        ->required();
    worker->add_option("--cores", out_.cores, "Cores to offer (default: all that this process may use)");
    worker->add_option("--wait", out_.wait_s,
                       "Give up when no coordinator answers for so many seconds (default: wait for ever)");
    worker->add_flag("--local", out_.local)->group("");
    worker->footer(kWorkerFooter);

    CLI::App* const resume = command(Command::resume, "resume", "Go on with a sweep that was stopped");
    resume->add_option("database", out_.file, "Results database")->required();
    resume->add_option("--sweep", out_.sweep, "Name or number of the sweep (default: the newest)");
    resume->add_flag("-q,--quiet", out_.quiet, "No progress, only the result");
    add_json(resume);
  }

  void add_sweep_files() {
    CLI::App* const check =
        command(Command::check, "check", "Explain a sweep file: axes, counts, rejected points, time");
    add_file(check);
    add_replacements(check);
    add_json(check);
    check->footer(kAnswerFooter);

    CLI::App* const expand = command(Command::expand, "expand", "Show each point of a sweep file");
    add_file(expand);
    add_replacements(expand);
    expand->add_flag("--list", out_.list, "Only the points that will be measured (default)");
    expand->add_flag("--explain", out_.explain, "Rejected points too, with the rule that rejected each");
    add_json(expand);
    expand->footer(kAnswerFooter);

    command(Command::schema, "schema", "Print the JSON Schema of sweep files, for editors")
        ->footer(kAnswerFooter);

    CLI::App* const kernels = command(Command::kernels, "kernels",
                                      "List kernels, variants and parameters, and what cannot run here");
    kernels->add_option("family", out_.which, "Only this family");
    add_json(kernels);
    kernels->footer(kAnswerFooter);

    CLI::App* const doctor = command(Command::doctor, "doctor",
                                     "Look whether this machine is fit to be measured on; changes nothing");
    add_json(doctor);
    doctor->footer(kDoctorFooter);
  }

  void add_database(CLI::App* to) { to->add_option("database", out_.file, "Results database")->required(); }
  void add_sweep(CLI::App* to) {
    to->add_option("--sweep", out_.sweep, "Name or number of the sweep (default: the newest)");
  }

  void add_queries() {
    CLI::App* const best = command(Command::best, "best", "The best variant and setting for each problem");
    add_database(best);
    add_sweep(best);
    best->add_option("--by", out_.by, "Columns that make up a problem (default: all but settings)")
        ->delimiter(',');
    best->add_option("--metric", out_.metric,
                     "median_s (default), gflops, min_s, max_s, or of single calls p90_s, p99_s, p999_s");
    best->add_option("--grade", out_.grade, "Worst grade to use: A, B or C (default: B)");
    add_json(best);
    best->footer(kBestFooter);

    CLI::App* const show = command(Command::show, "show", "Everything about one result");
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

    CLI::App* const exported =
        command(Command::export_rows, "export", "Write all rows of a sweep to stdout");
    add_database(exported);
    add_sweep(exported);
    exported->add_flag("--all", out_.all, "The rows of all sweeps");
    exported->add_flag("--csv", out_.csv, "As CSV (default)");
    exported->add_flag("--jsonl", out_.jsonl, "One JSON object per line");
    exported->footer(kExportFooter);
  }

  void add_compare() {
    CLI::App* const compare =
        command(Command::compare, "compare", "Hold two sets of results against each other");
    compare->add_option("sides", out_.sides, "[DATABASE] A B; with --aa only what to test")
        ->required()
        ->expected(1, 3);
    compare->add_option("--db", out_.database, "Results database of sides that name none");
    add_sweep(compare);
    compare->add_option("--where", out_.where,
                        "SQL condition over the columns of the sweep's view: --where 'm > 64'");
    compare->add_option("--threshold", out_.threshold,
                        "Differences below are of no interest (default: 1%)");
    compare->add_flag("--all-grades", out_.all_grades, "Use rows graded C too (default: A and B)");
    compare->add_flag("--other-inputs", out_.other_inputs, "Compare times although the inputs differ");
    compare->add_flag("--aa", out_.against_itself,
                      "Split the processes of each point in halves: how often are these called different?");
    compare->add_option("--rounds", out_.rounds, "How often --aa splits each point (default: chosen)")
        ->check(CLI::Range(1, 100'000));
    compare->add_option("--seed", out_.seed, "Of intervals and splits (default: 1)");
    add_json(compare);
    compare->footer(kCompareFooter);

    CLI::App* const replay = command(Command::replay, "replay",
                                     "Measure one stored result again here, and hold it against itself");
    add_database(replay);
    replay->add_option("result", out_.which, "Number of a result, or SWEEP/JOB")->required();
    replay->add_option("--db", out_.database,
                       "Database for the new measurements (default: <name>-replay.db in this folder)");
    replay
        ->add_option("--processes", out_.processes,
                     "In how many processes to measure (default: as many as the sweep had)")
        ->check(CLI::Range(1, 1000));
    replay->add_flag("--any-host", out_.any_host, "Measure here although it was measured on another host");
    replay->add_option("--threshold", out_.threshold, "Differences below are of no interest (default: 1%)");
    replay->add_flag("-q,--quiet", out_.quiet, "No progress, only the result");
    add_json(replay);
    replay->footer(kReplayFooter);

    CLI::App* const repro =
        command(Command::repro, "repro", "Print the shell line that measures one stored result by hand");
    add_database(repro);
    repro->add_option("result", out_.which, "Number of a result, or SWEEP/JOB")->required();
    add_json(repro);
    repro->footer(kReproFooter);

    CLI::App* const bits = command(Command::bits, "bits", "Which axis changes the bits of the output");
    add_database(bits);
    add_sweep(bits);
    bits->add_flag("--all-grades", out_.all_grades, "Use rows graded C too (default: A and B)");
    add_json(bits);
    bits->footer(kAnswerFooter);

    CLI::App* const claims =
        command(Command::claims, "claims", "Judge what a sweep file claims by what was measured");
    add_database(claims);
    add_sweep(claims);
    claims->add_flag("--all-grades", out_.all_grades, "Use rows graded C too (default: A and B)");
    add_json(claims);
    claims->footer(kClaimsFooter);
  }

  void add_roofs() {
    CLI::App* const roofs = command(Command::roofs, "roofs",
                                    "Measure what this host can do at best, and hold results against it");
    roofs->add_option("--db", out_.database, "Results database (default: roofs.db in this folder)");
    roofs->add_option("--threads", out_.thread_list,
                      "Numbers of threads: --threads 1,8 (default: powers of two and all cores)");
    roofs->add_flag("--quick", out_.replacements.quick, "A first look: one process, few samples");
    roofs->add_flag("--again", out_.again, "Measure anew what has been measured");
    roofs->add_flag("--print-sweep", out_.print_sweep, "Print the sweep instead, for other hosts to run");
    roofs->add_option("--of", out_.of_sweep,
                      "Measure nothing: the share of the roof that each best point of this sweep has");
    roofs->add_option("--roofs", out_.roofs_file, "Database with the roofs, for --of (default: the same)");
    roofs->add_option("--dtype", out_.dtype, "Data type of a sweep without such a column, for --of");
    roofs->add_flag("--all-grades", out_.all_grades, "Use rows graded C too, for --of (default: A and B)");
    roofs->add_flag("-q,--quiet", out_.quiet, "No progress, only the result");
    add_json(roofs);
    roofs->footer(kRoofsFooter);
  }

  Arguments& out_;
  CLI::App app_{"Sweeps over compute kernels, with numbers that can be trusted.", "kernsweep"};
};

}  // namespace

int read_arguments(int argc, char** argv, Arguments& out) {
  return CommandLine(out).parse(argc, argv);
}

}  // namespace kernsweep
