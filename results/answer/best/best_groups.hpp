// The candidates of `best`, in groups that compute the same, and the winner of each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/answer/best/best_evidence.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/read/same_builds.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// The candidates of a group, the best of them, and the best of those that it beats.
struct Group {
  std::vector<std::uint32_t> members;
  std::uint32_t winner = kNone;
  std::uint32_t other_variant = kNone;
  std::uint32_t other_point = kNone;  // the best other point of the same variant
  // Members with a process whose number is not above zero: it has no logarithm, so they are not compared.
  // One of them may be the winner.
  std::vector<std::uint32_t> not_judged;
  // The contest of the other members.
  std::uint32_t leader = kNone;  // the winner, unless it is not judged; kNone: there are no others
  ContestVerdict verdict = ContestVerdict::alone;
  std::vector<std::uint32_t> set;    // without the leader; empty unless the verdict is leads, tied or equal
  std::vector<std::uint32_t> open;   // leads: the members that the leader is not shown to be better than
  std::size_t processes_needed = 0;  // leads: of each point; 0: not known
  double equal_within = 0;           // tied, equal: as in ContestResult
  // For a member that also competes for others: those that run the same built file in the same way.
  std::map<std::uint32_t, std::vector<std::uint32_t>> same_builds;
  bool judged() const { return winner == leader; }
  std::uint32_t runner_up() const { return other_variant != kNone ? other_variant : other_point; }
};

class BestGroups {
 public:
  // `by`: indices of the columns that make up a problem. Fills in the members of `answer` about jobs that
  // are left out, and about `by`. `rows`, `question` and `answer` must outlive it. Error: the database
  // cannot be read.
  static Result<BestGroups> make(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                 const std::vector<std::size_t>& by, const BestQuestion& question,
                                 BestAnswer& answer);

  const std::vector<Candidate>& candidates() const { return candidates_; }
  // Whether all of its processes were measured under disturbance.
  bool disturbed(std::uint32_t candidate) const { return disturbed_[candidate] != 0; }
  std::vector<Group>& groups() { return groups_; }
  const BestEvidence& evidence() const { return *evidence_; }
  // By spot_of(): candidates that are the same point in the same spot, measured with other software.
  const std::map<std::uint64_t, std::vector<std::uint32_t>>& several() const { return several_; }
  std::uint64_t spot_of(const Candidate& candidate) const {
    return std::uint64_t{candidate.point} << 16 | rows_->places[candidate.place].spot;
  }

  // The number of a job or a candidate that is compared; NaN: there is none.
  double metric(const auto& of) const { return metric_in(question_->metric, of); }
  bool larger_is_better() const { return larger_is_better_; }

  // Whether `a` comes before `b` (kNone: yes): by the number, at equal numbers the earlier point. Does not
  // consider how sure that is.
  bool better(std::uint32_t a, std::uint32_t b) const;
  // The interval of the candidate's metric, around its median, with confidence 1 - alpha; NaN: not known.
  Interval bounds(std::uint32_t candidate) const;

  // Finds the winner of the group and the other members of the contest.
  void compete(Group& group) const;

 private:
  BestGroups(const SweepRows& rows, const BestQuestion& question, Better better)
      : rows_(&rows), question_(&question), larger_is_better_(better == Better::larger) {}
  static std::uint64_t place_key(const auto& of) { return std::uint64_t{of.point} << 16 | of.place; }
  std::vector<std::uint32_t> enter(BestAnswer& answer);
  bool good_enough(const SweepRows::Job& job) const;
  bool counts(const SweepRows::Job& job) const;
  std::vector<std::uint32_t> keys_of(const std::vector<Candidate>& candidates,
                                     const std::vector<std::size_t>& by) const;
  void fill(const std::vector<std::size_t>& by, BestAnswer& answer);
  void find_several();
  std::vector<std::uint32_t> rivals(Group& group) const;
  void decide_between(const std::vector<std::uint32_t>& rivals, Group& group) const;

  const SweepRows* rows_;
  const BestQuestion* question_;
  bool larger_is_better_;
  std::vector<Candidate> candidates_;
  std::vector<char> disturbed_;  // of each candidate
  DisturbedResults disturbed_results_;
  std::vector<Group> groups_;  // in the order of first use
  std::map<std::uint64_t, std::vector<std::uint32_t>> several_;
  std::optional<BestEvidence> evidence_;
  SameBuilds same_builds_;
};

}  // namespace kernsweep
