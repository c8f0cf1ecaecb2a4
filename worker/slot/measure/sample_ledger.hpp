// The samples of a watched section: which of them count, and when there are enough. Sees only numbers.
//
// Samples come in windows. Those of a disturbed window are left out, and more are taken in their place, as
// long as the samples left out are at most `discard.share` of all. Once they are more, at a moment when as
// many samples were taken and as much time was spent as the rules ask for at least, or at a cap, everything
// is kept from then on, the former ones too (kept_disturbed). So a section that is disturbed throughout
// takes no longer than a quiet one, and no section ends empty. The caps of `samples` are on all that was
// taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/base/rules.hpp"
#include "worker/slot/measure/stopping_rule.hpp"
#include "worker/slot/watch/disturbance.hpp"

namespace kernsweep {

constexpr Duration kWindow = std::chrono::milliseconds(1);  // of a window's samples, at least

class SampleLedger {
 public:
  // Latency keeps every sample, for its tail is the point; windows are judged and counted all the same, and
  // too many disturbed ones are too many.
  explicit SampleLedger(const MeasureRules& rules);

  // A sample of the open window. A time that went backwards counts as none.
  void add(double seconds, Duration took);
  // The open window is long enough, or a cap is reached; never for an empty one.
  bool window_full() const;
  void close_window(Cause cause);
  // Steal is known only now and then: closed windows from number `first` on that nothing else has
  // disturbed get this cause.
  void mark_disturbed_since(std::size_t first, Cause cause);
  std::size_t windows() const { return windows_.size(); }

  // Why sampling ends; none: it goes on. Of closed windows.
  StoppingRule::Reason reason() const { return reason_; }

  // What counts, in the order of measuring; after a window was closed never empty once reason() is given.
  std::vector<double> kept() const;
  double noise() const { return rule_.noise(); }
  std::uint64_t taken() const { return samples_.size(); }
  std::uint64_t disturbed() const;  // samples in disturbed windows, left out or not
  // Too many were disturbed, and all are kept for that; of latencies: too many are at the moment.
  bool kept_disturbed() const { return kept_disturbed_; }
  // Of the samples taken by then, what share was disturbed when that was found; 0: it was not.
  double share_then() const { return share_then_; }
  const CauseCounts& causes() const { return causes_; }  // samples, by cause of their window
  double sampled_s() const { return seconds_(elapsed_); }

 private:
  struct Sample {
    double seconds;
    Duration took;
  };
  struct Window {
    std::size_t first, count;
    Cause cause;
  };
  static double seconds_(Duration d) { return kernsweep::seconds(d); }
  bool keeps(const Window& window) const { return keep_all_ || window.cause == Cause::none; }
  void feed(const Window& window);
  void judge_again();
  void decide();
  double share_disturbed() const;

  SampleRules samples_rules_;
  StopRules stop_;
  double share_;
  bool latency_;
  bool keep_all_;
  bool kept_disturbed_ = false;
  double share_then_ = 0;
  std::vector<Sample> samples_;
  std::vector<Window> windows_;
  std::size_t open_first_ = 0;
  Duration open_took_{};
  Duration elapsed_{};
  CauseCounts causes_{};
  StoppingRule rule_;
  StoppingRule::Reason rule_reason_ = StoppingRule::Reason::none;
  StoppingRule::Reason reason_ = StoppingRule::Reason::none;
};

}  // namespace kernsweep
