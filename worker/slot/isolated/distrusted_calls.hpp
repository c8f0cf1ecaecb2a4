// One job of a distrusted kernel (docs/distrust.md): the process that runs it, the operands of its calls,
// their times, and the outputs that are kept for checks.
//
// Each call works on content that was not predictable, and the calls to check are drawn after they have
// ended. All of it follows from one secret, which is stored with the result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/outcome.hpp"
#include "worker/slot/isolated/fresh_operands.hpp"
#include "worker/slot/isolated/isolated_process.hpp"

namespace kernsweep {

// The address of the output in the kernel's process, as the kernel reports it.
struct ThereOutput {
  ks_tensor tensor{};
  std::vector<ks_part> parts;  // as reported, not checked
  std::string keys;            // of these
};

// An output, copied out of the stopped process.
struct KeptOutput {
  std::uint64_t call = 0;
  std::vector<std::byte> bytes;
  ks_tensor tensor{};          // points into `bytes`
  std::vector<ks_part> parts;  // of it
  std::string keys;            // of these
};

struct IsolatedFailure {
  Outcome outcome = Outcome::failed_setup;
  std::string reason;
};

// The family's description of a point.
struct PointFacts {
  std::vector<ks_input> inputs;
  std::optional<ks_work> work;
  ks_tolerance tolerance{};
};

// How to make the state; the previous one is released first.
struct Preparation {
  const char* variant = "";
  ks_params params{};
  std::uint32_t threads = 1;
  std::uint64_t seed = 0;
  const std::vector<Operand>& operands;
};

// A pack's family in a process of its own. The functions return nothing, or the reason of their failure.
class IsolatedKernel {
 public:
  using Failed = std::optional<IsolatedFailure>;
  Failed begin(const std::string& pack, const std::string& family,
               const std::vector<std::string>& readable = {});
  const IsolatedProcess& isolated() const { return *process_; }
  bool has_begun() const { return process_ != nullptr; }
  void end() { process_.reset(); }

  Failed describe(const char* variant, const ks_params& params, PointFacts& out);
  Failed can_run(const char* variant, const ks_params& params);
  // `descriptors`: the memory of the operands, in their order.
  Failed prepare(const Preparation& wanted, const std::vector<int>& descriptors);
  // One call. `prepare`: a preparation without operands, which is then part of the call.
  Failed run(ThereOutput& output, const Preparation* prepare = nullptr);
  Failed metrics(wire::IsolatedAnswer& out);
  // The time to pass a task that does nothing: the median of several.
  Failed handing_over(Duration& out);
  // Copies an output, whose element_count() is then valid. Error: it is larger than `bytes_max`.
  Failed copy(const ThereOutput& there, std::uint64_t bytes_max, KeptOutput& out) const;

  // Files that the kernel has reported since the last call.
  std::vector<wire::IsolatedSource> take_sources();

 private:
  Failed ask(wire::IsolatedTask& task, const std::vector<int>& descriptors, Outcome otherwise,
             wire::IsolatedAnswer& out);

  std::unique_ptr<IsolatedProcess> process_;
  std::vector<wire::IsolatedSource> sources_;
};

class DistrustedCalls {
 public:
  using Failed = IsolatedKernel::Failed;
  struct Task {
    std::string pack, family, variant;
    ks_params params{};  // valid as long as the object
    std::vector<Operand> operands;
    std::uint32_t threads = 1;
    // The kernel makes its own data in its preparation, so that is repeated for each call, and is part of
    // it: otherwise the kernel could compute the result there.
    bool varies_by_seed = false;
    // Each call has a process of its own, so that no state of a call is left for the next one.
    bool is_program = false;
  };
  DistrustedCalls();  // draws the secret
  IsolatedKernel& kernel() { return kernel_; }
  std::uint64_t secret() const { return secret_; }

  // Makes the operands and the state.
  Failed prepare(Task task);
  const Task& task() const { return task_; }
  // One call whose output is kept, as the last one of kept().
  Failed run_kept();
  // One call, on content that no other call has. Whether its output is kept is drawn after it, so that in
  // the end all calls had the same chance. ks_variant::run; explained by failure().
  ks_status run();
  double elapsed_s() const { return elapsed_s_; }  // of the last call, by the slot's clock
  const Failed& failure() const { return failure_; }

  // Drops the outputs and times so far; from now on at most `outputs` are kept.
  void keep(std::size_t outputs);
  const std::vector<KeptOutput>& kept() const { return kept_; }
  std::uint64_t made() const { return calls_; }
  Duration handing_over() const { return handing_over_; }
  // The mean time of a call since keep().
  double mean_s() const { return drawn_ > 0 ? all_s_ / static_cast<double>(drawn_) : 0; }

 private:
  Preparation preparation() const;
  Failed call();
  Failed keep_it(const ThereOutput& there);

  IsolatedKernel kernel_;
  Task task_;
  FreshOperands operands_;  // with the content of the next call
  std::uint64_t secret_ = 0;
  std::mt19937_64 draw_;
  std::uint64_t calls_ = 0;  // so far; the number of the next one
  std::size_t keep_max_ = 8;
  std::uint64_t bytes_max_ = std::uint64_t{4} << 30;  // of an output
  std::vector<KeptOutput> kept_;
  std::uint64_t drawn_ = 0;  // calls since keep()
  double elapsed_s_ = 0, all_s_ = 0;
  Duration handing_over_{};
  Failed failure_;
};

}  // namespace kernsweep
