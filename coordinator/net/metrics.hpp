// The metrics for Prometheus as plain values: the coordinator's loop makes them, MetricsPort serves the
// newest.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

// How long commits took. A commit counts in the first bucket whose bound in seconds is not below its time,
// or in the last bucket.
struct CommitTimes {
  static constexpr std::array<double, 9> kBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 5};
  std::array<std::uint64_t, kBounds.size() + 1> counts{};
  double seconds = 0;  // sum over all commits
  std::uint64_t rows = 0;

  void add(double took_s, std::uint64_t committed_rows);
};

struct MetricFamily {
  enum class Kind : std::uint8_t { counter, gauge, histogram };
  using Labels = std::vector<std::pair<std::string, std::string>>;
  struct Sample {
    Labels labels;
    double value = 0;
  };

  std::string name;  // as the text format requires: a counter ends with _total, a time with _seconds
  std::string help;
  Kind kind = Kind::gauge;
  std::vector<Sample> samples;
  CommitTimes times;  // for a histogram, instead of samples
};

// Serves GET /metrics in the text format of Prometheus, without encryption, to anyone who can connect. Uses
// threads of its own.
class MetricsPort {
 public:
  // `address`: PORT (on 127.0.0.1) or HOST:PORT, IPv4; port 0: any. Error: no address, or in use.
  static Result<std::unique_ptr<MetricsPort>> open(const std::string& address);
  ~MetricsPort();

  const std::string& url() const { return url_; }  // "http://127.0.0.1:9090/metrics"
  void publish(std::vector<MetricFamily> metrics);

 private:
  struct State;
  MetricsPort(std::unique_ptr<State> state, std::string url);

  std::unique_ptr<State> state_;
  std::string url_;
};

}  // namespace kernsweep::coordinator
