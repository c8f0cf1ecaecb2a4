#include "coordinator/net/metric_records.hpp"

#include <algorithm>
#include <cmath>

#include "shared/text/metric_name.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr std::size_t kMetricsMax = 64;  // of one attempt: limits the memory that workers can make us use
constexpr std::string_view kItems = "items", kItemRate = "items_per_s", kItemRateUnit = "items/s";

Better better_of(const wire::Metric& metric) {
  if (metric.better() == static_cast<std::uint32_t>(Better::larger)) return Better::larger;
  return metric.better() == static_cast<std::uint32_t>(Better::smaller) ? Better::smaller : Better::unknown;
}

std::string_view unit_of(const wire::Metric& metric) {
  const auto printable = [](char c) { return c > ' ' && c != '\x7f'; };
  const bool usable =
      metric.unit().size() <= kMetricUnitMax && std::ranges::all_of(metric.unit(), printable);
  return usable ? std::string_view(metric.unit()) : std::string_view();
}

void add_metric(const MetricRecord& metric, std::vector<MetricRecord>& out) {
  const auto same = [&](const MetricRecord& known) { return known.name == metric.name; };
  if (is_metric_name(metric.name) && std::isfinite(metric.value) && out.size() < kMetricsMax &&
      std::ranges::none_of(out, same))
    out.push_back(metric);
}

}  // namespace

void read_metrics(const wire::OutcomeBody& body, double median_s, std::vector<MetricRecord>& out) {
  out.clear();
  for (const wire::Metric& metric : body.metrics())
    add_metric({metric.name(), metric.value(), better_of(metric), unit_of(metric)}, out);
  const auto items = std::ranges::find(out, kItems, &MetricRecord::name);
  if (items == out.end() || !(items->value > 0) || !(median_s > 0)) return;
  add_metric({kItemRate, items->value / median_s, Better::larger, kItemRateUnit}, out);
}

}  // namespace kernsweep::coordinator
