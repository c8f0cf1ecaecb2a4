#include "coordinator/net/earlier.hpp"

#include <algorithm>
#include <utility>

#include "shared/text/counted.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr std::uint64_t kCountedJobsMax = 65'536;
constexpr std::size_t kLinesMax = 3, kSweepsNamedMax = 3;

struct Keys {
  std::vector<Digest> all, first;  // first: of the processes of each point
};

Keys keys_of(const Expansion& expansion) {
  Keys keys;
  Point point;
  for (std::uint64_t index = 0; index < expansion.raw_jobs(); ++index) {
    const Expansion::Job job = expansion.job_at(index);
    expansion.point_at(job.position, point);
    if (expansion.rejection(job.position, point)) continue;
    keys.all.push_back(expansion.key_of(point, job));
    if (job.process < expansion.sweep().processes_least) keys.first.push_back(keys.all.back());
  }
  return keys;
}

// Why results are measured again although their software is unchanged.
std::string lack_of(Worth worth) {
  switch (worth) {
    case Worth::usable:
      break;
    case Worth::doubtful:
      return "only a doubtful result (grade C) so far";
    case Worth::none:
      return "no result so far";
  }
  return "";
}

// "a@1", "a@1 and b@2", "a@1, b@2, c@3 and 4 more".
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kSweepsNamedMax), more = names.size() - shown;
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == shown && more == 0 ? " and " : ", ") + names[i];
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

}  // namespace

EarlierAnswer read_earlier(EarlierQuestion question) {
  EarlierAnswer answer;
  answer.sweep = question.sweep;
  answer.own = std::move(question.own);
  const Expansion& expansion = *question.expansion;
  if (const Status described = describe_origins(question.database, answer.own); !described)
    answer.failure = described.error().message;
  if (!question.others || !answer.failure.empty()) return answer;
  const Sweep& sweep = expansion.sweep();
  auto others =
      EarlierResults::read(question.database, sweep.program.empty() ? sweep.kernel : sweep.program,
                           question.sweep, question.supersedes);
  if (!others) {
    answer.failure = others.error().message;
    return answer;
  }
  if (!others->empty() && expansion.raw_jobs() <= kCountedJobsMax) {
    Keys keys = keys_of(expansion);
    others->keep_only(keys.all);
    if (sweep.hosts == Hosts::any) answer.keys = std::move(keys.first);
  }
  answer.others = std::move(*others);
  return answer;
}

EarlierCheck::Checked& EarlierCheck::checked(const Origin& origin) {
  const auto known = std::ranges::find(all_, origin, &Checked::origin);
  if (known != all_.end()) return *known;
  Checked& fresh = all_.emplace_back();
  fresh.origin = origin;
  // A job that was never begun has no software that could have changed.
  if (origin.software.value == 0) fresh.holds = Holds::yes;
  if (origin.software.value != 0 && program_ && origin.sources.empty()) {
    fresh.holds = Holds::no;
    fresh.changed = "an earlier version of Kernsweep measured it and did not record what ran";
  }
  return fresh;
}

void EarlierCheck::read(EarlierAnswer answer) {
  read_ = true;
  failure_ = std::move(answer.failure);
  keys_ = std::move(answer.keys);
  *others_ = std::move(answer.others);
  for (const Origin& origin : answer.own) checked(origin).own = true;
  for (std::size_t i = 0; i < others_->origins().size(); ++i) checked(others_->origins()[i]).place = i;
}

wire::SoftwareChecks EarlierCheck::questions_for(WorkerId worker, const std::string& fingerprint,
                                                 std::uint32_t& number) {
  wire::SoftwareChecks checks;
  for (Checked& each : all_) {
    if (each.holds != Holds::unknown || each.asked_worker || each.origin.fingerprint != fingerprint)
      continue;
    each.asked_worker = worker;
    each.number = number++;
    wire::SoftwareCheck& check = *checks.add_checks();
    check.set_number(each.number);
    check.set_version(each.origin.version);
    check.set_libraries(each.origin.libraries);
    check.set_sources(each.origin.sources);
  }
  return checks;
}

void EarlierCheck::answered(WorkerId worker, const wire::SoftwareAnswer& answer) {
  for (Checked& each : all_) {
    if (each.holds != Holds::unknown || each.asked_worker != worker || each.number != answer.number())
      continue;
    each.holds = answer.changed().empty() ? Holds::yes : Holds::no;
    each.changed = answer.changed();
  }
}

void EarlierCheck::forget_all_but(const std::set<WorkerId>& here) {
  for (Checked& each : all_) {
    if (each.holds == Holds::unknown && each.asked_worker && !here.contains(*each.asked_worker))
      each.asked_worker.reset();
  }
}

void EarlierCheck::give_up_all_but(const std::set<std::string>& fingerprints, bool absent_own_holds,
                                   const std::string& cause) {
  for (Checked& each : all_) {
    if (each.holds != Holds::unknown || fingerprints.contains(each.origin.fingerprint)) continue;
    each.holds = each.own && absent_own_holds ? Holds::yes : Holds::no;
    // Results of other sweeps from that host are not used: its current software is not known.
    if (each.holds == Holds::yes) each.place.reset();
    each.changed = cause + " (" + each.origin.host_name + ")";
  }
}

bool EarlierCheck::is_settled() const {
  return read_ &&
         std::ranges::none_of(all_, [](const Checked& each) { return each.holds == Holds::unknown; });
}

bool EarlierCheck::is_stale() const {
  return std::ranges::any_of(all_, [](const Checked& each) { return each.own && each.holds == Holds::no; });
}

std::shared_ptr<const EarlierResults> EarlierCheck::usable() {
  bool any = false;
  for (const Checked& each : all_) {
    if (!each.place || each.holds != Holds::yes) continue;
    others_->allow(*each.place);
    any = true;
  }
  return any ? others_ : nullptr;
}

EarlierCheck::TakenOver EarlierCheck::taken_over() const {
  TakenOver out;
  std::set<std::size_t> sweeps;
  if (keys_) {
    for (const Digest& key : *keys_) {
      const auto found = others_->find(key);
      if (!found) continue;
      ++out.jobs;
      sweeps.insert(found->sweep);
    }
    if (out.jobs == 0) return out;
    std::vector<std::string> names;
    for (const std::size_t sweep : sweeps) names.push_back(others_->sweeps()[sweep]);
    out.text = counted(out.jobs, "job is", "jobs are") + " reused from " + list_of(names);
  } else {
    const auto usable = [](const Checked& each) { return each.place && each.holds == Holds::yes; };
    if (std::ranges::none_of(all_, usable)) return out;
    out.text = "results of " + list_of(others_->sweeps()) + " are reused where they match";
  }
  out.text +=
      ": same parameters, rules, seed and kind of host, and unchanged code, libraries and files; --again "
      "re-measures them";
  return out;
}

std::set<std::string> EarlierCheck::absent() const {
  std::set<std::string> names;
  for (const Checked& each : all_) {
    if (each.own && each.holds == Holds::yes && !each.changed.empty()) names.insert(each.origin.host_name);
  }
  return names;
}

std::vector<std::string> EarlierCheck::why_again() const {
  std::vector<std::string> lines;
  if (!failure_.empty()) lines.push_back("no earlier result is used: " + failure_);
  std::map<std::string, std::uint64_t> causes;  // number of jobs for each cause; 0: not counted
  if (keys_) {
    for (const Digest& key : *keys_) {
      const auto newest = others_->newest(key);
      if (!newest || others_->find(key)) continue;
      const auto of = std::ranges::find(all_, others_->origins()[newest->origin], &Checked::origin);
      const std::string cause =
          of != all_.end() && !of->changed.empty() ? of->changed : lack_of(newest->worth);
      if (!cause.empty()) ++causes[cause];
    }
  } else {
    for (const Checked& each : all_) {
      if (each.place && each.holds == Holds::no) causes.try_emplace(each.changed, 0);
    }
  }
  std::vector<std::pair<std::string, std::uint64_t>> sorted(causes.begin(), causes.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  for (std::size_t i = 0; i < sorted.size() && i < kLinesMax; ++i) {
    const auto& [cause, jobs] = sorted[i];
    lines.push_back((jobs > 0 ? counted(jobs, "job is", "jobs are") + " measured again: "
                              : std::string("what is affected is measured again: ")) +
                    cause);
  }
  if (sorted.size() > kLinesMax)
    lines.push_back("and for " + std::to_string(sorted.size() - kLinesMax) + " other reasons");
  return lines;
}

}  // namespace kernsweep::coordinator
