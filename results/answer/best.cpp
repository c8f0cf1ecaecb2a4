#include "results/answer/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

#include "results/answer/best_metric.hpp"
#include "results/answer/metric_direction.hpp"
#include "results/read/software_classes.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {

using sqlite::Step;

bool describes_problem(const SweepColumn& column) {
  static constexpr std::string_view kSettings[] = {"variant", "threads", "library", "algorithm",
                                                   "implementation"};
  static constexpr std::string_view kPrefixes[] = {"env.", "blas.", "block", "tile", "unroll"};
  if (column.derived || column.has_null) return false;
  if (std::ranges::find(kSettings, column.name) != std::end(kSettings)) return false;
  return std::ranges::none_of(kPrefixes, [&](std::string_view p) { return column.name.starts_with(p); });
}

namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;

// The best candidate of a group, and the best of those that lose against it.
struct Contest {
  std::uint32_t winner = kNobody;
  std::uint32_t other_variant = kNobody;
  std::uint32_t other_point = kNobody;  // of the same variant
  std::uint32_t runner_up() const { return other_variant != kNobody ? other_variant : other_point; }
};

class Search {
 public:
  Search(Reader& reader, const SweepRows& rows, const std::vector<SweepColumn>& by,
         const BestQuestion& question)
      : reader_(reader), all_(rows), question_(question) {
    const auto at = [&](const SweepColumn& wanted) {
      const auto same = [&](const SweepColumn& column) { return column.stored == wanted.stored; };
      return static_cast<std::size_t>(std::ranges::find_if(all_.columns, same) - all_.columns.begin());
    };
    for (const SweepColumn& column : by) {
      answer_.by.push_back(column.name);
      by_.push_back(at(column));
      KS_ASSERT(by_.back() < all_.columns.size());
    }
    for (std::size_t c = 0; c < all_.columns.size(); ++c)
      if (!all_.columns[c].derived && c != all_.variant && std::ranges::find(by_, c) == by_.end())
        settings_.push_back(c);
  }

  BestAnswer answer() {
    answer_.metric = name_in(question_);
    answer_.better = better_in(question_);
    answer_.worst_grade = question_.worst_grade;
    enter();
    compete();
    find_several();
    name_columns();
    answer_.groups = contests_.size();
    for (const Contest& contest : contests_) {
      if (answer_.groups_told >= question_.rows_max) break;
      ++answer_.groups_told;
      const std::uint32_t second = contest.runner_up();
      add_row(candidates_[contest.winner], second == kNobody ? nullptr : &candidates_[second]);
      const auto others = several_.find(spot_of(candidates_[contest.winner]));
      if (others == several_.end()) continue;
      for (const std::uint32_t other : others->second)
        if (other != contest.winner) add_row(candidates_[other], nullptr);
    }
    return std::move(answer_);
  }

 private:
  double metric(const auto& of) const {
    if (question_.metric == BestMetric::gflops) return of.gflops;
    return question_.metric == BestMetric::median_s ? of.median_s : of.extra;
  }

  bool larger_is_better() const { return answer_.better == Better::larger; }

  void enter() {
    answer_.jobs = all_.read;
    answer_.left_out_failed = all_.not_ok;
    for (const SweepRows::Job& job : all_.jobs) {
      if (std::isnan(metric(job)))
        ++answer_.left_out_without;
      else if (!good_enough(job))
        ++answer_.left_out_grade;
    }
    candidates_ = candidates_of(
        all_, [this](const SweepRows::Job& job) { return !std::isnan(metric(job)) && good_enough(job); });
  }

  bool good_enough(const SweepRows::Job& job) const {
    return job.grade == 0 || job.grade <= question_.worst_grade;
  }

  // The better number, or at a draw the earlier point.
  bool better(std::uint32_t a, std::uint32_t b) const {
    if (b == kNobody) return true;
    const double x = metric(candidates_[a]), y = metric(candidates_[b]);
    if (x != y) return larger_is_better() ? x > y : x < y;
    return all_.positions[candidates_[a].point] < all_.positions[candidates_[b].point];
  }

  std::vector<std::uint32_t> keys_of(const std::vector<Candidate>& candidates) const {
    std::vector<std::uint32_t> keys;
    keys.reserve((by_.size() + 1) * candidates.size());
    for (const Candidate& candidate : candidates) {
      for (const std::size_t column : by_) keys.push_back(all_.code(candidate.point, column));
      keys.push_back(all_.places[candidate.place].spot);
    }
    return keys;
  }

  // Which group each candidate is in: the values of `by`, and the spot.
  std::vector<std::uint32_t> groups() {
    const std::size_t width = by_.size() + 1;
    const std::vector<std::uint32_t> keys = keys_of(candidates_);
    RowNumbers numbers(width, width);
    std::vector<std::uint32_t> of;
    of.reserve(candidates_.size());
    for (std::size_t i = 0; i < candidates_.size(); ++i) of.push_back(numbers.number(&keys[i * width]));
    answer_.everywhere.assign(by_.size(), 1);
    for (std::size_t i = 0; i < keys.size(); i += width)
      for (std::size_t c = 0; c < by_.size(); ++c)
        if (keys[i + c] != keys[c]) answer_.everywhere[c] = 0;
    contests_.resize(numbers.size());
    if (answer_.left_out_grade == 0) return of;
    const std::vector<std::uint32_t> lost = keys_of(candidates_of(
        all_, [this](const SweepRows::Job& job) { return !std::isnan(metric(job)) && !good_enough(job); }));
    for (std::size_t i = 0; i < lost.size(); i += width) numbers.number(&lost[i]);
    answer_.lost_groups = numbers.size() - contests_.size();
    return of;
  }

  void compete() {
    const std::vector<std::uint32_t> group = groups();
    for (std::uint32_t i = 0; i < candidates_.size(); ++i)
      if (better(i, contests_[group[i]].winner)) contests_[group[i]].winner = i;
    if (contests_.size() == candidates_.size()) return;  // nobody has a rival
    const auto variant = [&](std::uint32_t i) { return all_.code(candidates_[i].point, all_.variant); };
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      Contest& contest = contests_[group[i]];
      // The same point, as other software measured it, is no rival.
      if (i == contest.winner || candidates_[i].point == candidates_[contest.winner].point) continue;
      std::uint32_t& second =
          variant(i) != variant(contest.winner) ? contest.other_variant : contest.other_point;
      if (better(i, second)) second = i;
    }
  }

  std::uint64_t spot_of(const Candidate& candidate) const {
    return std::uint64_t{candidate.point} << 16 | all_.places[candidate.place].spot;
  }

  // The points that several pieces of software have measured, and what differs between these.
  void find_several() {
    const std::vector<char> several = of_several_software(all_, candidates_);
    for (std::uint32_t i = 0; i < several.size(); ++i)
      if (several[i] != 0) several_[spot_of(candidates_[i])].push_back(i);
    answer_.several_software = several_.size();
    if (several_.empty()) return;
    const auto texts = read_software(reader_);
    if (!texts) return;
    const auto text_of = [&](std::uint32_t candidate) {
      const std::int64_t id = all_.places[candidates_[candidate].place].software_id;
      return std::ranges::find(*texts, id, &SoftwareTexts::id);
    };
    std::set<std::pair<std::uint16_t, std::uint16_t>> seen;
    for (const auto& [spot, candidates] : several_) {
      for (std::size_t i = 1; i < candidates.size(); ++i) {
        if (!seen.emplace(candidates_[candidates[0]].place, candidates_[candidates[i]].place).second)
          continue;
        const auto a = text_of(candidates[0]), b = text_of(candidates[i]);
        if (a == texts->end() || b == texts->end()) continue;
        for (std::string& name : contradictions(*a, *b))
          if (std::ranges::find(answer_.changed, name) == answer_.changed.end())
            answer_.changed.push_back(std::move(name));
      }
    }
    std::ranges::sort(answer_.changed);
  }

  void name_columns() {
    // Only places that somebody competes in.
    std::vector<char> used(all_.places.size(), 0);
    for (const Candidate& candidate : candidates_) used[candidate.place] = 1;
    const SweepRows::Place* first = nullptr;
    for (std::size_t p = 0; p < used.size(); ++p) {
      if (used[p] == 0) continue;
      if (!first) first = &all_.places[p];
      several_caches_ = several_caches_ || all_.places[p].cache != first->cache;
      several_hosts_ = several_hosts_ || all_.places[p].host_id != first->host_id;
    }
    std::vector<std::string>& columns = answer_.rows.columns;
    columns = answer_.by;
    if (several_caches_) columns.emplace_back("cache");
    if (several_hosts_) columns.emplace_back("host");
    if (!several_.empty()) columns.emplace_back("software");
    columns.emplace_back("variant");
    for (const std::size_t column : settings_) columns.push_back(all_.columns[column].name);
    for (const char* name : {"median_s", "gflops"}) columns.emplace_back(name);
    if (has_extra()) columns.push_back(name_in(question_));
    for (const char* name : {"times_better", "runner_up", "processes", "result"})
      columns.emplace_back(name);
  }

  bool has_extra() const { return !stored_in(question_).empty(); }

  Value host_name(std::int64_t id) {
    const auto [at, added] = hosts_.try_emplace(id);
    if (!added) return at->second;
    auto name = reader_.connection().prepare("select name from host where id = ?");
    if (!name) return at->second;
    name->bind(1, id);
    if (name->step() == Step::row) at->second = name->value(0);
    return at->second;
  }

  // Of another variant: its name and its settings that differ, those that it lacks left out; texts tell
  // what they are, numbers do not. Of the same variant: each setting that differs.
  std::string difference(std::uint32_t best, std::uint32_t other) const {
    const bool same_variant = all_.code(best, all_.variant) == all_.code(other, all_.variant);
    std::string text = same_variant ? "" : all_.value(other, all_.variant).to_text();
    for (const std::size_t column : settings_) {
      const Value& value = all_.value(other, column);
      if (all_.code(best, column) == all_.code(other, column) || (!same_variant && value.is_null()))
        continue;
      const std::string& name = all_.columns[column].name;
      const bool bare = !same_variant && value.text() && !name.starts_with("env.");
      text += (text.empty() ? "" : " ") + (bare ? "" : name + "=") +
              (value.is_null() ? "unset" : value.to_text());
    }
    return text;
  }

  // Of numbers that may be negative there is no ratio.
  double times_better(double best, double other) const {
    if (!(best > 0) || !(other > 0)) return kUnknown;
    return larger_is_better() ? best / other : other / best;
  }

  // `second`: nobody when null.
  void add_row(const Candidate& winner, const Candidate* second) {
    std::vector<Value> row;
    row.reserve(answer_.rows.columns.size());
    for (const std::size_t column : by_) row.push_back(all_.value(winner.point, column));
    if (several_caches_) row.push_back(all_.places[winner.place].cache);
    if (several_hosts_) row.push_back(host_name(all_.places[winner.place].host_id));
    if (!several_.empty()) row.push_back(Value(all_.places[winner.place].software_id));
    row.push_back(all_.value(winner.point, all_.variant));
    for (const std::size_t column : settings_) row.push_back(all_.value(winner.point, column));
    const auto known = [](double x) { return std::isfinite(x) ? Value(x) : Value(); };
    row.push_back(known(winner.median_s));
    row.push_back(known(winner.gflops));
    if (has_extra()) row.push_back(known(winner.extra));
    row.push_back(known(second ? times_better(metric(winner), metric(*second)) : kUnknown));
    row.push_back(second ? Value(difference(winner.point, second->point)) : Value());
    row.push_back(Value(static_cast<std::int64_t>(winner.processes)));
    row.push_back(Value(static_cast<std::int64_t>(winner.result)));
    answer_.rows.rows.push_back(std::move(row));
  }

  Reader& reader_;
  const SweepRows& all_;
  const BestQuestion& question_;
  BestAnswer answer_;
  std::vector<std::size_t> by_, settings_;  // positions among the columns
  std::vector<Candidate> candidates_;
  std::vector<Contest> contests_;  // of each group, in the order met
  bool several_caches_ = false, several_hosts_ = false;
  std::unordered_map<std::int64_t, Value> hosts_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> several_;  // candidates, by point and spot
};

Result<std::vector<SweepColumn>> named(const std::vector<SweepColumn>& columns,
                                       const std::vector<std::string>& wanted, const std::string& sweep) {
  std::vector<std::string> names;
  for (const SweepColumn& column : columns) names.push_back(column.name);
  std::vector<SweepColumn> found;
  for (const std::string& name : wanted) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end())
      return failure(
          fmt::format("sweep '{}' has no column '{}'{}", sweep, name, did_you_mean(name, names)));
    found.push_back(columns[static_cast<std::size_t>(at - names.begin())]);
  }
  return found;
}

}  // namespace

BestAnswer best_of(Reader& reader, const SweepRows& rows, const std::vector<SweepColumn>& by,
                   const BestQuestion& question) {
  return Search(reader, rows, by, question).answer();
}

Result<BestAnswer> best(Reader& reader, const BestQuestion& asked) {
  const sqlite::Snapshot snapshot(reader.connection());
  BestQuestion question = asked;
  if (question.metric == BestMetric::counted && question.better == Better::unknown) {
    const auto better = better_of_counted(reader, question.counted);
    if (!better) return tl::unexpected<Error>(better.error());
    question.better = *better;
  }
  const auto sweep = reader.find_sweep(question.sweep);
  if (!sweep) return tl::unexpected<Error>(sweep.error());
  auto columns = reader.columns(sweep->id);
  if (!columns) return tl::unexpected<Error>(columns.error());
  std::vector<SweepColumn> by;
  if (question.by) {
    auto found = named(*columns, *question.by, sweep->record.name);
    if (!found) return tl::unexpected<Error>(found.error());
    by = std::move(*found);
  } else {
    std::ranges::copy_if(*columns, std::back_inserter(by), describes_problem);
  }
  std::erase_if(*columns, [&](const SweepColumn& column) {
    const auto same = [&](const SweepColumn& other) { return other.name == column.name; };
    return column.derived && std::ranges::none_of(by, same);
  });
  const auto rows = read_rows(reader, *sweep, std::move(*columns), stored_in(question));
  if (!rows) return tl::unexpected<Error>(rows.error());
  BestAnswer answer = best_of(reader, *rows, by, question);
  answer.sweep = sweep->record.name;
  answer.id = sweep->id;
  if (answer.left_out_grade == 0) return answer;
  auto cause = main_grade_cause(reader, sweep->id, question.worst_grade);
  if (!cause) return tl::unexpected<Error>(cause.error());
  answer.grade_cause = std::move(*cause);
  return answer;
}

}  // namespace kernsweep
