// The state of one call of JobRunner::run (job.hpp). Private to job*.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "shared/base/doubt_cause.hpp"
#include "shared/base/instant.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/output_sample.hpp"
#include "shared/text/utf8.hpp"
#include "worker/slot/job/described_operands.hpp"
#include "worker/slot/job/in_place.hpp"
#include "worker/slot/job/job.hpp"
#include "worker/slot/measure/first_call.hpp"
#include "worker/slot/measure/rotation.hpp"
#include "worker/slot/verify/outside_reference.hpp"
#include "worker/slot/watch/core_looks.hpp"
#include "worker/slot/watch/process_state.hpp"

namespace kernsweep {

// Functions of the host that the variant of one attempt may call: ks_context::host.
struct VariantHost {
  GuardedMemory& memory;
  Sources& sources;
  std::string explained;
  std::optional<ks_work> work;
  ProcessState* state = nullptr;  // of the process without the job
  std::string imported;           // how modules were loaded into it; a note

  static void* allocate(void* host, std::size_t bytes) {
    return static_cast<VariantHost*>(host)->memory.allocate(bytes);
  }
  static void explain(void* host, const char* reason) {
    static_cast<VariantHost*>(host)->explained = reason ? reason : "";
  }
  static void report_work(void* host, const ks_work* work) {
    if (work) static_cast<VariantHost*>(host)->work = *work;
  }
  static void ignore_source(void*, const char*, const char*, const char*) {}
  static void report_source(void* host, const char* role, const char* name, const char* path) {
    if (!role || !name || !path) return;
    auto& own = *static_cast<VariantHost*>(host);
    // The effects of a module's import stay, as in each process that imports it.
    if (std::string_view(role) == "imported" && own.state) *own.state = ProcessState::now();
    if (std::string_view(role) == "imported" && *name != '\0') own.imported = name;
    own.sources.report(role, name, path);
  }
};

inline Outcome outcome_of(ks_status status, Outcome otherwise) {
  if (status == KS_UNSUPPORTED) return Outcome::unsupported;
  if (status == KS_OUT_OF_MEMORY) return Outcome::out_of_memory;
  return otherwise;
}

// The value of a column as text; "" if there is no such column or it is not text.
inline std::string text_of_column(const wire::Plan& plan, const wire::JobBody& body,
                                  std::string_view name) {
  for (int i = 0; i < plan.columns_size() && i < body.values_size(); ++i) {
    if (plan.columns(i) == name) return body.values(i).text();
  }
  return "";
}

// Adds the time until its destruction.
class PhaseTimer {
 public:
  explicit PhaseTimer(Duration& spent) : spent_(spent), begun_(monotonic_now()) {}
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;
  ~PhaseTimer() { spent_ += monotonic_now() - begun_; }

 private:
  Duration& spent_;
  const Instant begun_;
};

struct JobRunner::Attempt {
  const wire::Plan& plan;
  const Rules& rules;
  const wire::JobBody& body;
  bool leased;
  wire::Outcome& out;
  VariantHost host;
  wire::OutcomeBody result;
  const Bound* bound = nullptr;
  ParamSet params;
  // The reference of the output: a variant of this pack, a computation of another process, a file, or
  // nothing.
  const ks_variant* reference = nullptr;
  std::optional<OutsideTask> outside;
  std::string reference_file;
  wire::JobBody reference_body;  // of a setting; reference_params point into it
  ParamSet reference_params;
  std::string verified_by;  // for display
  bool is_its_own_reference = false;
  Instant begun{};
  Digest reference_identity;
  std::optional<SharedReference> shared_reference;  // of a function
  Allowance allowance;                              // for the comparison
  std::size_t slice = 0;                            // elements that share its scale; 0: all
  std::array<char, 512> why{};
  void* state = nullptr;
  DescribedOperands described;
  InPlace in_place;
  Rotation rotation;  // the other states, if the job is cold by rotation
  std::uint64_t seed = 0;
  Digest hash;
  bool hashed = false;
  bool poisoned = false;               // the output was overwritten before the last run that was verified
  bool broken = false;                 // `reason` and `outcome` are set
  std::vector<double> own_times;       // seconds per call of this copy, if there are several
  std::optional<OutputSample> sample;  // of an output without reference, as far as runs had an output

  std::optional<std::uint64_t> killed_before;  // processes, as killed_so_far() says
  FirstCall first;                             // not known if there was no verified run and no warm-up
  double prepare_s = 0, median_s = 0;
  bool looked_for_late_work = false;
  std::optional<ThreadLooks> looks;  // in the warm-up of a job that is not watched
  std::vector<CoreLook> core_looks;
  bool is_trial = false;  // its files were reported before
  // Of a job that reads a row of what its command prints, otherwise empty or 0.
  std::string row, command;
  SharedRun* shared = nullptr;      // whose runs it reads; null: it runs the command
  std::int64_t recording = 0;       // the number of what it reads or records
  int own_metrics = 0;              // the first ones of `result`, which the variant declares
  std::vector<std::uint64_t> runs;  // Samples::runs
  bool has_doubtful_rate = false;
  // Parts of the setup; `verify` includes the reference.
  struct {
    Duration inputs{}, reference{}, verified{};
  } spent;

  bool is_compared() const { return reference || outside || !reference_file.empty(); }
  ks_why reason_buffer() {
    why[0] = 0;
    return {why.data(), why.size()};
  }
  // A doubt about the job itself, not about a disturbance: no answer uses the time then, whatever other
  // doubts there are.
  void doubt(std::string text) {
    result.add_doubts(std::move(text));
    result.set_doubt_cause(static_cast<std::uint32_t>(DoubtCause::unknown));
  }
  // `is_text`: of a program, which may print zero bytes on purpose.
  void doubt_empty(std::string_view text, bool is_text) {
    if (text.empty()) return;
    if (is_text)
      result.add_notes(std::string(text));
    else
      doubt(std::string(text));
  }
  bool device_lost = false;
  ks_status eviction = KS_OK;  // first status of emptying the caches that was not KS_OK
  // True for KS_OK. Also notes a lost device.
  bool good(ks_status status) {
    device_lost = device_lost || status == KS_DEVICE_LOST;
    return status == KS_OK;
  }
  bool fail(ks_status status, Outcome otherwise, const std::string& reason) {
    good(status);
    return fail(outcome_of(status, otherwise), reason);
  }
  bool fail(Outcome outcome, const std::string& reason) {
    out.set_outcome(static_cast<std::uint32_t>(outcome));
    out.set_throttled(false);  // only results are throttled
    result.set_reason(as_utf8(reason));
    broken = true;
    return false;
  }
  std::vector<void*> states() const {
    std::vector<void*> all{state};
    all.insert(all.end(), rotation.states().begin(), rotation.states().end());
    return all;
  }
  std::string because(const char* otherwise) const { return why[0] ? why.data() : otherwise; }
  std::string explained(const char* otherwise) const {
    return host.explained.empty() ? otherwise : host.explained;
  }
};

}  // namespace kernsweep
