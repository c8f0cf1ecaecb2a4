// The command `roofs`: measures the roofs of this host, and compares results with them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/commands/run/local_run.hpp"
#include "cli/commands/run/roofs_sweep.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/show/output.hpp"
#include "cli/show/picture_output.hpp"
#include "results/plot/roofline_picture.hpp"
#include "results/read/reader.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/best_table.hpp"
#include "results/report/json.hpp"
#include "results/roofs/roof_rows.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"
#include "worker/gpus.hpp"
#include "worker/host/fingerprint.hpp"

namespace kernsweep {
namespace {

// Formats sizes and shares for the user; JSON has plain numbers.
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

// Which roofs to measure: those of the processor for each number of threads, or those of a GPU.
struct Wanted {
  Topology topology;
  std::vector<std::uint32_t> threads;
  std::string gpu;  // name of the card; empty: the processor
};

// The fingerprint of this host, as databases store it.
std::string fingerprint_of(const Topology& topology) {
  return identify_host(topology, static_cast<std::uint32_t>(topology.cores.size())).fingerprint.hex();
}

// True if this host has a peak and a bandwidth of memory for everything in `wanted`.
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

class RoofsCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  Result<Wanted> wanted_roofs() const;
  std::string sweep_of(const Wanted& wanted) const;
  Result<SweepSummary> measure_here(const Invocation& given, const Wanted& wanted) const;
  void print_measured(const std::vector<HostRoofs>& roofs, const SweepSummary& summary,
                      const std::string& failures) const;
  int measure_roofs(const Invocation& given) const;
  int show_shares(const Invocation& given) const;

  std::string database_ = "roofs.db";
  std::string thread_list_, of_sweep_, roofs_file_, dtype_;
  Replacements replacements_;
  PictureOptions picture_;
  bool gpu_ = false, again_ = false, print_sweep_ = false;
  bool all_grades_ = false, quiet_ = false, json_ = false;
};

void RoofsCommand::declare(Options& to) {
  to.option("--db", database_, "Results database (default: roofs.db in this folder)");
  to.option("--threads", thread_list_,
            "Numbers of threads: --threads 1,8 (default: powers of two and all cores)");
  to.flag("--gpu", gpu_, "Measure the first GPU of this host instead of its processor");
  add_replacements(to, replacements_);
  to.flag("--again", again_, "Measure again what has been measured");
  to.flag("--print-sweep", print_sweep_, "Print the sweep instead, for other hosts to run");
  to.option("--of", of_sweep_,
            "Measure nothing: the share of the roof that each best point of this sweep has");
  to.option("--roofs", roofs_file_, "Database with the roofs, for --of (default: the same)");
  to.option("--dtype", dtype_, "Data type of a sweep without such a column, for --of");
  to.flag("--all-grades", all_grades_, "Use rows graded C too, for --of (default: A and B)");
  picture_.declare(to);
  add_quiet(to, quiet_);
  add_json(to, json_);
}

Result<Wanted> RoofsCommand::wanted_roofs() const {
  KS_ASSIGN_OR_RETURN(auto topology, read_topology());
  KS_ASSIGN_OR_RETURN(auto threads, thread_list_.empty()
                                        ? Result<std::vector<std::uint32_t>>(thread_counts(topology))
                                        : thread_counts(thread_list_, topology));
  return Wanted{std::move(topology), std::move(threads), ""};
}

// The name of the card that a worker with `--gpus 1` measures; empty if there is none.
std::string first_gpu() {
  auto child = ask_for_gpus();
  const wire::Gpus gpus = gpus_of(child);
  return gpus.gpus_size() > 0 ? gpus.gpus(0).name() : "";
}

std::string RoofsCommand::sweep_of(const Wanted& wanted) const {
  return gpu_ ? gpu_roofs_sweep() : roofs_sweep(wanted.topology, wanted.threads);
}

Result<SweepSummary> RoofsCommand::measure_here(const Invocation& given, const Wanted& wanted) const {
  KS_ASSIGN_OR_RETURN(const auto expansion, Expansion::parse(sweep_of(wanted), "", replacements_));
  std::vector<std::string> options = logging_options(given);
  // With one GPU all jobs run on the same card, so its roofs are complete.
  if (gpu_) options.insert(options.end(), {"--gpus", "1"});
  const LocalRun here{database_, replacements_, again_ ? Again::all : Again::no, std::move(options),
                      quiet_ || json_};
  return run_here(here, expansion);
}

// If the sweep was stopped, prints the command that continues it and returns true. That is `roofs` again,
// because `resume` would use any GPU, and would not print the roofs.
bool stopped(const SweepSummary& summary, const Invocation& given) {
  if (is_whole(summary.ending)) return false;
  std::fprintf(stderr, "Stopped before the end. To continue: %s\n", command_to_go_on(given.words).c_str());
  return true;
}

// Prints the roofs and failures. With JSON, which goes to stdout, the failures go to stderr.
void RoofsCommand::print_measured(const std::vector<HostRoofs>& roofs, const SweepSummary& summary,
                                  const std::string& failures) const {
  if (json_) {
    std::printf("%s\n", to_json(rows_of(roofs)).c_str());
    if (!failures.empty()) std::fprintf(stderr, "Jobs without a result:\n%s", failures.c_str());
    return;
  }
  print_roofs(roofs);
  if (any_doubtful(roofs))
    std::printf(
        "\nGrade C: measured while other work ran, so the real roof may be higher. Re-measure it with "
        "--again.\n");
  if (!failures.empty())
    std::printf("%sJobs without a result:\n%s", roofs.empty() ? "" : "\n", failures.c_str());
  const auto& tally = summary.tally;
  std::printf("\n%s in %s%s; results: %s\n", counted(tally.ok, "job measured", "jobs measured").c_str(),
              text_of_wait(summary.seconds).c_str(),
              tally.failed == 0 ? "" : (", " + text_of_count(tally.failed) + " without a result").c_str(),
              database_.c_str());
}

int RoofsCommand::measure_roofs(const Invocation& given) const {
  auto wanted = wanted_roofs();
  if (!wanted) return report_error(wanted.error().message);
  if (print_sweep_) return print_answer(sweep_of(*wanted));
  if (gpu_) wanted->gpu = first_gpu();
  if (gpu_ && wanted->gpu.empty())
    return report_error("this host has no GPU that can be measured; kernsweep doctor says what is missing");
  const auto summary = measure_here(given, *wanted);
  if (!summary) return report_error(summary.error().message);
  if (stopped(*summary, given)) return kExitResumable;
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  const auto roofs = read_roofs(*reader);
  if (!roofs) return report_error(roofs.error().message);
  const auto failures = text_of_failures(*reader, summary->sweep);
  if (!failures) return report_error(failures.error().message);
  print_measured(*roofs, *summary, *failures);
  return complete(*roofs, *wanted) ? kExitAllAccepted : kExitSomeWithout;
}

// True if the database has this kind of host.
bool measured_here(Reader& reader, const Topology& topology) {
  const auto rows =
      reader.query("select 1 from host where lower(hex(fingerprint)) = '" + fingerprint_of(topology) + "'");
  return rows && !rows->rows.empty();
}

int RoofsCommand::show_shares(const Invocation& given) const {
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  auto roofs = roofs_for(*reader, roofs_file_);
  if (!roofs) return report_error(roofs.error().message);
  const auto wanted = wanted_roofs();
  if (!wanted) return report_error(wanted.error().message);
  if (roofs->empty() && roofs_file_.empty() && measured_here(*reader, wanted->topology)) {
    const auto sweep = reader->find_sweep(of_sweep_);
    if (!sweep) return report_error(sweep.error().message);
    if (!quiet_)
      std::fprintf(stderr, "%s holds no roofs; measuring those of this host into it first\n",
                   database_.c_str());
    const auto summary = measure_here(given, *wanted);
    if (!summary) return report_error(summary.error().message);
    if (stopped(*summary, given)) return kExitResumable;
    roofs = roofs_for(*reader, roofs_file_);
    if (!roofs) return report_error(roofs.error().message);
  }
  const auto shares = shares_of_sweep(*reader, of_sweep_, *roofs, dtype_, all_grades_ ? 'C' : 'B');
  if (!shares) return report_error(shares.error().message);
  std::optional<Picture> picture;
  if (picture_.wanted()) {
    const RooflinePoints points = roofline_points(*shares, *roofs);
    if (!points.hosts.empty()) picture = picture_of(points, shares->best);
  }
  const char* const no_place =
      picture_.wanted() && !picture ? "nothing to draw: no point has operations, bytes and roofs\n" : "";
  const TableStyle style{.cell_max = 160, .drop_empty_columns = true};
  RowSet table = table_of(*shares);
  const std::string reason = take_common_reason(table);
  return picture_.print(picture ? &*picture : nullptr,
                        {.table = shares->best.rows.empty() ? "no result to compare with roofs\n"
                                                            : text_table(for_people(table), style) + reason,
                         .left_out = text_of_left_out(shares->best, "--all-grades") + no_place,
                         .json = json_ ? to_json(*shares) : ""});
}

int RoofsCommand::run(const Invocation& given) {
  if (print_sweep_)
    if (const Status alone = check_printed_alone(replacements_); !alone)
      return report_error(alone.error().message);
  // With the usual --quick a point may take a second on a busy machine; this sweep has many points.
  if (replacements_.quick) {
    auto& settings = replacements_.settings;
    settings.insert(settings.begin(), {"measure.warmup.max_time=50ms", "measure.samples.min_time=30ms",
                                       "measure.samples.max_time=60ms"});
  }
  const bool measures = of_sweep_.empty();
  if (measures && !(roofs_file_.empty() && dtype_.empty() && !all_grades_ && !picture_.wanted()))
    return report_error(
        "--roofs, --dtype, --all-grades, --plot and --output go with --of SWEEP, which compares results "
        "with roofs");
  if (const Status named = picture_.check(); !named) return report_error(named.error().message);
  if (gpu_ && !(measures && thread_list_.empty()))
    return report_error("--gpu measures the roofs of a GPU: it goes without --of and --threads");
  return measures ? measure_roofs(given) : show_shares(given);
}

}  // namespace

CommandEntry roofs_command() {
  return {"roofs", "Measure the limits of this host, and compare results with them",
          "Exit status: 0 measured or shown, 1 a peak or the bandwidth of the memory is missing, 2 bad "
          "input or usage,\n3 stopped and resumable.",
          std::make_unique<RoofsCommand>()};
}

}  // namespace kernsweep
