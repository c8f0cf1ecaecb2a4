#include "results/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "shared/suggest.hpp"

namespace kernsweep {

using sqlite::Statement;
using sqlite::Step;

std::string_view name_of(Metric metric) {
  return metric == Metric::gflops ? "gflops" : "median_s";
}

std::optional<Metric> metric_named(std::string_view name) {
  for (const Metric metric : {Metric::median_s, Metric::gflops})
    if (name_of(metric) == name) return metric;
  return std::nullopt;
}

bool describes_problem(const SweepColumn& column) {
  static constexpr std::string_view kSettings[] = {"variant", "threads", "library", "algorithm",
                                                   "implementation"};
  static constexpr std::string_view kPrefixes[] = {"env.", "blas.", "block", "tile", "unroll"};
  if (column.derived || column.has_null) return false;
  if (std::ranges::find(kSettings, column.name) != std::end(kSettings)) return false;
  return std::ranges::none_of(kPrefixes, [&](std::string_view p) { return column.name.starts_with(p); });
}

namespace {

struct Candidate {
  std::uint32_t group = 0;
  std::uint32_t variant = 0;
  std::uint64_t point = 0;
  std::uint64_t job = 0;
  std::uint32_t job_host = 0;
  std::uint32_t processes = 1;
  double score = 0;  // the metric, turned so that smaller is better
  double median_s = 0;
  double gflops = 0;
};

double median_of(std::vector<double>& numbers) {
  std::erase_if(numbers, [](double x) { return std::isnan(x); });
  if (numbers.empty()) return kUnknown;
  std::ranges::sort(numbers);
  return quantile_of_sorted(numbers, 0.5);
}

// Numbers for texts that repeat, in the order met.
class Numbering {
 public:
  std::uint32_t of(const std::string& key) {
    return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// The jobs in the order of their groups, and in a group of their points: where each group's run begins is
// counted first, which is cheaper than sorting a million jobs.
std::vector<const Candidate*> by_group(const std::vector<Candidate>& jobs, std::uint32_t groups) {
  std::vector<std::size_t> begins(groups + 1, 0);
  for (const Candidate& job : jobs) ++begins[job.group + 1];
  for (std::size_t g = 1; g < begins.size(); ++g) begins[g] += begins[g - 1];
  std::vector<const Candidate*> ordered(jobs.size());
  std::vector<std::size_t> next = begins;
  for (const Candidate& job : jobs) ordered[next[job.group]++] = &job;
  for (std::size_t g = 0; g < groups; ++g)
    std::stable_sort(ordered.begin() + static_cast<std::ptrdiff_t>(begins[g]),
                     ordered.begin() + static_cast<std::ptrdiff_t>(begins[g + 1]),
                     [](const Candidate* a, const Candidate* b) { return a->point < b->point; });
  return ordered;
}

// Jobs of one point become one candidate.
std::vector<Candidate> over_processes(const std::vector<Candidate>& all, std::uint32_t groups) {
  const auto jobs = by_group(all, groups);
  std::vector<Candidate> points;
  std::vector<double> scores, medians, rates;
  for (std::size_t i = 0; i < jobs.size();) {
    std::size_t end = i;
    for (; end < jobs.size() && jobs[end]->group == jobs[i]->group && jobs[end]->point == jobs[i]->point;
         ++end) {
    }
    Candidate point = *jobs[i];
    if (end - i > 1) {
      scores.clear(), medians.clear(), rates.clear();
      for (std::size_t j = i; j < end; ++j) {
        scores.push_back(jobs[j]->score);
        medians.push_back(jobs[j]->median_s);
        rates.push_back(jobs[j]->gflops);
      }
      point.score = median_of(scores);
      point.median_s = median_of(medians);
      point.gflops = median_of(rates);
      point.processes = static_cast<std::uint32_t>(end - i);
    }
    points.push_back(point);
    i = end;
  }
  return points;
}

class Search {
 public:
  Search(Reader& reader, const BestQuestion& question) : reader_(reader), question_(question) {}

  Result<BestAnswer> answer() {
    const sqlite::Snapshot snapshot(reader_.connection());
    if (auto done = choose_columns(); !done) return tl::unexpected<Error>(done.error());
    if (auto done = collect(); !done) return tl::unexpected<Error>(done.error());
    if (auto done = pick(); !done) return tl::unexpected<Error>(done.error());
    return std::move(answer_);
  }

 private:
  Status choose_columns() {
    const auto sweep = reader_.find_sweep(question_.sweep);
    if (!sweep) return tl::unexpected<Error>(sweep.error());
    answer_.sweep = sweep->record.name;
    answer_.id = sweep->id;
    auto columns = reader_.columns(sweep->id);
    if (!columns) return tl::unexpected<Error>(columns.error());
    std::vector<std::string> names;
    for (const SweepColumn& column : *columns) names.push_back(column.name);
    if (question_.by) {
      for (const std::string& name : *question_.by) {
        const auto found = std::ranges::find(names, name);
        if (found == names.end())
          return failure(fmt::format("sweep '{}' has no column '{}'{}", answer_.sweep, name,
                                     did_you_mean(name, names)));
        by_.push_back((*columns)[static_cast<std::size_t>(found - names.begin())]);
      }
    }
    for (const SweepColumn& column : *columns) {
      if (!question_.by && describes_problem(column)) by_.push_back(column);
      const auto same = [&](const SweepColumn& other) { return other.name == column.name; };
      if (!column.derived && column.name != "variant" && std::ranges::none_of(by_, same))
        settings_.push_back(column);
    }
    for (const SweepColumn& column : by_) answer_.by.push_back(column.name);
    return Done{};
  }

  Status collect() {
    std::string sql =
        "select point, job, job_host, status = 'ok', grade, median_s, gflops, variant, cache, host_id";
    for (const SweepColumn& column : by_) sql += ", " + column.stored;
    auto rows = reader_.connection().prepare(
        sql + fmt::format(" from outcome where sweep_id = {}", answer_.id.value));
    if (!rows) return tl::unexpected<Error>(rows.error());
    Numbering groups, variants, caches, hosts;
    std::string key;
    const bool by_rate = question_.metric == Metric::gflops;
    Step step;
    while ((step = rows->step()) == Step::row) {
      ++answer_.jobs;
      Candidate job;
      job.median_s = rows->real(5);
      job.gflops = rows->real(6);
      job.score = by_rate ? -job.gflops : job.median_s;
      if (rows->integer(3) == 0 || std::isnan(job.score)) {
        ++answer_.left_out_failed;
        continue;
      }
      if (const std::string_view grade = rows->text(4);
          !grade.empty() && grade[0] > question_.worst_grade) {
        ++answer_.left_out_grade;
        continue;
      }
      job.point = static_cast<std::uint64_t>(rows->integer(0));
      job.job = static_cast<std::uint64_t>(rows->integer(1));
      job.job_host = static_cast<std::uint32_t>(rows->integer(2));
      key.clear();
      rows->append_key(7, key);
      job.variant = variants.of(key);
      key.clear();
      for (int i = 8; i < rows->columns(); ++i) rows->append_key(i, key);
      const auto known = group_count_;
      job.group = groups.of(key);
      if (job.group == known) {
        ++group_count_;
        key.clear();
        rows->append_key(8, key);
        several_caches_ = caches.of(key) > 0 || several_caches_;
        key.clear();
        rows->append_key(9, key);
        several_hosts_ = hosts.of(key) > 0 || several_hosts_;
      }
      jobs_.push_back(job);
    }
    if (step != Step::done) return failure(rows->why());
    return Done{};
  }

  // All values of a candidate's point, by, cache, host and settings in this order, and its result.
  Status look_up(const Candidate& candidate, std::vector<Value>& values) {
    if (!lookup_.columns()) {
      std::string sql = "select result, variant, cache, (select name from host where id = host_id)";
      for (const auto* list : {&by_, &settings_})
        for (const SweepColumn& column : *list) sql += ", " + column.stored;
      auto made = reader_.connection().prepare(
          sql + " from outcome where sweep_id = ? and job = ? and job_host = ?");
      if (!made) return tl::unexpected<Error>(made.error());
      lookup_ = std::move(*made);
    }
    lookup_.bind(1, answer_.id.value);
    lookup_.bind(2, candidate.job);
    lookup_.bind(3, candidate.job_host);
    if (lookup_.step() != Step::row) return failure(lookup_.why());
    values.clear();
    for (int i = 0; i < lookup_.columns(); ++i) values.push_back(lookup_.value(i));
    lookup_.reset();
    return Done{};
  }

  // Of another variant: its name and its settings that differ, those that it lacks left out; texts tell
  // what they are, numbers do not. Of the same variant: each setting that differs.
  std::string difference(const std::vector<Value>& best, const std::vector<Value>& other) const {
    const bool same_variant = best[1] == other[1];
    std::string text = same_variant ? "" : other[1].to_text();
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      const std::size_t at = 4 + by_.size() + i;
      if (best[at] == other[at] || (!same_variant && other[at].is_null())) continue;
      const std::string& name = settings_[i].name;
      const bool bare = !same_variant && other[at].text() && !name.starts_with("env.");
      text += (text.empty() ? "" : " ") + (bare ? "" : name + "=") +
              (other[at].is_null() ? "unset" : other[at].to_text());
    }
    return text;
  }

  Status pick() {
    RowSet& rows = answer_.rows;
    rows.columns = answer_.by;
    if (several_caches_) rows.columns.emplace_back("cache");
    if (several_hosts_) rows.columns.emplace_back("host");
    rows.columns.emplace_back("variant");
    for (const SweepColumn& column : settings_) rows.columns.push_back(column.name);
    for (const char* name : {"median_s", "gflops", "times_better", "runner_up", "processes", "result"})
      rows.columns.emplace_back(name);
    const auto points = over_processes(jobs_, group_count_);
    for (std::size_t i = 0; i < points.size();) {
      std::size_t end = i;
      const Candidate* winner = &points[i];
      for (; end < points.size() && points[end].group == points[i].group; ++end)
        if (points[end].score < winner->score) winner = &points[end];
      const Candidate* other_variant = nullptr;
      const Candidate* other_point = nullptr;
      for (std::size_t j = i; j < end; ++j) {
        const Candidate*& slot = points[j].variant != winner->variant ? other_variant : other_point;
        if (&points[j] != winner && (!slot || points[j].score < slot->score)) slot = &points[j];
      }
      if (auto done = add_row(*winner, other_variant ? other_variant : other_point); !done) return done;
      i = end;
    }
    return Done{};
  }

  Status add_row(const Candidate& winner, const Candidate* second) {
    std::vector<Value> best_values, second_values;
    if (auto done = look_up(winner, best_values); !done) return done;
    if (second)
      if (auto done = look_up(*second, second_values); !done) return done;
    std::vector<Value> row(best_values.begin() + 4,
                           best_values.begin() + 4 + static_cast<std::ptrdiff_t>(by_.size()));
    if (several_caches_) row.push_back(best_values[2]);
    if (several_hosts_) row.push_back(best_values[3]);
    row.push_back(best_values[1]);
    row.insert(row.end(), best_values.begin() + 4 + static_cast<std::ptrdiff_t>(by_.size()),
               best_values.end());
    const auto known = [](double x) { return std::isfinite(x) ? Value(x) : Value(); };
    row.push_back(known(winner.median_s));
    row.push_back(known(winner.gflops));
    const double ratio = second ? second->score / winner.score : kUnknown;
    row.push_back(known(question_.metric == Metric::gflops ? 1 / ratio : ratio));
    row.push_back(second ? Value(difference(best_values, second_values)) : Value());
    row.push_back(Value(static_cast<std::int64_t>(winner.processes)));
    row.push_back(best_values[0]);
    answer_.rows.rows.push_back(std::move(row));
    return Done{};
  }

  Reader& reader_;
  const BestQuestion& question_;
  BestAnswer answer_;
  std::vector<SweepColumn> by_, settings_;
  std::vector<Candidate> jobs_;
  std::uint32_t group_count_ = 0;
  bool several_caches_ = false, several_hosts_ = false;
  Statement lookup_;
};

}  // namespace

Result<BestAnswer> best(Reader& reader, const BestQuestion& question) {
  return Search(reader, question).answer();
}

}  // namespace kernsweep
