#include "results/answer/best/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "results/answer/best/best_groups.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/measure_of_groups.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "results/read/software_classes.hpp"
#include "results/roofs/implausible.hpp"
#include "shared/base/try.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/metric_name.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kSetOthers = 20;  // members of a set that are listed

class Search {
 public:
  Search(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
         const std::vector<SweepColumn>& by, const BestQuestion& question)
      : reader_(reader),
        sweep_(sweep),
        all_(rows),
        question_(question),
        answer_(answer_about(sweep, question)) {
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

  Result<BestAnswer> answer() {
    KS_ASSIGN_OR_RETURN(auto groups, BestGroups::make(reader_, sweep_, all_, by_, question_, answer_));
    groups_.emplace(std::move(groups));
    KS_ASSIGN_OR_RETURN(hosts_, host_names(reader_));
    find_several();
    name_columns();
    answer_.groups = groups_->groups().size();
    for (Group& group : groups_->groups()) {
      if (answer_.groups_told >= question_.rows_max) break;
      ++answer_.groups_told;
      groups_->compete(group);
      add_row(group.winner, &group);
      const auto others = groups_->several().find(groups_->spot_of(candidate(group.winner)));
      if (others == groups_->several().end()) continue;
      for (const std::uint32_t other : others->second)
        if (other != group.winner) add_row(other, nullptr);
    }
    return std::move(answer_);
  }

 private:
  const Candidate& candidate(std::uint32_t i) const { return groups_->candidates()[i]; }

  // Finds how the pieces of software that measured the same points differ.
  void find_several() {
    const auto& several = groups_->several();
    answer_.several_software = several.size();
    if (several.empty()) return;
    const auto texts = read_software(reader_);
    if (!texts) return;
    const auto text_of = [&](std::uint32_t i) {
      const std::int64_t id = all_.places[candidate(i).place].software_id;
      return std::ranges::find(*texts, id, &SoftwareTexts::id);
    };
    std::set<std::pair<std::uint16_t, std::uint16_t>> seen;
    for (const auto& [spot, candidates] : several) {
      for (std::size_t i = 1; i < candidates.size(); ++i) {
        if (!seen.emplace(candidate(candidates[0]).place, candidate(candidates[i]).place).second) continue;
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
    for (const std::size_t column : settings_) answer_.settings.push_back(all_.columns[column].name);
    answer_.by_variant = std::ranges::find(by_, all_.variant) != by_.end();
    // Only places in which a candidate competes.
    std::vector<char> used(all_.places.size(), 0);
    for (const Candidate& each : groups_->candidates()) used[each.place] = 1;
    const SweepRows::Place* first = nullptr;
    for (std::size_t p = 0; p < used.size(); ++p) {
      if (used[p] == 0) continue;
      if (!first) first = &all_.places[p];
      answer_.several_caches |= all_.places[p].cache != first->cache;
      answer_.several_hosts |= all_.places[p].host_id != first->host_id;
    }
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
      const bool bare = !same_variant && value.text() && !is_environment(name);
      text += (text.empty() ? "" : " ") + (bare ? "" : name + "=") +
              (value.is_null() ? "unset" : value.to_text());
    }
    return text;
  }

  // There is no ratio of numbers that may be negative.
  double times_better(double best, double other) const {
    if (!(best > 0) || !(other > 0)) return kUnknown;
    return groups_->larger_is_better() ? best / other : other / best;
  }

  // `wins`: the bound is shown to lie beyond 1.
  Interval ratio_bounds(std::uint32_t winner, std::uint32_t second, double ratio, bool wins) const {
    if (!groups_->evidence().known(winner) || !groups_->evidence().known(second))
      return {kUnknown, kUnknown};
    const PairEvidence found = weigh(groups_->evidence().way(winner), groups_->evidence().way(second),
                                     groups_->evidence().spread(), question_.rules);
    const bool shown = wins || found.ratio.low <= 1;
    return {shown ? std::min(found.ratio.low, ratio) : kUnknown, std::max(found.ratio.high, ratio)};
  }

  // `group`: null for a candidate that is only listed after the winner of a group.
  void add_row(std::uint32_t index, const Group* group) {
    const Candidate& shown = candidate(index);
    const SweepRows::Place& place = all_.places[shown.place];
    BestRow row{.cache = place.cache,
                .host = hosts_[place.host_id],
                .software = Value(place.software_id),
                .variant = all_.value(shown.point, all_.variant),
                .median_s = shown.median_s,
                .gflops = shown.gflops,
                .number = groups_->metric(shown),
                .bounds = groups_->bounds(index),
                .times_better = kUnknown,
                .times_better_bounds = {kUnknown, kUnknown},
                .processes = shown.processes,
                .processes_disturbed = groups_->evidence().disturbed(index),
                .result = shown.result,
                .set = set_of(index, group)};
    for (const std::size_t column : by_) row.problem.push_back(all_.value(shown.point, column));
    for (const std::size_t column : settings_) row.settings.push_back(all_.value(shown.point, column));
    if (group && group->judged() && group->verdict != ContestVerdict::alone) {
      row.verdict = group->verdict;
      row.processes_needed = group->processes_needed;
      row.equal_within = group->equal_within;
    }
    if (group && group->same_builds.contains(index))
      for (const std::uint32_t i : group->same_builds.at(index))
        row.same_builds.push_back(difference(shown.point, candidate(i).point));
    if (const std::uint32_t second = group ? group->runner_up() : kNone; second != kNone) {
      row.runner_up = difference(shown.point, candidate(second).point);
      row.times_better = times_better(row.number, groups_->metric(candidate(second)));
      if (std::isfinite(row.times_better))
        row.times_better_bounds =
            ratio_bounds(index, second, row.times_better, group->verdict == ContestVerdict::wins);
    }
    answer_.rows.push_back(std::move(row));
  }

  BestSet set_of(std::uint32_t shown, const Group* group) const {
    BestSet set;
    if (group == nullptr) return set;
    if (group->members.size() > 1) {
      set.not_judged_size = group->not_judged.size();
      for (const std::uint32_t i : group->not_judged)
        if (i != shown && set.not_judged.size() < kSetOthers) set.not_judged.push_back(member(shown, i));
    }
    if (group->leader == kNone) return set;
    std::vector<BestSetMember>& members = group->judged() ? set.members : set.others;
    members.push_back(member(shown, group->leader));
    for (const std::uint32_t i : group->set)
      if (members.size() <= kSetOthers) members.push_back(member(shown, i));
    if (group->judged())
      set.size = group->set.size() + 1;
    else if (group->verdict != ContestVerdict::alone)
      set.others_verdict = name_of(group->verdict);
    return set;
  }

  BestSetMember member(std::uint32_t leader, std::uint32_t index) const {
    const Candidate& shown = candidate(index);
    BestSetMember found{.number = groups_->metric(shown),
                        .result = shown.result,
                        .disturbed = groups_->disturbed(index),
                        .split = groups_->evidence().split(index)};
    if (index != leader) found.difference = difference(candidate(leader).point, shown.point);
    const auto add = [&](std::size_t column) {
      const Value& value = all_.value(shown.point, column);
      found.settings.emplace_back(all_.columns[column].name, value);
    };
    if (!answer_.by_variant) add(all_.variant);
    for (const std::size_t column : settings_) add(column);
    return found;
  }

  Reader& reader_;
  const StoredSweep& sweep_;
  const SweepRows& all_;
  const BestQuestion& question_;
  BestAnswer answer_;
  std::vector<std::size_t> by_, settings_;  // indices of columns
  std::optional<BestGroups> groups_;
  std::map<std::int64_t, Value> hosts_;  // names
};

}  // namespace

Result<BestAnswer> best_of(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                           const std::vector<SweepColumn>& by, const BestQuestion& question) {
  return Search(reader, sweep, rows, by, question).answer();
}

Result<BestAnswer> best(Reader& reader, const BestQuestion& asked) {
  const sqlite::Snapshot snapshot(reader.connection());
  BestQuestion question = asked;
  KS_RETURN_IF_ERROR(find_direction(reader, question));
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  question.rules = rules_for(sweep.record, question.rules);
  KS_ASSIGN_OR_RETURN(auto columns, reader.columns(sweep.id));
  std::vector<SweepColumn> by;
  if (question.by) {
    KS_ASSIGN_OR_RETURN(by, columns_named(columns, *question.by, sweep.record.name));
  } else {
    std::ranges::copy_if(columns, std::back_inserter(by), &SweepColumn::problem);
  }
  std::erase_if(columns, [&](const SweepColumn& column) {
    const auto same = [&](const SweepColumn& other) { return other.name == column.name; };
    return column.derived && !column.problem && std::ranges::none_of(by, same);
  });
  KS_ASSIGN_OR_RETURN(auto rows, read_graded_rows(reader, sweep, columns, stored_in(question)));
  std::vector<std::string> rates_for;
  if (question.by) {
    KS_ASSIGN_OR_RETURN(auto measure, common_measure(reader, sweep, rows, by, question));
    rates_for = std::move(measure.differ);
    if (measure.metric != question.metric) {
      question.metric = measure.metric;
      KS_ASSIGN_OR_RETURN(rows, read_graded_rows(reader, sweep, std::move(columns), stored_in(question)));
    }
  }
  KS_ASSIGN_OR_RETURN(auto answer, best_of(reader, sweep, rows, by, question));
  answer.rates_for = std::move(rates_for);
  KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader, sweep));
  note_outputs(answer, outputs);
  if (answer.left_out_grade + answer.disturbed_jobs == 0) return answer;
  KS_ASSIGN_OR_RETURN(answer.grade_cause, main_grade_cause(reader, sweep.id, question.worst_grade));
  return answer;
}

}  // namespace kernsweep
