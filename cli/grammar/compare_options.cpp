// The command line: comparing, measuring again, judging.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
namespace {

constexpr const char* kCompareFooter =
    "A and B: FILE.db, SWEEP, tag:KEY=VALUE, commit:PREFIX, host:NAME, AXIS=VALUE (both of one axis), or\n"
    "FILE.db: and one of these; docs/guides/comparing.md has the rules.\n"
    "Exit status: 0 same or faster, 1 B is slower somewhere, 2 ambiguous (or bad usage: then stderr says\n"
    "what is wrong), 3 not comparable. With --aa: 0, or 1 when more halves are called different than "
    "chance\n"
    "may do (1 %), 3 no point has enough processes.";

constexpr const char* kReplayFooter =
    "docs/reference/replay.md has the rules.\n"
    "Exit status: 0 same or faster, 1 slower, 2 ambiguous (or bad usage: then stderr says what is wrong),\n"
    "3 not comparable: something is missing here, or it has no time that is graded A or B.";

constexpr const char* kReproFooter =
    "docs/reference/replay.md has the rules.\n"
    "Exit status: 0 printed, 2 bad input or usage; nothing is measured.";

constexpr const char* kRoofsFooter =
    "Exit status: 0 measured or shown, 1 a peak or the bandwidth of the memory is missing, 2 bad input or "
    "usage,\n3 stopped and resumable.";

constexpr const char* kClaimsFooter =
    "docs/guides/claims.md has the rules.\n"
    "Exit status: 0 all are confirmed, 1 one is refuted, 2 none is refuted but one is undecided (or bad\n"
    "usage: then stderr says what is wrong).";

}  // namespace

void CommandLine::add_compare() {
  CLI::App* const compare = command(Command::compare, "compare", "Compare two sets of results");
  compare->add_option("sides", out_.sides, "[DATABASE] A B; with --aa only what to test")
      ->required()
      ->expected(1, 3);
  compare->add_option("--db", out_.database, "Results database of sides that name none");
  add_sweep(compare);
  compare->add_option("--where", out_.where,
                      "SQL condition over the columns of the sweep's view: --where 'm > 64'");
  compare->add_option("--threshold", out_.threshold, "Differences below are of no interest (default: 1%)");
  compare->add_flag("--all-grades", out_.all_grades, "Use rows graded C too (default: A and B)");
  compare->add_flag("--other-inputs", out_.other_inputs, "Compare times although the inputs differ");
  compare->add_flag("--aa", out_.against_itself,
                    "Split the processes of each point in halves: how often are these called different?");
  compare->add_option("--rounds", out_.rounds, "How often --aa splits each point (default: chosen)")
      ->check(CLI::Range(1, 100'000));
  compare->add_option("--seed", out_.seed, "Of intervals and splits (default: 1)");
  add_json(compare);
  compare->footer(kCompareFooter);

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

void CommandLine::add_one_result() {
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
  replay->add_flag("--all-grades", out_.all_grades, "Use times graded C too (default: A and B)");
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
}

void CommandLine::add_roofs() {
  CLI::App* const roofs = command(Command::roofs, "roofs",
                                  "Measure what this host can do at best, and hold results against it");
  roofs->add_option("--db", out_.database, "Results database (default: roofs.db in this folder)");
  roofs->add_option("--threads", out_.thread_list,
                    "Numbers of threads: --threads 1,8 (default: powers of two and all cores)");
  roofs->add_flag("--gpu", out_.gpu_roofs, "Measure the first GPU of this host instead of its processor");
  add_replacements(roofs);
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

}  // namespace kernsweep
