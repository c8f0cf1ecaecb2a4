#include "cli/show/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "results/text/units.hpp"
#include "shared/base/log.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

// Seconds between two plain lines. KERNSWEEP_PROGRESS_S is for programs that show only the last line.
double plain_every_s() {
  const char* const said = std::getenv("KERNSWEEP_PROGRESS_S");
  const double seconds = said ? std::strtod(said, nullptr) : 0;
  return seconds >= 0.1 ? seconds : 5;
}

int columns_of_terminal() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

// The mean time of n jobs drawn at random has a relative error of about 1 / sqrt(n) if times differ as much
// as they are long. Remaining jobs are assumed to be retried as often as finished ones.
std::string text_of_left(double jobs, double ended, double retried, double seconds) {
  const double each = seconds / (ended + retried);
  const double off = 1 / std::sqrt(ended + retried);
  const std::string least = text_of_rest(jobs * each * (1 - std::min(off, 0.5)));
  const std::string most = text_of_rest(jobs * each * (1 + off) * (1 + retried / (ended + retried)));
  return least == most ? least : least + " to " + most;
}

}  // namespace

std::string progress_line(const Progress& progress, std::optional<std::uint64_t> total,
                          const std::string& estimate, std::uint64_t most) {
  const auto& tally = progress.tally;
  const std::uint64_t fresh = tally.ok + tally.failed;
  const double worked_s = progress.seconds - progress.waited_s;
  const double rate = worked_s > 0 ? static_cast<double>(fresh) / worked_s : 0;
  std::string line = "[" + text_of_count(tally.done);
  if (total) {
    const std::uint64_t all = std::max(*total + progress.further, tally.done);
    line += "/" + text_of_count(all);
    if (progress.may_ask && most > all) line += ", at most " + text_of_count(most);
    if (all > 0) line += "  " + std::to_string(tally.done * 100 / all) + " %";
    line += "  " + text_of_rate(rate);
    if (rate > 0 && all > tally.done) {
      line += "  " +
              text_of_left(static_cast<double>(all - tally.done), static_cast<double>(fresh),
                           static_cast<double>(tally.retried), worked_s) +
              " left";
    } else if (all > tally.done && fresh == 0 && !estimate.empty()) {
      line += "  " + estimate + " left";
    }
  } else {
    line += " done  " + text_of_rate(rate);
  }
  if (progress.open > 0) line += "  " + text_of_count(progress.open) + " open";
  if (tally.failed > 0) line += "  " + text_of_count(tally.failed) + " failed";
  if (tally.parked > 0) line += "  " + text_of_count(tally.parked) + " wait for a host";
  if (tally.retried > 0) line += "  " + text_of_count(tally.retried) + " tried again";
  line += "]";
  if (progress.workers == 0) return line + " waiting for a worker";
  if (!progress.waits.empty()) return line + " " + one_line(progress.waits);
  if (!progress.active.empty()) line += " " + one_line(progress.active.front());
  if (progress.active.size() > 1) line += " and " + std::to_string(progress.active.size() - 1) + " more";
  return line;
}

ProgressPrinter::ProgressPrinter(Style style, std::optional<std::uint64_t> total, std::string estimate,
                                 std::uint64_t most)
    : style_(style),
      total_(total),
      estimate_(std::move(estimate)),
      most_(most),
      plain_every_s_(plain_every_s()) {}
ProgressPrinter::~ProgressPrinter() {
  clear();
}

void ProgressPrinter::clear() {
  if (line_shown_) std::fprintf(stderr, "\r\033[K");
  line_shown_ = false;
}

void ProgressPrinter::note(const std::string& line) {
  if (!note_when_begun_.empty()) note(std::exchange(note_when_begun_, {}));
  log_quietly(LogLevel::info, line);
  if (style_ != Style::quiet) print(line);
}

void ProgressPrinter::warning(const std::string& line) {
  log_quietly(LogLevel::info, line);
  print(line);
}

void ProgressPrinter::print(const std::string& line) {
  clear();
  // The line may have control characters, because names and reasons come from workers and clients.
  std::fprintf(stderr, "%s\n", for_terminal(line).c_str());
}

void ProgressPrinter::note_when_begun(std::string line) {
  note_when_begun_ = std::move(line);
}

void ProgressPrinter::begun(std::uint64_t earlier) {
  if (earlier > 0)
    note(counted(earlier, "job has its outcome", "jobs have their outcome") + " from an earlier run and " +
         (earlier == 1 ? "is" : "are") + " not repeated");
}

void ProgressPrinter::progress(const Progress& progress) {
  if (style_ == Style::quiet) return;
  std::string line = progress_line(progress, total_, estimate_, most_);
  if (style_ == Style::terminal) {
    const auto width = static_cast<std::size_t>(columns_of_terminal() - 1);
    if (line.size() > width) line.resize(width);
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    line_shown_ = true;
    return;
  }
  if (progress.seconds - printed_at_s_ < plain_every_s_ || progress.tally.done == printed_done_) return;
  printed_at_s_ = progress.seconds;
  printed_done_ = progress.tally.done;
  std::fprintf(stderr, "%s\n", line.c_str());
}

ProgressPrinter::Style style_of_stderr(bool quiet) {
  if (quiet) return ProgressPrinter::Style::quiet;
  return isatty(STDERR_FILENO) ? ProgressPrinter::Style::terminal : ProgressPrinter::Style::plain;
}

}  // namespace kernsweep
