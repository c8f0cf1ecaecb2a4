// The metrics of `best`: their names, their columns in the database, and whether larger or smaller numbers
// are better.
#include "results/answer/best/best_metric.hpp"

#include <fmt/format.h>

#include <chrono>

#include "results/sqlite/schema.hpp"
#include "shared/base/rules.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// Name, and its SQL if it is not a column of `outcome`.
constexpr std::pair<std::string_view, std::string_view> kMetrics[] = {
    {"median_s", ""},
    {"gflops", ""},
    {"gbps", "o.gbps"},
    {"min_s", "r.min_s"},
    {"max_s", "r.max_s"},
    {"p90_s", "c.p90_s"},
    {"p99_s", "c.p99_s"},
    {"p999_s", "c.p999_s"},
    {"energy_j", "c.energy_j"},
    {"cpu_s", "c.cpu_s"},
    {"peak_memory_bytes", "c.peak_memory_bytes"},
    {"", ""}};

const std::pair<std::string_view, std::string_view>& entry_of(BestMetric metric) {
  return kMetrics[static_cast<std::size_t>(metric) - 1];
}

}  // namespace

std::string name_in(const BestQuestion& question) {
  return question.metric == BestMetric::counted ? question.counted
                                                : std::string(entry_of(question.metric).first);
}

std::string stored_in(const BestQuestion& question) {
  // Per call, because the length of sections does not depend on that of a call; for all copies together.
  // Not known if caches were emptied between calls, because that takes longer than the calls.
  if (question.metric == BestMetric::energy_j || question.metric == BestMetric::cpu_s)
    return fmt::format(
        "iif(c.cold_by is 'eviction', null, {} / nullif((r.warmup_runs + c.samples_taken * "
        "r.calls_per_sample) * max(1, (select count(*) from metric m where m.result = o.result and m.name "
        "glob 'copy_[0-9]*_s')), 0))",
        entry_of(question.metric).second);
  if (question.metric != BestMetric::counted) return std::string(entry_of(question.metric).second);
  return fmt::format("(select m.value from metric m where m.name = {} and m.result = o.result)",
                     schema::literal(question.counted));
}

Better better_in(const BestQuestion& question) {
  return question.metric == BestMetric::counted ? question.better
                                                : better_by_name(entry_of(question.metric).first);
}

Result<std::string> unit_in(Reader& reader, const BestQuestion& question) {
  if (question.metric == BestMetric::counted) {
    KS_ASSIGN_OR_RETURN(const auto declared,
                        reader.query("select unit from metric where unit is not null and name = " +
                                     schema::literal(question.counted) + " limit 1"));
    if (!declared.rows.empty()) return declared.rows.front().front().to_text();
  }
  const std::string name = name_in(question);
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"gflops", "GFLOP/s"}, {"gbps", "GB/s"}, {"energy_j", "J"}};
  for (const auto& [metric, unit] : kUnits)
    if (name == metric) return std::string(unit);
  if (name.ends_with("_per_s")) return std::string();
  return std::string(name.ends_with("_bytes") ? "B" : name.ends_with("_s") ? "s" : "");
}

BestAnswer answer_about(const StoredSweep& sweep, const BestQuestion& question) {
  BestAnswer answer;
  answer.sweep = sweep.record.name;
  answer.id = sweep.id;
  answer.imported_from = imported_from(sweep.record);
  answer.metric = name_in(question);
  answer.better = better_in(question);
  answer.worst_grade = question.worst_grade;
  answer.alpha = question.rules.alpha;
  return answer;
}

std::string_view name_of(BestMetric metric) {
  return entry_of(metric).first;
}

std::optional<BestMetric> metric_named(std::string_view name) {
  for (std::size_t i = 0; i + 1 < std::size(kMetrics); ++i)
    if (kMetrics[i].first == name) return static_cast<BestMetric>(i + 1);
  return std::nullopt;
}

std::string reason_of_lack(std::string_view metric) {
  if (metric != "peak_memory_bytes") return "";
  return fmt::format(
      ": memory is read where measure.warmup.min_time and samples.min_time are {} ms together or more",
      std::chrono::duration_cast<std::chrono::milliseconds>(kWatchedFrom).count());
}

std::string metrics_listed() {
  std::string all;
  for (const auto& [name, stored] : kMetrics)
    if (!name.empty()) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

Status choose_metric(Reader& reader, const std::string& name, BestQuestion& question) {
  question.metric = metric_named(name).value_or(BestMetric::counted);
  question.counted = name;
  question.rules.hidden_groups = question.metric != BestMetric::peak_memory_bytes;
  if (question.metric != BestMetric::counted) return Done{};
  KS_ASSIGN_OR_RETURN(
      const auto there,
      reader.query("select 1 from metric where name = " + schema::literal(name) + " limit 1"));
  if (!there.rows.empty()) return Done{};
  KS_ASSIGN_OR_RETURN(const auto known, reader.query("select distinct name from metric order by name"));
  std::string all = metrics_listed();
  for (const auto& row : known.rows) all += ", " + row[0].to_text();
  return failure(fmt::format("--metric is one of {}, not '{}'", all, name));
}

Status find_direction(Reader& reader, BestQuestion& question, const std::string& option) {
  if (question.metric != BestMetric::counted || question.better != Better::unknown) return Done{};
  const std::string& name = question.counted;
  KS_ASSIGN_OR_RETURN(
      const auto rows,
      reader.query("select better, min(result) from metric where better is not null and name = " +
                   schema::literal(name) + " group by better order by better"));
  if (rows.rows.size() > 1)
    return failure(fmt::format(
        "results declare both that a larger {0} is better (result {1}) and that a smaller one is "
        "(result {2}); say which with {3}",
        name, rows.rows[0][1].to_text(), rows.rows[1][1].to_text(), option));
  question.better = rows.rows.empty() ? better_by_name(name) : better_named(rows.rows.front()[0].to_text());
  if (question.better != Better::unknown) return Done{};
  return failure(
      fmt::format("it is not declared whether a larger or a smaller {0} is better; use {1}. To declare it: "
                  "`better: smaller` in its entry of `metrics: values:` of the sweep file, "
                  "better.{0}=larger printed by the command, ks_declared_metric of the pack, or a name "
                  "that ends in its unit, such as {0}_per_second or {0}_bytes",
                  name, option));
}

}  // namespace kernsweep
