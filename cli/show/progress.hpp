// Prints the progress of a sweep on stderr: on a terminal one line that is rewritten, elsewhere a plain
// line at most every 5 s (KERNSWEEP_PROGRESS_S: another number), with --quiet nothing. stdout is only for
// answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "coordinator/net/coordinator.hpp"

namespace kernsweep {

// "[34/120  28 %  3.2/s  23 s to 32 s left  1 failed] variant=onednn dtype=f32". `total`: number of jobs;
// nullopt: not known. The remaining time follows from the pace so far, without the time that workers waited
// for quiet; the more jobs have ended, the narrower it is. Before the first one it is `estimate`, "25 s to
// 2 min 04 s"; empty: nothing. `most`: for a sweep that decides how many jobs it has, the largest number;
// else `total` or 0: "[34/46, at most 80  73 %  3.2/s  4 s left  2 open]".
std::string progress_line(const Progress& progress, std::optional<std::uint64_t> total,
                          const std::string& estimate = "", std::uint64_t most = 0);

class ProgressPrinter : public Watcher {
 public:
  enum class Style : std::uint8_t { terminal, plain, quiet };

  // `total`: number of jobs of the sweep; nullopt: they could not be counted in advance. `estimate`,
  // `most`: as in progress_line().
  ProgressPrinter(Style style, std::optional<std::uint64_t> total, std::string estimate = "",
                  std::uint64_t most = 0);
  ~ProgressPrinter() override;

  void begun(std::uint64_t earlier) override;
  void progress(const Progress& progress) override;
  void note(const std::string& line) override;
  void warning(const std::string& line) override;  // also with --quiet
  // Printed before the next note, the coordinator's first: a reason that prevents the start is printed
  // alone.
  void note_when_begun(std::string line);
  void clear();  // removes the line from the terminal

 private:
  void print(const std::string& line);

  const Style style_;
  const std::optional<std::uint64_t> total_;
  const std::string estimate_;
  const std::uint64_t most_;
  const double plain_every_s_;
  std::string note_when_begun_;
  bool line_shown_ = false;
  double printed_at_s_ = 0;
  std::uint64_t printed_done_ = 0;
};

// quiet if `quiet`, else terminal if stderr is a terminal, else plain.
ProgressPrinter::Style style_of_stderr(bool quiet);

}  // namespace kernsweep
