// The samples of a watched section: which of them count, and when there are enough. Pure: reads no clock.
//
// Samples come in windows. Samples of a disturbed window are discarded and others are taken instead, as
// long as at most `discard.share` of all samples are discarded. If there are more disturbed ones when the
// minimum of samples and time is reached, or at a maximum, all samples are kept from then on, the former
// ones too (kept_disturbed). So a section that is always disturbed takes no longer than a quiet one, and no
// section ends without samples. The maxima of `samples` count all samples, discarded ones too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/base/rules.hpp"
#include "worker/slot/measure/stopping_rule.hpp"
#include "worker/slot/watch/disturbance.hpp"

namespace kernsweep {

constexpr Duration kWindow = std::chrono::milliseconds(1);  // shortest total time of a window's samples

class SampleLedger {
 public:
  // For latency every sample is kept, because its tail matters. Windows are judged and counted
  // nevertheless, and kept_disturbed() says whether too many are disturbed.
  explicit SampleLedger(const MeasureRules& rules);

  // Adds a sample to the open window. A negative `took` counts as 0.
  void add(double seconds, Duration took);
  // The open window is not empty, and it is long enough or a maximum is reached.
  bool window_full() const;
  double open_s() const { return seconds_(open_took_); }  // what the open window's samples took
  void close_window(Cause cause);
  // Marks all closed windows from number `first` on as disturbed by `cause`, unless they have another
  // cause. Needed because stolen time is read less often than windows are closed.
  void mark_disturbed_since(std::size_t first, Cause cause);
  std::size_t windows() const { return windows_.size(); }

  // Why sampling ends; none: it goes on. Considers closed windows only.
  StoppingRule::Reason reason() const { return reason_; }

  // The samples that count, in the order of measurement. Not empty if reason() is not `none`.
  std::vector<double> kept() const;
  double noise() const { return rule_.noise(); }
  std::uint64_t taken() const { return samples_.size(); }
  std::uint64_t disturbed() const;  // samples in disturbed windows, discarded or not
  // Too many samples were disturbed, so all are kept. For latency: too many are disturbed at the moment.
  bool kept_disturbed() const { return kept_disturbed_; }
  // The share of disturbed samples when kept_disturbed() became true; 0 if it is false.
  double share_then() const { return share_then_; }
  const CauseCounts& causes() const { return causes_; }  // number of samples for each cause
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
