#include "results/answer/outputs/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "results/read/sweep_rows.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

constexpr const char* kSample = "r.output_sample";

// Settings with the same output. The output of the first member represents all.
struct OutputGroup {
  std::vector<std::size_t> members;
};

std::vector<OutputGroup> groups_of(std::span<const SettingOutput> settings,
                                   const std::vector<std::size_t>& compared) {
  std::vector<OutputGroup> groups;
  for (const std::size_t i : compared) {
    const auto same = [&](const OutputGroup& group) {
      return agree(settings[group.members.front()].sample, settings[i].sample);
    };
    const auto found = std::ranges::find_if(groups, same);
    (found == groups.end() ? groups.emplace_back() : *found).members.push_back(i);
  }
  return groups;
}

// The first setting each of whose values has only one output, so that it may be part of the problem; empty:
// none.
std::string what_tells_apart(std::span<const SettingOutput> settings, std::span<const std::string> names,
                             const std::vector<OutputGroup>& groups) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::map<std::string, std::size_t> group_of;
    bool is_told = names[c] != "variant";
    for (std::size_t group = 0; group < groups.size() && is_told; ++group)
      for (const std::size_t i : groups[group].members)
        is_told =
            is_told && group_of.try_emplace(settings[i].values[c].to_text(), group).first->second == group;
    if (is_told) return names[c];
  }
  return "";
}

OutputRemark remark_about(const OutputGroup& group, std::size_t groups, std::size_t largest,
                          std::size_t all, const std::string& told_apart_by) {
  const std::size_t same = group.members.size();
  if (same == all) return {false, "", fmt::format("the same as in all {} other settings", all - 1)};
  if (2 * same > all)
    return {false, "", fmt::format("the same as in {} of {} other settings", same - 1, all - 1)};
  if (2 * largest > all)
    return {true, fmt::format("differs from {} of {}", all - same, all),
            fmt::format("the output differs from that of {} of {} settings", all - same, all)};
  OutputRemark remark{true, same == 1 ? "no other agrees" : fmt::format("{} of {} agree", same, all), ""};
  remark.reason =
      all == 2 ? "the outputs of the two settings differ"
      : groups == 2
          ? fmt::format("{} of {} settings have this output, {} have another", same, all, all - same)
          : fmt::format("no output is shared by more than half of the {} settings: {} this one", all,
                        same == 1 ? "1 has" : std::to_string(same) + " have");
  if (!told_apart_by.empty())
    remark.reason += fmt::format(
        "; each value of `{0}` has an output of its own: if `{0}` changes what is "
        "computed, list it in `problem`",
        told_apart_by);
  return remark;
}

void remark_on_groups(std::span<const SettingOutput> settings, std::span<const std::string> names,
                      const std::vector<std::size_t>& compared, std::vector<OutputRemark>& remarks) {
  const std::vector<OutputGroup> groups = groups_of(settings, compared);
  const auto size = [](const OutputGroup& group) { return group.members.size(); };
  const std::size_t all = compared.size(), largest = size(*std::ranges::max_element(groups, {}, size));
  const auto is_text = [&](std::size_t i) { return settings[i].sample.type == "text"; };
  if (largest == 1 && std::ranges::all_of(compared, is_text)) {
    for (const std::size_t i : compared)
      remarks[i] = {false, "all differ",
                    fmt::format("all {} settings print different text, so the output seems to depend on "
                                "the setting and is not compared; set verify.reference to check it",
                                all)};
    return;
  }
  const std::string apart = 2 * largest > all ? "" : what_tells_apart(settings, names, groups);
  for (const OutputGroup& group : groups)
    for (const std::size_t i : group.members)
      remarks[i] = remark_about(group, groups.size(), largest, all, apart);
  if (2 * largest <= all) return;
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (!remarks[i].warns && (settings[i].varies || settings[i].sample.runs == 0))
      remarks[i].in_row = "varies";
}

}  // namespace

std::vector<OutputRemark> compare_outputs(std::span<const SettingOutput> settings,
                                          std::span<const std::string> names) {
  std::vector<OutputRemark> remarks(settings.size());
  std::vector<std::size_t> compared;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (settings[i].sample.runs == 0)
      remarks[i].reason = "the output differs between runs of one process, so it is not compared";
    else if (settings[i].varies && settings[i].repeats && settings[i].sample.has_numbers())
      remarks[i] = {true, "differs by process",
                    "each process repeats its output, but processes of this point have different ones"};
    else if (settings[i].varies)
      remarks[i].reason = "the output differs between processes of this point, so it is not compared";
    else if (settings[i].sample.runs == 1)
      remarks[i].reason =
          "it is not known whether a second run would give the same output, so it is not compared; "
          "measure.processes or verify.repeat takes more";
    else
      compared.push_back(i);
  }
  if (compared.size() > 1) remark_on_groups(settings, names, compared, remarks);
  return remarks;
}

Result<bool> has_output_samples(Reader& reader) {
  KS_ASSIGN_OR_RETURN(auto found,
                      reader.connection().prepare(
                          "select exists (select 1 from text where substr(content, 1, 5) = 'runs=')"));
  if (found.step() == Step::failed) return failure(found.why());
  return found.integer(0) != 0;
}

namespace {

class Reading {
 public:
  Reading(Reader& reader, const StoredSweep& sweep) : reader_(reader), sweep_(sweep) {}

  Status read() {
    KS_ASSIGN_OR_RETURN(auto columns, reader_.columns(sweep_.id));
    std::erase_if(columns, [](const SweepColumn& column) { return column.derived && !column.problem; });
    KS_ASSIGN_OR_RETURN(rows_, read_rows(reader_, sweep_, std::move(columns), kSample));
    std::vector<std::uint32_t> of_job;
    const auto kept = [](const SweepRows::Job& job) { return !std::isnan(job.extra); };
    points_ = candidates_of(rows_, kept, of_job);
    outputs_.resize(points_.size());
    for (std::size_t i = 0; i < rows_.jobs.size(); ++i)
      if (of_job[i] != UINT32_MAX) KS_RETURN_IF_ERROR(take(rows_.jobs[i], outputs_[of_job[i]]));
    return Done{};
  }

  // Calls use(settings, names, results of each setting) for each problem.
  template <class Use>
  void each_problem(Use use) const {
    std::vector<std::size_t> of_problem, of_settings;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < rows_.columns.size(); ++c) {
      (rows_.columns[c].problem ? of_problem : of_settings).push_back(c);
      if (!rows_.columns[c].problem) names.push_back(rows_.columns[c].name);
    }
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> problems;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (outputs_[p].results.empty()) continue;
      std::vector<std::uint32_t> key = {rows_.places[points_[p].place].spot};
      for (const std::size_t c : of_problem) key.push_back(rows_.code(points_[p].point, c));
      problems[key].push_back(p);
    }
    for (const auto& [key, members] : problems) {
      std::vector<SettingOutput> settings;
      std::vector<const std::vector<std::uint64_t>*> results;
      for (const std::size_t p : members) {
        SettingOutput& one = settings.emplace_back(outputs_[p].of);
        for (const std::size_t c : of_settings) one.values.push_back(rows_.value(points_[p].point, c));
        results.push_back(&outputs_[p].results);
      }
      use(settings, names, results);
    }
  }

 private:
  struct PointOutput {
    SettingOutput of;
    std::vector<std::uint64_t> results;  // with a sample
  };

  Status take(const SweepRows::Job& job, PointOutput& point) {
    KS_ASSIGN_OR_RETURN(const auto sample, sample_numbered(static_cast<std::int64_t>(job.extra)));
    if (!sample) return Done{};
    OutputSample& known = point.of.sample;
    if (point.results.empty())
      known = *sample;
    else if (known.runs == 0 || sample->runs == 0)
      known.runs = 0;
    else if (agree(known, *sample))
      known.runs += sample->runs;
    else
      point.of.varies = true;
    point.of.repeats = point.of.repeats && sample->runs >= 2;
    point.results.push_back(job.result);
    return Done{};
  }

  // Null: the text is not a sample.
  Result<const OutputSample*> sample_numbered(std::int64_t id) {
    const auto [at, added] = samples_.try_emplace(id);
    if (added) {
      KS_ASSIGN_OR_RETURN(auto text, reader_.connection().prepare("select content from text where id = ?"));
      text.bind(1, id);
      const Step step = text.step();
      if (step == Step::failed) return failure(text.why());
      if (step == Step::row) at->second = output_sample_of(text.text(0));
    }
    return at->second ? &*at->second : nullptr;
  }

  Reader& reader_;
  const StoredSweep& sweep_;
  SweepRows rows_;
  std::vector<Candidate> points_;
  std::vector<PointOutput> outputs_;                                       // of each
  std::unordered_map<std::int64_t, std::optional<OutputSample>> samples_;  // by id of their text
};

}  // namespace

Result<ComparedOutputs> ComparedOutputs::of(Reader& reader, const StoredSweep& sweep) {
  ComparedOutputs out;
  if (sweep.record.outputs_ignored) return out;
  KS_ASSIGN_OR_RETURN(const auto any, has_output_samples(reader));
  if (!any) return out;
  Reading reading(reader, sweep);
  KS_RETURN_IF_ERROR(reading.read());
  reading.each_problem([&](const auto& settings, const auto& names, const auto& results) {
    std::vector<OutputRemark> remarks = compare_outputs(settings, names);
    for (std::size_t i = 0; i < remarks.size(); ++i) {
      if (remarks[i].reason.empty()) continue;
      for (const std::uint64_t result : *results[i])
        out.remark_of_[result] = static_cast<std::uint32_t>(out.remarks_.size());
      out.remarks_.push_back(std::move(remarks[i]));
    }
  });
  return out;
}

const OutputRemark* ComparedOutputs::about(std::uint64_t result) const {
  const auto found = remark_of_.find(result);
  return found == remark_of_.end() ? nullptr : &remarks_[found->second];
}

std::vector<OtherOutput> ComparedOutputs::warned() const {
  std::vector<std::uint64_t> result_of(remarks_.size(), 0), results_of(remarks_.size(), 0);
  for (const auto& [result, remark] : remark_of_) {
    if (results_of[remark]++ == 0 || result < result_of[remark]) result_of[remark] = result;
  }
  std::vector<OtherOutput> all;
  for (std::size_t i = 0; i < remarks_.size(); ++i)
    if (remarks_[i].warns) all.push_back({result_of[i], remarks_[i].reason, results_of[i]});
  return all;
}

void note_outputs(BestAnswer& answer, const ComparedOutputs& compared) {
  for (BestRow& row : answer.rows) {
    const OutputRemark* const remark = compared.about(row.result);
    if (remark) row.outputs = remark->in_row;
    if (remark && remark->warns) answer.other_outputs.push_back({row.result, remark->reason});
    for (BestSetMember& member : row.set.members) member.other_output = compared.warns_of(member.result);
  }
}

Status add_outputs(Shown& shown, Reader& reader) {
  const bool sampled = std::ranges::any_of(shown.sections, [](const Shown::Section& section) {
    return std::ranges::any_of(section.entries, [](const auto& entry) {
      return entry.first == "output_sample" && !entry.second.is_null();
    });
  });
  if (!sampled) return Done{};
  KS_ASSIGN_OR_RETURN(const auto stored, newest_sweep_of(shown, reader));
  if (!stored) return Done{};
  KS_ASSIGN_OR_RETURN(const auto compared, ComparedOutputs::of(reader, *stored));
  const OutputRemark* const remark = compared.about(result_of(shown));
  if (remark && remark->warns)
    lower_grade(shown, 'B', remark->reason);
  else if (remark)
    shown.sections.push_back({"outputs", {{"compared", Value(remark->reason)}}});
  return Done{};
}

}  // namespace kernsweep
