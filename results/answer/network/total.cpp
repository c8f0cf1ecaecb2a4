#include "results/answer/network/total.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "results/answer/best/best_groups.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/network/network_points.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "shared/base/try.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

bool names(const std::vector<std::string>& names, const std::string& column) {
  return std::ranges::find(names, column) != names.end();
}

// A setting that distinguishes layers counts as part of the problem, because imported results have no other
// columns.
bool tells_problems_apart(const SweepColumn& column, const TotalQuestion& question) {
  return column.problem || column.name == "count" || names(question.layer, column.name);
}

class Networks {
 public:
  Networks(const SweepRows& rows, BestGroups& groups, const TotalQuestion& question, TotalAnswer& answer)
      : rows_(rows), groups_(groups), question_(question), answer_(answer) {
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      const std::string& name = rows.columns[c].name;
      if (name == "count") count_ = c;
      if (names(question.same, name)) same_.push_back(c);
      if (name != "count" && names(question.layer, name))
        layer_.push_back(c);
      else if (rows.columns[c].problem && name != "count")
        other_.push_back(c);
      else if (!rows.columns[c].problem && !rows.columns[c].derived && c != rows.variant &&
               name != "count" && name != "label")
        settings_.push_back(c);
    }
    // A value that is equal in all points distinguishes none of them.
    std::erase_if(settings_, [&](std::size_t column) {
      const auto code = [&](const Candidate& each) { return rows.code(each.point, column); };
      const auto same = [&](const Candidate& each) {
        return code(each) == code(groups.candidates().front());
      };
      return std::ranges::all_of(groups.candidates(), same);
    });
    for (const std::size_t c : layer_) answer.layer.push_back(rows.columns[c].name);
    for (const std::size_t c : same_) answer.same.push_back(rows.columns[c].name);
  }

  // Error: a count is not above zero.
  Status fill(const std::vector<std::string>& hosts) {
    keep_what_layers_leave_open();
    std::map<std::vector<std::uint32_t>, std::vector<Group*>> networks;
    for (Group& group : groups_.groups()) {
      groups_.compete(group);
      const Candidate& first = groups_.candidates()[group.members.front()];
      std::vector<std::uint32_t> key;
      for (const std::size_t column : other_) key.push_back(rows_.code(first.point, column));
      key.push_back(rows_.places[first.place].spot);
      networks[key].push_back(&group);
    }
    std::vector<char> differ(other_.size() + 2, 0);
    const Group* const any = networks.empty() ? nullptr : networks.begin()->second.front();
    for (const auto& [key, groups] : networks)
      for (std::size_t i = 0; i < differ.size(); ++i)
        if (value_of(*groups.front(), i, hosts) != value_of(*any, i, hosts)) differ[i] = 1;
    for (const auto& [key, groups] : networks) {
      TotalNetwork network;
      for (std::size_t i = 0; i < differ.size(); ++i)
        if (differ[i] != 0) network.of.emplace_back(name_at(i), value_of(*groups.front(), i, hosts));
      KS_RETURN_IF_ERROR(add(groups, network));
      answer_.networks.push_back(std::move(network));
    }
    return Done{};
  }

 private:
  // Whether a column has one value wherever these have one.
  bool follows(std::size_t column, const std::vector<std::size_t>& from) const {
    std::map<std::vector<std::uint32_t>, std::uint32_t> value_of;
    for (const Group& group : groups_.groups()) {
      const std::uint32_t point = groups_.candidates()[group.members.front()].point;
      std::vector<std::uint32_t> key;
      for (const std::size_t of : from) key.push_back(rows_.code(point, of));
      const std::uint32_t code = rows_.code(point, column);
      if (value_of.try_emplace(std::move(key), code).first->second != code) return false;
    }
    return true;
  }

  // Drops columns of the table that follow from the layer and from the remaining columns. Sizes come first:
  // label and model follow from them, and the model then distinguishes networks.
  void keep_what_layers_leave_open() {
    std::vector<std::size_t> table;
    std::ranges::copy_if(other_, std::back_inserter(table), [&](std::size_t column) {
      return names(question_.table, rows_.columns[column].name);
    });
    std::stable_partition(table.begin(), table.end(), [&](std::size_t column) {
      return std::ranges::all_of(rows_.values[column].values(),
                                 [](const Value& value) { return value.number() || value.is_null(); });
    });
    for (const std::size_t column : table) {
      std::vector<std::size_t> from = layer_;
      std::ranges::copy_if(other_, std::back_inserter(from),
                           [&](std::size_t other) { return other != column; });
      if (!follows(column, from)) continue;
      std::erase(other_, column);
      if (rows_.values[column].values().size() > 1) answer_.follow.push_back(rows_.columns[column].name);
    }
  }

  // The name: values of the columns that distinguish networks, then the cache state and the host.
  std::string name_at(std::size_t i) const {
    return i < other_.size() ? rows_.columns[other_[i]].name : i == other_.size() ? "cache" : "host";
  }
  Value value_of(const Group& group, std::size_t i, const std::vector<std::string>& hosts) const {
    const Candidate& first = groups_.candidates()[group.members.front()];
    const SweepRows::Place& place = rows_.places[first.place];
    if (i < other_.size()) return rows_.value(first.point, other_[i]);
    return i == other_.size() ? place.cache : Value(hosts[place.spot]);
  }

  TotalPoint point_of(std::uint32_t index) const {
    const Candidate& candidate = groups_.candidates()[index];
    TotalPoint point{.median_s = candidate.median_s,
                     .processes = candidate.processes,
                     .result = candidate.result,
                     .disturbed = groups_.disturbed(index)};
    const Value& variant = rows_.value(candidate.point, rows_.variant);
    if (!variant.is_null()) point.setting = variant.to_text();
    for (const std::size_t column : settings_) {
      const Value& value = rows_.value(candidate.point, column);
      if (value.is_null()) continue;
      point.setting +=
          (point.setting.empty() ? "" : " ") + rows_.columns[column].name + "=" + value.to_text();
    }
    if (point.setting.empty()) point.setting = "the one setting";
    return point;
  }

  Result<NetworkLayer> layer_of(Group& group) const {
    const Candidate& first = groups_.candidates()[group.members.front()];
    const Value& count = rows_.value(first.point, count_);
    if (!count.number() || !(*count.number() > 0) || !std::isfinite(*count.number()))
      return failure(
          fmt::format("the column `count` says how often a layer occurs, and is '{}' for the layer of "
                      "result {}: it must "
                      "be a number above zero; see kernsweep show",
                      one_line(count.to_text(), 60), first.result));
    NetworkLayer layer{.count = *count.number(), .group = &group, .choice = {}};
    for (const std::uint32_t i : group.members) {
      std::vector<std::uint32_t> key;
      for (const std::size_t column : same_)
        key.push_back(rows_.code(groups_.candidates()[i].point, column));
      const auto [at, added] = layer.choice.try_emplace(std::move(key), i);
      if (!added && (i == group.winner || (at->second != group.winner && groups_.better(i, at->second))))
        at->second = i;
    }
    return layer;
  }

  Status add(const std::vector<Group*>& groups, TotalNetwork& network) const {
    NetworkPoints points(groups_, question_.of.rules);
    for (Group* group : groups) {
      KS_ASSIGN_OR_RETURN(auto layer, layer_of(*group));
      points.layers.push_back(std::move(layer));
    }
    points.decide(network);
    for (TotalChoice& choice : network.choices) {
      const auto codes = std::exchange(choice.values, {});
      for (std::size_t i = 0; i < same_.size(); ++i)
        choice.values.push_back(
            rows_.values[same_[i]].values()[static_cast<std::size_t>(*codes[i].integer())]);
    }
    for (std::size_t i = 0; i < points.layers.size(); ++i) {
      const Group& group = *points.layers[i].group;
      TotalLayer& layer = network.layers[i];
      const Candidate& first = groups_.candidates()[group.members.front()];
      for (const std::size_t column : layer_) layer.values.push_back(rows_.value(first.point, column));
      layer.best = point_of(group.winner);
      if (points.single[i] != kNone) layer.single = point_of(points.single[i]);
      if (group.judged() && group.verdict != ContestVerdict::alone) layer.verdict = name_of(group.verdict);
    }
    return Done{};
  }

  const SweepRows& rows_;
  BestGroups& groups_;
  const TotalQuestion& question_;
  TotalAnswer& answer_;
  std::size_t count_ = 0;
  std::vector<std::size_t> layer_, other_, same_, settings_;
};

// Error: a column is missing, or cannot be held fixed.
Status check_columns(const std::vector<SweepColumn>& known, const TotalQuestion& question,
                     const std::string& sweep) {
  if (std::ranges::find(known, "count", &SweepColumn::name) == known.end())
    return failure(fmt::format(
        "sweep '{}' has no column `count`, which says how often a network has each layer; give its "
        "problems "
        "as a table with one, as sweeps/resnet50_conv.yaml does (`kernsweep example resnet50_conv`)",
        sweep));
  for (const auto* names : {&question.layer, &question.same})
    KS_RETURN_IF_ERROR(columns_named(known, *names, sweep));
  for (const std::string& name : question.same) {
    const SweepColumn& column = *std::ranges::find(known, name, &SweepColumn::name);
    if (column.problem || column.derived)
      return failure(fmt::format("'{}' is {}: --same names settings, which may be chosen", name,
                                 column.problem ? "part of the problem" : "derived from other columns"));
    if (names(question.layer, name))
      return failure(
          fmt::format("'{0}' is in --layer and in --same (default: variant); a column either identifies a "
                      "layer or is a setting: remove it from one",
                      name));
  }
  return Done{};
}

// In a sweep without an axis `variant` a choice holds the first setting fixed, unless the question has one.
void hold_fixed(const std::vector<SweepColumn>& own, TotalQuestion& question) {
  if (question.same != TotalQuestion().same) return;
  const auto setting = std::ranges::find_if(own, [&](const SweepColumn& column) {
    return !tells_problems_apart(column, question) && !column.derived && column.name != "label";
  });
  if (setting != own.end()) question.same = {setting->name};
}

}  // namespace

Result<TotalAnswer> total(Reader& reader, const TotalQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  TotalQuestion asked = question;
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(asked.of.sweep));
  asked.of.rules = rules_for(sweep.record, asked.of.rules);
  KS_ASSIGN_OR_RETURN(const auto own, reader.columns(sweep.id));
  const std::vector<SweepColumn> known = with_variant(own);
  if (known.size() != own.size()) hold_fixed(own, asked);
  KS_RETURN_IF_ERROR(check_columns(known, asked, sweep.record.name));
  std::vector<SweepColumn> columns;
  std::ranges::copy_if(known, std::back_inserter(columns), [&](const SweepColumn& column) {
    return !column.derived || tells_problems_apart(column, asked);
  });
  KS_ASSIGN_OR_RETURN(const auto rows,
                      read_chosen_rows(reader, sweep, known, std::move(columns), "", asked.where));
  std::vector<std::size_t> by;
  for (std::size_t c = 0; c < rows.columns.size(); ++c)
    if (tells_problems_apart(rows.columns[c], asked)) by.push_back(c);
  TotalAnswer answer;
  answer.about = answer_about(sweep, asked.of);
  answer.layers = asked.layers;
  answer.margin = asked.of.rules.margin;
  answer.alpha = asked.of.rules.alpha;
  KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader, sweep));
  answer.about.all_other_outputs = outputs.warned();
  KS_ASSIGN_OR_RETURN(auto groups, BestGroups::make(reader, sweep, rows, by, asked.of, answer.about));
  KS_ASSIGN_OR_RETURN(const auto hosts, host_of_spots(reader, rows));
  KS_RETURN_IF_ERROR(Networks(rows, groups, asked, answer).fill(hosts));
  return answer;
}

}  // namespace kernsweep
