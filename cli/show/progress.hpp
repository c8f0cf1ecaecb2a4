// Progress that a person likes: one line that is rewritten on a terminal, plain lines now and then
// elsewhere, nothing when quiet. Always on stderr; stdout is for answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "coordinator/net/coordinator.hpp"

namespace kernsweep {

// "[ 34/120  28 %  3.2/s  27 s left  1 failed] variant=onednn dtype=f32". `total`: jobs, nothing while not
// known.
std::string progress_line(const Progress& progress, std::optional<std::uint64_t> total);

class ProgressPrinter : public Watcher {
 public:
  enum class Style : std::uint8_t { terminal, plain, quiet };

  // `total`: jobs of the sweep when they could be counted beforehand.
  ProgressPrinter(Style style, std::optional<std::uint64_t> total);
  ~ProgressPrinter() override;

  void begun(std::uint64_t earlier, std::uint64_t reused) override;
  void progress(const Progress& progress) override;
  void note(const std::string& line) override;
  void clear();  // takes the line away

 private:
  const Style style_;
  const std::optional<std::uint64_t> total_;
  bool line_shown_ = false;
  double told_at_s_ = 0;
  std::uint64_t told_done_ = 0;
};

// terminal when stderr is one, otherwise plain.
ProgressPrinter::Style style_of_stderr(bool quiet);

}  // namespace kernsweep
