// The jobs of one sweep, from the view of the coordinator's core: JobSpace implemented with an expansion.
//
// Used by the coordinator's loop thread only. It caches the last job, because the core makes several calls
// for the same job.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "coordinator/core/core.hpp"
#include "language/space/expansion.hpp"
#include "results/store/earlier_results.hpp"
#include "results/store/records.hpp"

namespace kernsweep::coordinator {

// Data of a host in addition to the core's HostFacts; HostFacts::facts is its index.
struct KnownHost {
  std::string name;
  std::map<std::string, Value, std::less<>> facts;  // host.<name> of `requires`
  // For each family, the variants that some pack of the host has. An empty map: not known.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> families;
  // Parameters of `command` that the host's pack knows: an older one would run a job without them.
  std::set<std::string, std::less<>> command_parameters;
  std::set<std::string> allow;                          // of packs, command, python; empty: all
  std::uint32_t cores = 0;                              // offered by the worker
  std::map<std::string, Value, std::less<>> gpu_facts;  // gpu.<name> of `requires`
  std::string lost_gpus, lost_cores;                    // for messages; empty: none
  std::string why_no_gpus;                              // for messages; empty: not reported

  friend bool operator==(const KnownHost&, const KnownHost&) = default;
};

class ExpansionSpace : public JobSpace {
 public:
  // Both must outlive the space.
  ExpansionSpace(const Expansion& expansion, const std::vector<KnownHost>& hosts);

  std::uint64_t size() const override { return expansion_.raw_jobs(); }
  bool wanted(std::uint64_t index) const override { return !rejected_by(index); }
  std::optional<std::uint32_t> rejected_by(std::uint64_t index) const override;
  std::uint32_t cores(std::uint64_t index) const override;
  std::uint32_t threads(std::uint64_t index) const;  // of each copy
  std::uint32_t copies(std::uint64_t index) const;   // 0: the point does not set it
  std::optional<std::string> unfit(std::uint64_t index, const HostFacts& host) const override;
  std::uint32_t traits(const HostFacts& host) const override;
  RetryRules retry(std::uint64_t index) const override;
  std::uint32_t held_max() const override;
  // One phase makes the builds of this many jobs.
  std::uint32_t held_together() const override { return has_builds_ ? 256 : 0; }
  std::optional<EarlierResult> earlier_result(std::uint64_t index, std::uint32_t host,
                                              std::optional<std::uint32_t> hardware) const override;
  bool has_points() const override { return has_points(expansion_); }
  static bool has_points(const Expansion& expansion);
  std::uint64_t point_of(std::uint64_t index) const override { return job(index).position; }
  std::vector<std::uint64_t> jobs_of_point(std::uint64_t point) const override;
  // Nothing before know_problem(), and in sweeps of more than kGroupedPointsMax points before filters.
  std::span<const std::uint64_t> rivals_of(std::uint64_t point) const override;
  // The columns that are the problem, from language/check/problem.hpp. If it is not known for one, none is
  // used.
  void know_problem(const std::vector<std::optional<bool>>& columns);
  static constexpr std::uint64_t kGroupedPointsMax = 20'000;
  std::uint32_t gpus(std::uint64_t index) const;
  ReferenceAt reference_at(std::uint64_t index, const ReferenceRule& rule) const {
    return expansion_.reference_at(point(index), rule);
  }

  // From now on these results are used as outcomes of jobs; null: none are used. `hardware`: for each
  // origin, HostFacts::hardware of its host.
  void use(std::shared_ptr<const EarlierResults> earlier, std::vector<std::uint32_t> hardware) {
    earlier_ = std::move(earlier);
    hardware_of_origins_ = std::move(hardware);
  }

  // For sweeps that end by the time of their points: jobs of blocks that have not begun are unwanted after
  // a point has taken kPointTime and has kBlocksLeast blocks.
  static constexpr std::uint32_t kBlocksLeast = 3;
  // For sweeps that decide by their results: of processes beyond those of each point, only these jobs are
  // wanted. Rounds follow each other.
  void ask(const AskedRound& round);
  std::uint32_t asked_processes() const { return asked_processes_; }
  // Number of jobs that the rounds have requested.
  std::uint64_t further_jobs() const;
  // All jobs below it are requested.
  std::uint64_t asked() const;
  void begun(std::uint64_t index);  // it was sent
  void took(std::uint64_t index, Duration busy);
  void leave_out_from(std::uint32_t block) { blocks_ = block; }
  // Of each point; 0: all.
  std::uint32_t blocks() const { return blocks_ < expansion_.sweep().processes ? blocks_ : 0; }

  const Expansion::Job& job(std::uint64_t index) const;
  const Point& point(std::uint64_t index) const;
  std::uint32_t rules_number(std::uint64_t index) const;
  const Rules& rules(std::uint32_t number) const;
  // As Expansion::label_of.
  std::string label(std::uint64_t index) const;

 private:
  void look_at(std::uint64_t index) const;
  // All properties of the host that unfit() uses, without texts for messages, cores and GPUs.
  using Traits = std::vector<std::string>;
  Traits traits_of(const KnownHost& host) const;
  Value fact_of(const KnownHost& host, std::string_view name) const;
  // As unfit(), for the kernel and for the reference.
  std::optional<std::string> lacks_reference(std::uint64_t index, const KnownHost& host) const;
  std::optional<std::string> lacks_kernel(std::uint64_t index, const KnownHost& host) const;

  const Expansion& expansion_;
  const std::vector<KnownHost>& hosts_;
  bool is_asked(const Expansion::Job& job) const;
  std::uint32_t blocks_, begun_blocks_ = 0;
  std::uint32_t asked_processes_;
  std::vector<AskedRound> rounds_;
  std::map<std::uint64_t, Duration> took_;  // by point
  std::shared_ptr<const EarlierResults> earlier_;
  std::vector<std::uint32_t> hardware_of_origins_;
  std::uint32_t count_in(std::uint64_t index, std::optional<std::size_t> column,
                         std::uint32_t otherwise) const;

  // For each point the number of its problem, and for each problem its points. Made only on request: hosts
  // are mostly of one kind, which needs none.
  struct Problems {
    std::vector<std::uint32_t> of;
    std::vector<std::vector<std::uint64_t>> points;
  };
  Problems grouped() const;
  std::optional<std::vector<std::size_t>> problem_columns_;
  mutable std::optional<Problems> problems_;

  std::optional<std::size_t> threads_column_, copies_column_;
  std::optional<std::size_t> device_column_, gpus_column_, variant_column_;
  bool has_builds_ = false;
  std::vector<std::string> of_newer_packs_;  // columns that an older pack `command` does not read
  mutable std::optional<std::uint64_t> at_;
  mutable Expansion::Job job_;
  mutable Point point_;
  mutable std::optional<std::uint32_t> rules_number_;
  mutable std::map<std::uint32_t, Rules> rules_;
  mutable std::map<std::uint32_t, std::uint32_t> traits_by_facts_;
  mutable std::map<Traits, std::uint32_t> traits_;
};

}  // namespace kernsweep::coordinator
