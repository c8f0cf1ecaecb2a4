#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

#include <limits>
#include <mutex>
#include <optional>

#include "coordinator/net/metrics.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep::coordinator {
namespace {

namespace prom = ::prometheus;

prom::MetricType type_of(MetricFamily::Kind kind) {
  switch (kind) {
    case MetricFamily::Kind::counter:
      return prom::MetricType::Counter;
    case MetricFamily::Kind::gauge:
      return prom::MetricType::Gauge;
    case MetricFamily::Kind::histogram:
      return prom::MetricType::Histogram;
  }
  return prom::MetricType::Untyped;
}

prom::ClientMetric histogram_of(const CommitTimes& times) {
  prom::ClientMetric out;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < times.counts.size(); ++i) {
    sum += times.counts[i];
    const double bound =
        i < CommitTimes::kBounds.size() ? CommitTimes::kBounds[i] : std::numeric_limits<double>::infinity();
    out.histogram.bucket.push_back({sum, bound});
  }
  out.histogram.sample_count = sum;
  out.histogram.sample_sum = times.seconds;
  return out;
}

prom::MetricFamily family_of(const MetricFamily& metric) {
  prom::MetricFamily family{metric.name, metric.help, type_of(metric.kind), {}};
  if (metric.kind == MetricFamily::Kind::histogram) family.metric.push_back(histogram_of(metric.times));
  for (const MetricFamily::Sample& sample : metric.samples) {
    prom::ClientMetric out;
    for (const auto& [name, value] : sample.labels) out.label.push_back({name, value});
    out.counter.value = out.gauge.value = sample.value;
    family.metric.push_back(std::move(out));
  }
  return family;
}

// The newest published metrics; read by the port's threads.
class Board : public prom::Collectable {
 public:
  std::vector<prom::MetricFamily> Collect() const override {
    const std::lock_guard lock(mutex_);
    std::vector<prom::MetricFamily> families;
    families.reserve(metrics_.size());
    for (const MetricFamily& metric : metrics_) families.push_back(family_of(metric));
    return families;
  }
  void replace(std::vector<MetricFamily> metrics) {
    const std::lock_guard lock(mutex_);
    metrics_ = std::move(metrics);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<MetricFamily> metrics_;
};

// Host and port. Nothing if `address` is neither PORT nor HOST:PORT.
std::optional<std::pair<std::string, std::uint16_t>> place_of(const std::string& address) {
  const auto colon = address.rfind(':');
  const auto port =
      number_of<std::uint16_t>(colon == std::string::npos ? address : address.substr(colon + 1));
  std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
  if (!port || host.empty() || host.find_first_of(",+ /") != std::string::npos) return std::nullopt;
  if (host.find(':') != std::string::npos) return std::nullopt;  // Debian's library has no IPv6
  return std::pair{std::move(host), *port};
}

}  // namespace

struct MetricsPort::State {
  std::shared_ptr<Board> board = std::make_shared<Board>();
  std::unique_ptr<prom::Exposer> exposer;
};

MetricsPort::MetricsPort(std::unique_ptr<State> state, std::string url)
    : state_(std::move(state)), url_(std::move(url)) {}
MetricsPort::~MetricsPort() = default;

Result<std::unique_ptr<MetricsPort>> MetricsPort::open(const std::string& address) {
  const auto place = place_of(address);
  if (!place) {
    return failure(
        "'" + address +
        "' is not an address for --metrics: write PORT, or HOST:PORT with a name or an address of IPv4");
  }
  auto state = std::make_unique<State>();
  try {
    constexpr std::size_t kThreads = 2;
    const std::string bound = place->first + ":" + std::to_string(place->second);
    state->exposer = std::make_unique<prom::Exposer>(bound, kThreads);
    state->exposer->RegisterCollectable(state->board);
  } catch (const std::exception&) {  // the exception's text has no reason
    return failure("metrics cannot be served at " + address +
                   ": is the port in use, or the name or address not this host's? Give another with "
                   "--metrics");
  }
  const auto ports = state->exposer->GetListeningPorts();
  std::string url = "http://" + place->first + ":" +
                    std::to_string(ports.empty() ? place->second : ports.front()) + "/metrics";
  return std::unique_ptr<MetricsPort>(new MetricsPort(std::move(state), std::move(url)));
}

void MetricsPort::publish(std::vector<MetricFamily> metrics) {
  state_->board->replace(std::move(metrics));
}

}  // namespace kernsweep::coordinator
