// roofs: measures what this host can do at best, and holds results against it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/commands/local_run.hpp"
#include "cli/commands/roofs_sweep.hpp"
#include "cli/grammar/arguments.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "results/read/reader.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/json.hpp"
#include "results/roofs/roof_rows.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/utf8.hpp"
#include "worker/gpus.hpp"
#include "worker/host/fingerprint.hpp"

namespace kernsweep {
namespace {

// The sizes and shares as people read them; JSON keeps the plain ones.
RowSet for_people(RowSet rows) {
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const bool share = rows.columns[c] == "share", bytes = rows.columns[c] == "bytes";
    if (!share && !bytes) continue;
    for (auto& row : rows.rows) {
      const auto number = row[c].number();
      if (!number) continue;
      row[c] = share ? fmt::format("{:.1f} %", *number * 100) : text_of_bytes(*number);
    }
  }
  return rows;
}

void print_roofs(const std::vector<HostRoofs>& all) {
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end].fingerprint == all[i].fingerprint) ++end;
    const std::vector<HostRoofs> of_host(all.begin() + static_cast<std::ptrdiff_t>(i),
                                         all.begin() + static_cast<std::ptrdiff_t>(end));
    RowSet rows = for_people(rows_of(of_host));
    rows.columns.erase(rows.columns.begin());  // the host is the heading
    for (auto& row : rows.rows) row.erase(row.begin());
    TableStyle style;
    style.drop_empty_columns = true;
    std::printf("%s%s, %s\n%s", i == 0 ? "" : "\n", for_terminal(all[i].host).c_str(),
                for_terminal(all[i].cpu).c_str(), text_table(rows, style).c_str());
    i = end;
  }
}

bool any_doubtful(const std::vector<HostRoofs>& all) {
  return std::ranges::any_of(all, [](const HostRoofs& each) {
    const auto doubtful = [](const MemoryLevel& level) { return level.limit.grade == 'C'; };
    return std::ranges::any_of(each.roofs.levels, doubtful) ||
           std::ranges::any_of(each.roofs.peaks, [](const auto& peak) { return peak.second.grade == 'C'; });
  });
}

// What is measured here: for each number of threads, asked for or all; or of a GPU.
struct Wanted {
  Topology topology;
  std::vector<std::uint32_t> threads;
  std::string gpu;  // its card; empty: the processor
};

// As databases tell hosts apart.
std::string fingerprint_of(const Topology& topology) {
  return identify_host(topology, static_cast<std::uint32_t>(topology.cores.size())).fingerprint.hex();
}

// Whether there is something of this host to hold results against.
bool complete(const std::vector<HostRoofs>& all, const Wanted& wanted) {
  const std::string here = fingerprint_of(wanted.topology);
  const std::vector<std::uint32_t> of_gpu = {1};
  return std::ranges::all_of(wanted.gpu.empty() ? wanted.threads : of_gpu, [&](std::uint32_t count) {
    return std::ranges::any_of(all, [&](const HostRoofs& each) {
      const auto memory = [](const MemoryLevel& level) { return level.name == kMemory; };
      return each.fingerprint == here && each.gpu == wanted.gpu && each.threads == count &&
             !each.roofs.peaks.empty() && std::ranges::any_of(each.roofs.levels, memory);
    });
  });
}

Result<Wanted> wanted_roofs(const Arguments& arguments) {
  auto topology = read_topology();
  if (!topology) return tl::unexpected(topology.error());
  auto threads = arguments.thread_list.empty()
                     ? Result<std::vector<std::uint32_t>>(thread_counts(*topology))
                     : thread_counts(arguments.thread_list, *topology);
  if (!threads) return tl::unexpected(threads.error());
  return Wanted{std::move(*topology), std::move(*threads), ""};
}

// The card that a worker with `--gpus 1` measures; empty where there is none.
std::string first_gpu() {
  auto asked = ask_for_gpus();
  const wire::Gpus gpus = gpus_of(asked);
  return gpus.gpus_size() > 0 ? gpus.gpus(0).name() : "";
}

std::string sweep_of(const Arguments& arguments, const Wanted& wanted) {
  return arguments.gpu_roofs ? gpu_roofs_sweep() : roofs_sweep(wanted.topology, wanted.threads);
}

Result<SweepSummary> measure_here(const Arguments& arguments, const Wanted& wanted) {
  const auto expansion = Expansion::parse(sweep_of(arguments, wanted), "", arguments.replacements);
  if (!expansion) return tl::unexpected(expansion.error());
  std::vector<std::string> options = logging_options(arguments);
  // Of one card all that it can do, not of each a part.
  if (arguments.gpu_roofs) options.insert(options.end(), {"--gpus", "1"});
  const LocalRun here{arguments.database, arguments.replacements, arguments.again, std::move(options),
                      arguments.quiet || arguments.json};
  return run_here(here, *expansion);
}

// `resume` would measure on any GPU, and tell no roofs.
bool stopped(const SweepSummary& summary, const Arguments& arguments) {
  if (is_whole(summary.ending)) return false;
  std::fprintf(stderr, "Stopped before the end. To go on: %s\n", command_to_go_on(arguments.words).c_str());
  return true;
}

// With JSON on stdout, what failed goes to stderr.
void print_measured(const Arguments& arguments, const std::vector<HostRoofs>& roofs,
                    const SweepSummary& summary, const std::string& failures) {
  if (arguments.json) {
    std::printf("%s\n", to_json(rows_of(roofs)).c_str());
    if (!failures.empty()) std::fprintf(stderr, "Jobs without a result:\n%s", failures.c_str());
    return;
  }
  print_roofs(roofs);
  if (any_doubtful(roofs))
    std::printf(
        "\nGrade C: measured beside other work, so the real roof may be higher. A better measurement "
        "counts: --again.\n");
  if (!failures.empty())
    std::printf("%sJobs without a result:\n%s", roofs.empty() ? "" : "\n", failures.c_str());
  const auto& tally = summary.tally;
  std::printf("\n%s %s in %s%s; results: %s\n", text_of_count(tally.ok).c_str(),
              tally.ok == 1 ? "job measured" : "jobs measured", text_of_wait(summary.seconds).c_str(),
              tally.failed == 0 ? "" : (", " + text_of_count(tally.failed) + " without a result").c_str(),
              arguments.database.c_str());
}

int measure_roofs(const Arguments& arguments) {
  auto wanted = wanted_roofs(arguments);
  if (!wanted) return report_error(wanted.error().message);
  if (arguments.print_sweep) return print_answer(sweep_of(arguments, *wanted));
  if (arguments.gpu_roofs) wanted->gpu = first_gpu();
  if (arguments.gpu_roofs && wanted->gpu.empty())
    return report_error("this host has no GPU that can be measured; kernsweep doctor says what is missing");
  const auto summary = measure_here(arguments, *wanted);
  if (!summary) return report_error(summary.error().message);
  if (stopped(*summary, arguments)) return kExitResumable;
  auto reader = Reader::open(arguments.database);
  if (!reader) return report_error(reader.error().message);
  const auto roofs = read_roofs(*reader);
  if (!roofs) return report_error(roofs.error().message);
  const auto failures = text_of_failures(*reader, summary->sweep);
  if (!failures) return report_error(failures.error().message);
  print_measured(arguments, *roofs, *summary, *failures);
  return complete(*roofs, *wanted) ? kExitAllAccepted : kExitSomeWithout;
}

// Whether this host measured something that the database holds.
bool measured_here(Reader& reader, const Topology& topology) {
  const auto rows =
      reader.query("select 1 from host where lower(hex(fingerprint)) = '" + fingerprint_of(topology) + "'");
  return rows && !rows->rows.empty();
}

int show_shares(const Arguments& arguments) {
  auto reader = Reader::open(arguments.database);
  if (!reader) return report_error(reader.error().message);
  auto roofs = roofs_for(*reader, arguments.roofs_file);
  if (!roofs) return report_error(roofs.error().message);
  const auto wanted = wanted_roofs(arguments);
  if (!wanted) return report_error(wanted.error().message);
  if (roofs->empty() && arguments.roofs_file.empty() && measured_here(*reader, wanted->topology)) {
    const auto sweep = reader->find_sweep(arguments.of_sweep);
    if (!sweep) return report_error(sweep.error().message);
    if (!arguments.quiet)
      std::fprintf(stderr, "%s holds no roofs; measuring those of this host into it first\n",
                   arguments.database.c_str());
    const auto summary = measure_here(arguments, *wanted);
    if (!summary) return report_error(summary.error().message);
    if (stopped(*summary, arguments)) return kExitResumable;
    roofs = roofs_for(*reader, arguments.roofs_file);
    if (!roofs) return report_error(roofs.error().message);
  }
  const auto shares = shares_of_sweep(*reader, arguments.of_sweep, *roofs, arguments.dtype,
                                      arguments.all_grades ? 'C' : 'B');
  if (!shares) return report_error(shares.error().message);
  if (arguments.json) {
    std::printf("%s\n", to_json(*shares).c_str());
    return 0;
  }
  if (shares->rows.rows.empty()) std::printf("no result to hold against roofs\n");
  TableStyle style;
  style.drop_empty_columns = true;
  style.cell_max = 160;
  if (!shares->rows.rows.empty()) std::printf("%s", text_table(for_people(shares->rows), style).c_str());
  std::printf("%s", text_of_left_out(*shares, "--all-grades").c_str());
  return 0;
}

}  // namespace

int roofs_command(const Arguments& asked) {
  Arguments arguments = asked;
  // The usual --quick may sample for a second where the machine is busy; there are many points here.
  if (arguments.replacements.quick) {
    auto& settings = arguments.replacements.settings;
    settings.insert(settings.begin(), {"measure.warmup.max_time=50ms", "measure.samples.min_time=30ms",
                                       "measure.samples.max_time=60ms"});
  }
  if (arguments.database.empty()) arguments.database = "roofs.db";
  const bool measures = arguments.of_sweep.empty();
  if (measures && !(arguments.roofs_file.empty() && arguments.dtype.empty() && !arguments.all_grades))
    return report_error(
        "--roofs, --dtype and --all-grades go with --of SWEEP, which holds results against roofs");
  if (arguments.gpu_roofs && !(measures && arguments.thread_list.empty()))
    return report_error("--gpu measures the roofs of a GPU: it goes without --of and --threads");
  return measures ? measure_roofs(arguments) : show_shares(arguments);
}

}  // namespace kernsweep
