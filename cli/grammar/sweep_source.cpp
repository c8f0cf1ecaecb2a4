#include "cli/grammar/sweep_source.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "cli/grammar/recurring_options.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/launch/found_rows.hpp"
#include "cli/show/whole_file.hpp"
#include "language/file/command_template.hpp"
#include "language/file/metrics.hpp"
#include "language/file/text_file.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {
namespace {

// The first option that only a sweep of commands takes; empty: none is given.
std::string option_of_commands(const SweepSource& source) {
  const TypedSweep& typed = source.typed;
  if (!typed.names.empty()) return "--name";
  if (!typed.build.empty()) return "--build";
  if (!typed.setup.empty()) return "--setup";
  if (!typed.cleanup.empty()) return "--cleanup";
  if (!typed.metrics.empty()) return "--metrics";
  if (!typed.problem.empty()) return "--problem";
  if (typed.threads > 0) return "--threads";
  return source.save.empty() ? "" : "--save";
}

Status save_sweep(const SweepSource& source, const std::string& text) {
  const auto there = read_text_file(source.save, kSweepBytesMax);
  if (there && *there != text && !there->empty())
    return failure(
        fmt::format("--save {0}: the file is there already, with other content; remove it or give "
                    "another name",
                    source.save));
  KS_RETURN_IF_ERROR(write_whole_file(source.save, text));
  std::string words;
  for (const std::string& word : words_of(source.replacements)) words += " " + quoted_word(word);
  std::fprintf(stderr, "%s\n",
               fmt::format("{0} is the sweep of this command line; kernsweep run {0}{1} measures the same",
                           quoted_word(source.save), words)
                   .c_str());
  return Done{};
}

void add_rows(FoundRows found, Replacements& to) {
  to.axes.push_back(std::move(found.axis));
  if (found.only.empty()) return;
  to.only = to.only.empty() ? found.only : "(" + to.only + ") and " + found.only;
}

Result<Expansion> read_file(SweepSource& source) {
  if (const auto key = missing_rows_axis(source.file, source.replacements)) {
    Replacements trial = source.replacements;
    trial.axes.push_back("+" + *key + "=['" + kUnknownRow + "']");
    KS_ASSIGN_OR_RETURN(const auto sweep, Expansion::read(source.file, trial));
    KS_ASSIGN_OR_RETURN(auto found, found_rows(sweep, *key));
    found.axis.insert(0, "+");
    add_rows(std::move(found), source.replacements);
  }
  return Expansion::read(source.file, source.replacements);
}

}  // namespace

void add_sweep_source(Options& to, SweepSource& into) {
  to.option("file", into.file, "Sweep file (YAML or JSON); or commands, by -c");
  to.option(
      "-c,--command", into.typed.commands,
      "Measure this command in place of a sweep file: -c 'gzip -{level} data' -a 'level=[1,9]'; given "
      "several times, the commands compete");
  to.option("--name", into.typed.names, "Name of a command (-c), in their order (default: its text)");
  to.option("--build", into.typed.build,
            "Command that makes the file {build} of a -c, once for each combination of its values: --build "
            "'cc -O{o} -o {out} kernel.c' -a 'o=[2,3]'");
  to.option("--setup", into.typed.setup, "Command before the first run of each process of a -c, not timed");
  to.option("--cleanup", into.typed.cleanup, "Likewise after its last run");
  to.option("--metrics", into.typed.metrics,
            "Take the numbers that a -c prints: a preset such as google-benchmark, or {values: {seconds: "
            "{regex: '...'}}}, as in a sweep file");
  to.option(
      "--problem", into.typed.problem,
      "Axes of a -c that say what is asked, so that points differing in them do not compete: --problem "
      "file");
  to.option("--threads", into.typed.threads, "Cores that a process of a -c may use (default: all)")
      .range(std::int64_t{1}, std::int64_t{1'000'000});
  to.option("--save", into.save, "Also write the sweep file that these commands stand for");
  add_replacements(to, into.replacements);
}

Result<Expansion> read_sweep(SweepSource& source) {
  const bool typed = !source.typed.commands.empty();
  if (typed && !source.file.empty()) {
    return failure(fmt::format("a sweep file ('{}') and a command (-c '{}') are given; remove one",
                               source.file, source.typed.commands.front()));
  }
  if (!typed && source.file.empty())
    return failure("nothing to measure; give a sweep file, or a command: -c 'PROGRAM ARGUMENT ...'");
  if (!typed) {
    const std::string option = option_of_commands(source);
    if (!option.empty())
      return failure(option +
                     " belongs to commands (-c); in a sweep file it is a key, see kernsweep schema");
    return read_file(source);
  }
  KS_ASSIGN_OR_RETURN(const auto topology, read_topology());
  if (const std::size_t cores = topology.cores.size(); source.typed.threads > cores) {
    return failure(fmt::format("--threads {}: Kernsweep may use {} of this host", source.typed.threads,
                               counted(cores, "core", "cores")));
  }
  KS_ASSIGN_OR_RETURN(auto written,
                      written_sweep(source.typed, source.replacements, topology.cores.size()));
  if (const auto key = missing_rows_axis(written.root)) {
    Replacements trial = source.replacements;
    trial.axes.push_back(*key + "=['" + kUnknownRow + "']");
    KS_ASSIGN_OR_RETURN(auto tried, written_sweep(source.typed, trial, topology.cores.size()));
    KS_ASSIGN_OR_RETURN(const auto sweep,
                        Expansion::of_tree(std::move(tried.root), tried.text, tried.left));
    KS_ASSIGN_OR_RETURN(auto found, found_rows(sweep, *key));
    add_rows(std::move(found), source.replacements);
    KS_ASSIGN_OR_RETURN(written, written_sweep(source.typed, source.replacements, topology.cores.size()));
  }
  source.replacements = std::move(written.left);
  KS_ASSIGN_OR_RETURN(auto expansion,
                      Expansion::of_tree(std::move(written.root), written.text, source.replacements));
  if (!source.save.empty()) KS_RETURN_IF_ERROR(save_sweep(source, written.text));
  return expansion;
}

}  // namespace kernsweep
