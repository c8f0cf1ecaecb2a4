// The samples of a watched section: which of them count, and when there are enough. Pure: reads no clock.
//
// Samples come in windows. Samples of a disturbed window are discarded and others are taken instead, as
// long as at most `discard.share` of all samples are discarded. While more are disturbed after the minimum
// of samples and time is reached, or at a maximum, all samples count (kept_disturbed). So a section that is
// always disturbed takes no longer than a quiet one, no section ends without samples, and a short
// disturbance leaves no trace. The maxima of `samples` count all samples, including discarded ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shared/base/rules.hpp"
#include "worker/slot/measure/stopping_rule.hpp"
#include "worker/slot/watch/disturbance.hpp"

namespace kernsweep {

constexpr Duration kWindow = std::chrono::milliseconds(1);  // shortest total time of a window's samples

class SampleLedger {
 public:
  // For latency every sample is kept, because its tail matters. Windows are still checked and counted, and
  // kept_disturbed() reports whether too many are disturbed.
  explicit SampleLedger(const MeasureRules& rules);

  // Adds a sample to the open window: the time of each of its calls, and its total time. A negative `took`
  // counts as 0.
  void add(double seconds, Duration took, std::uint64_t calls = 1);
  // The open window is not empty, and it is long enough or a maximum is reached.
  bool window_full() const;
  double open_s() const { return seconds_(open_took_); }  // total time of the open window's samples
  void close_window(const WindowDisturbance& disturbance);
  // Marks all closed windows from number `first` on as disturbed by `cause`, which may have cost this share
  // of each, unless they have another cause. Needed because some gauges are read less often than windows
  // are closed.
  void mark_disturbed_since(std::size_t first, Cause cause, double lost_share = 1);
  // Whether windows are suspected; marks all of them as disturbed.
  bool has_suspected() const;
  void mark_suspected();
  std::size_t windows() const { return windows_.size(); }

  // Why sampling ends; none: it continues. Considers closed windows only.
  StoppingRule::Reason reason() const { return reason_; }

  // The samples that count, in the order of measurement. Not empty if reason() is not `none`.
  std::vector<double> kept() const;
  std::vector<std::size_t> kept_numbers() const;  // likewise their numbers among all, from 0
  double noise() const { return judged().noise(); }
  std::uint64_t taken() const { return samples_.size(); }
  std::uint64_t disturbed() const;  // samples in disturbed windows, discarded or not
  // Too many samples are disturbed, so all count.
  bool kept_disturbed() const { return too_many_; }
  // The least possible median of all samples if each disturbed window has lost the share that it reports,
  // which may be all of it; as a share of the median. 0: there is no bound.
  double least_median() const;
  const CauseCounts& causes() const { return causes_; }  // number of samples for each cause
  double sampled_s() const { return seconds_(elapsed_); }

 private:
  struct Sample {
    double seconds;
    Duration took;
  };
  struct Window {
    std::size_t first, count;
    WindowDisturbance disturbance;
    double measured_s;
    bool is_clean() const { return disturbance.cause == Cause::none; }
  };
  static double seconds_(Duration d) { return kernsweep::seconds(d); }
  // A rule and its last result.
  struct Judged {
    StoppingRule rule;
    StoppingRule::Reason reason = StoppingRule::Reason::none;
    double noise() const { return rule.noise(); }
  };
  template <class Add>
  void for_kept(Add add) const;
  bool keeps_all() const { return latency_ || too_many_; }
  bool keeps(const Window& window) const { return keeps_all() || window.is_clean(); }
  const Judged& judged() const { return keeps_all() || !clean_rule_ ? all_rule_ : *clean_rule_; }
  void feed(const Window& window, Judged& judged) const;
  void mark(Window& window, Cause cause);
  void judge_clean();
  void decide();

  SampleRules samples_rules_;
  StopRules stop_;
  double share_;
  bool latency_;
  bool too_many_ = false;
  std::vector<Sample> samples_;
  std::vector<Window> windows_;
  std::size_t open_first_ = 0;
  Duration open_took_{};
  double open_measured_s_ = 0;
  Duration elapsed_{};
  CauseCounts causes_{};
  Judged all_rule_;
  std::optional<Judged> clean_rule_;  // of the samples without disturbance; none: no sample is
  StoppingRule::Reason reason_ = StoppingRule::Reason::none;
};

}  // namespace kernsweep
