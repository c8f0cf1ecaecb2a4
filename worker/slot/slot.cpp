#include "worker/slot/slot.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/gpu.pb.h"
#include "transport/socket.hpp"
#include "worker/host/children.hpp"
#include "worker/host/gpu/gpus.hpp"
#include "worker/host/topology.hpp"
#include "worker/slot/copies/companions.hpp"
#include "worker/slot/isolated/isolation.hpp"
#include "worker/slot/job/built_files.hpp"
#include "worker/slot/job/job.hpp"
#include "worker/slot/job/opened_kernel.hpp"
#include "worker/slot/job/settings_check.hpp"
#include "worker/slot/own_stop.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/slot/pack/pack_search.hpp"
#include "worker/slot/pack/software.hpp"
#include "worker/slot/phase_board.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/python/renewal.hpp"

namespace kernsweep {
namespace {

std::string read_all(int descriptor) {
  std::string out;
  char buffer[65536];
  for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  return out;
}

// Returns the exit status.
int write_whole(int descriptor, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(descriptor, bytes.data() + at, bytes.size() - at);
    if (written <= 0) return 1;
    at += static_cast<std::size_t>(written);
  }
  return 0;
}

// Messages from and to the worker. A message that arrives early is kept.
class WorkerLink : public WorkerPort {
 public:
  WorkerLink(Socket socket, PhaseBoard board) : socket_(std::move(socket)), board_(std::move(board)) {}

  void send(const wire::ToWorkerFromSlot& message) { socket_.send(message.SerializeAsString()); }

  // Waits for the next message without limit. This is safe, because the end of the worker ends this process
  // (PDEATHSIG).
  wire::ToSlot next() {
    Poll poll;
    poll.add(socket_);
    while (true) {
      if (auto received = socket_.receive()) {
        wire::ToSlot message;
        if (message.ParseFromString(received->bytes)) return message;
        continue;
      }
      poll.wait(std::chrono::seconds(10));
    }
  }

  Result<wire::TensorReplies> obtain(const wire::TensorRequests& wanted) override {
    flush();
    wire::ToWorkerFromSlot message;
    *message.mutable_tensors() = wanted;
    send(message);
    const wire::ToSlot answer = next();
    if (!answer.has_tensors())
      return failure("the worker answered a request for operands with something else");
    return answer.tensors();
  }

  void offer(const wire::ReferenceOffer& offered) override {
    wire::ToWorkerFromSlot message;
    *message.mutable_offer() = offered;
    send(message);
  }

  Status lease(bool whole_host) override {
    flush();
    wire::ToWorkerFromSlot message;
    message.mutable_lease()->set_whole_host(whole_host);
    send(message);
    if (!next().has_grant())
      return failure("the worker answered a request for the lease with something else");
    return Done{};
  }

  void return_lease() override {
    wire::ToWorkerFromSlot message;
    message.mutable_lease_return();
    send(message);
  }

  void hand_over() {
    wire::ToWorkerFromSlot message;
    message.mutable_hand_over();
    send(message);
  }

  void watch_software(const Pack& pack, const wire::SlotSetup& setup) {
    for (const wire::FileContent& content : setup.contents()) {
      const auto stamp = file_stamp_from_bytes(content.file());
      const auto hash = digest_from_bytes(content.hash());
      if (stamp && hash) file_hashes().learn(*stamp, *hash);
    }
    software_.emplace(pack, setup.pack(), file_hashes());
  }

  std::string software(const std::string& sources, int process) override {
    if (!software_) return "";
    // Sent with the outcomes that refer to it.
    if (software_->look(sources, process))
      *gathered_.mutable_outcomes()->add_software() = software_->software();
    return software_->software().identity();
  }

  void show_job_begun(Instant now) override { board_.begin_job(now); }
  void show_measuring(Instant now) override { board_.begin_measuring(now); }
  Duration took_to_start() const { return monotonic_now() - board_.started(); }
  void show_start_of_next() { board_.begin_start(monotonic_now()); }

  wire::Outcome& add_outcome() { return *gathered_.mutable_outcomes()->add_outcomes(); }

  void flush_when_due() {
    const int count = gathered_.outcomes().outcomes_size();
    if (count >= kOutcomesTogether || monotonic_now() - flushed_ > kFlushAfter) flush();
  }

  void flush() {
    flushed_ = monotonic_now();
    if (gathered_.outcomes().outcomes_size() == 0) return;
    send(gathered_);
    gathered_.Clear();
  }

 private:
  Socket socket_;
  PhaseBoard board_;
  std::optional<SoftwareWatch> software_;
  wire::ToWorkerFromSlot gathered_;
  Instant flushed_ = monotonic_now();
};

// The plans and rules that the worker has sent.
struct Knowledge {
  std::map<std::uint32_t, wire::Plan> plans;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Rules> rules;

  void learn(const wire::Run& run) {
    for (const auto& plan : run.plans()) plans[plan.sweep()] = plan;
    for (const auto& each : run.rules()) {
      if (auto decoded = decode(each)) rules[{each.sweep(), each.number()}] = std::move(*decoded);
    }
  }
};

// Orphans that have ended count until this process ends, too. The check takes 50 us, so it is done rarely
// after short jobs.
bool has_many_children(const wire::Outcome& outcome) {
  constexpr std::size_t kMany = 512, kEvery = 64;
  constexpr std::int64_t kLong_ns = 10'000'000;
  static std::size_t asked = 0;
  const bool looks = ++asked % kEvery == 0 || outcome.busy_ns() > kLong_ns;
  return looks && children_of_this_process().size() > kMany;
}

// Programs may end early, with any status, when they get the signal. Returns whether this process has
// measured its only job.
bool work_on(const wire::Run& run, const Knowledge& knowledge, const wire::SlotSetup& setup,
             JobRunner& runner, WorkerLink& link) {
  bool has_measured = false;
  wire::JobBody body;
  const bool of_commands = setup.family() == "command";
  const bool is_stale = runner.is_stale() || is_imported_stale();
  for (const wire::Job& job : run.jobs()) {
    const auto plan = knowledge.plans.find(job.sweep());
    const auto rules = knowledge.rules.find({job.sweep(), job.rules()});
    // Not in the message itself, because gathered outcomes are sent while the job waits for operands or the
    // lease.
    wire::Outcome outcome;
    wire::Attempt& attempt = *outcome.mutable_attempt();
    attempt.set_sweep(job.sweep());
    attempt.set_index(job.index());
    attempt.set_host(job.host());
    attempt.set_number(job.attempt());
    if (is_stale) {
      // Loaded files were replaced on the disk. Nothing has run: the job is returned, for a new process.
      outcome.set_outcome(static_cast<std::uint32_t>(Outcome::failed_setup));
      outcome.set_stopped(true);
      outcome.set_slot_is_done(true);
      link.add_outcome() = std::move(outcome);
      break;
    }
    if (plan == knowledge.plans.end() || rules == knowledge.rules.end() ||
        !body.ParseFromString(job.body())) {
      wire::OutcomeBody failure;
      failure.set_reason("the slot was sent a job without its plan or rules; please report this");
      outcome.set_outcome(static_cast<std::uint32_t>(Outcome::failed_setup));
      outcome.set_body(failure.SerializeAsString());
    } else {
      fill_in_builds(plan->second, body);
      was_stopped();  // discards signals from before this job
      runner.run(plan->second, rules->second, body, run.leased(), outcome);
      const bool ended_well = outcome.outcome() == static_cast<std::uint32_t>(Outcome::ok);
      outcome.set_stopped(was_stopped() && (of_commands || !ended_well));
    }
    const bool is_done = runner.is_done() || has_many_children(outcome);
    if (is_done) outcome.set_slot_is_done(true);
    has_measured = !is_done && renews(setup);
    if (has_measured) outcome.set_renews(true);
    link.add_outcome() = std::move(outcome);
    // Other jobs of the run are sent to another process; the worker ends this one.
    if (is_done || has_measured) break;
    link.flush_when_due();
  }
  link.flush();
  return has_measured;
}

// Sanitizers search for leaks with ptrace, which is forbidden to isolated processes.
#ifdef KERNSWEEP_SANITIZED
constexpr bool kIsolatesForeign = false;
#else
constexpr bool kIsolatesForeign = true;
#endif

// The code of a pack that does not belong to this installation must not outlive its description, nor write
// anywhere, because it may be measured with distrust later.
void isolate_foreign(const std::string& pack) {
  namespace fs = std::filesystem;
  if (!kIsolatesForeign || is_installed_pack(pack) || isolation_missing()) return;
  std::error_code error;
  IsolationRules rules;
  rules.readable = {"/"};  // its libraries may be anywhere
  for (const auto& entry : fs::directory_iterator("/dev", error))
    if (entry.path().filename().string().starts_with("nvidia"))
      rules.devices.push_back(entry.path().string());
  if (const auto isolated = isolate(rules); !isolated)
    std::fprintf(stderr, "%s\n", isolated.error().message.c_str());
}

// Why the process cannot measure its job; "" if it can.
std::string flaw_of(const Result<OpenedKernel>& opened, const wire::SlotSetup& setup,
                    const std::vector<std::uint32_t>& bound) {
  const std::vector<std::uint32_t> asked(setup.cpus().begin(), setup.cpus().end());
  if (!opened) return opened.error().message;
  if (!opened->family()) return "the pack " + setup.pack() + " has no family '" + setup.family() + "'";
  if (asked.empty() || asked == bound) return "";
  return "this process is bound to the cores " + cpu_list_text(bound) + ", not to " + cpu_list_text(asked) +
         " as asked";
}

SlotPlace place_of(const wire::SlotSetup& setup, const std::vector<std::uint32_t>& bound,
                   WorkerLink& link) {
  SlotPlace place{setup.threads(),
                  cpu_list_text(bound),
                  setup.llc_bytes(),
                  {setup.cpus().begin(), setup.cpus().end()},
                  {setup.environment().begin(), setup.environment().end()}};
  place.gpus = setup.gpus();
  place.pack_content = link.file_hashes().hash_of(setup.pack()).value_or(Digest{});
  place.cache_shares.assign(setup.cache_shares().begin(), setup.cache_shares().end());
  place.packs.insert(setup.packs().begin(), setup.packs().end());
  std::sort(place.environment.begin(), place.environment.end());
  return place;
}

// Returns the exit status. `descriptor`: of the set-up, for the next process; -1: there is none.
int work_until_left(wire::SlotSetup& setup, JobRunner* runner, WorkerLink& link, int descriptor) {
  Knowledge knowledge;
  const bool was_handed_over = setup.has_run();
  wire::ToSlot handed;
  if (setup.has_run()) handed.mutable_run()->Swap(setup.mutable_run());
  setup.clear_run();
  bool has_measured = false;
  while (true) {
    const wire::ToSlot message = handed.has_run() ? std::exchange(handed, wire::ToSlot()) : link.next();
    switch (message.what_case()) {
      case wire::ToSlot::kLeave:
        if (!has_measured) return 0;
        keep_contents(setup, link.file_hashes().remembered(), descriptor);
        link.show_start_of_next();
        return kRenews;
      case wire::ToSlot::kRun:
        if (!runner || has_measured) break;
        if (descriptor >= 0 && !was_handed_over && is_handed_over(setup, message.run())) {
          *setup.mutable_run() = message.run();
          link.hand_over();
          has_measured = true;
          break;
        }
        knowledge.learn(message.run());
        has_measured = work_on(message.run(), knowledge, setup, *runner, link);
        break;
      case wire::ToSlot::kTensors:
      case wire::ToSlot::kGrant:  // answers that are no longer expected
      case wire::ToSlot::WHAT_NOT_SET:
        break;
    }
  }
}

}  // namespace

int describe_pack(const char* path, bool probe, int descriptor) {
  wire::Catalogue catalogue;
  const std::string file = path;
  isolate_foreign(file);
  if (const auto pack = Pack::open(file)) {
    describe(*pack, file, probe, catalogue);
  } else {
    catalogue.add_broken(as_utf8(pack.error().message));
  }
  return write_whole(descriptor, catalogue.SerializeAsString());
}

int describe_gpus(int descriptor) {
  return write_whole(descriptor, find_gpus().SerializeAsString());
}

int answer_gpu_trial(const char* uuid, int descriptor) {
  const GpuTrial trial = try_gpu(uuid);
  const bool lost = trial.answer == GpuTrial::Answer::lost;
  const bool works = trial.answer == GpuTrial::Answer::works;
  return write_whole(descriptor, works ? "works" : (lost ? "lost " : "unknown ") + trial.why);
}

int serve_slot(int descriptor) {
  block_own_stops();  // until there is an interpreter: an exec drops the signal handlers
  adopt_orphans();
  wire::SlotSetup setup;
  lseek(descriptor, 0, SEEK_SET);  // an earlier process of this slot has read it
  if (!setup.ParseFromString(read_all(descriptor)) || setup.endpoint().empty()) return 3;
  if (!setup.distrust() && lseek(descriptor, 0, SEEK_SET) == 0)
    become_interpreter_for(setup.pack(), {"--serve"});
  note_own_stops();
  // The next process needs both descriptors; no thread may get their numbers meanwhile.
  const bool keeps = renews(setup) && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
                     fcntl(kBoardDescriptor, F_SETFD, FD_CLOEXEC) == 0;
  if (!keeps) close(descriptor);
  const int board_file = keeps ? fcntl(kBoardDescriptor, F_DUPFD_CLOEXEC, 0) : kBoardDescriptor;
  // Read before the pack is loaded: with OMP_PROC_BIND, OpenMP then binds this thread.
  const std::vector<std::uint32_t> bound = bound_cpus();
  const bool has_copies = setup.copies() > 1 && setup.copy() == 0;
  auto companions = has_copies ? Companions::start(setup, bound) : Result<std::unique_ptr<Companions>>();
  std::optional<RoundBoard> rounds;
  if (setup.copy() > 0) {
    auto opened_board = RoundBoard::open(kRoundsDescriptor, setup.copy(), setup.copies());
    if (!opened_board) return 3;
    rounds.emplace(std::move(*opened_board));
  }
  auto socket = Socket::dealer(setup.endpoint());
  auto board = PhaseBoard::open(board_file);
  if (!socket || !board) return 3;
  WorkerLink link(std::move(*socket), std::move(*board));

  wire::ToWorkerFromSlot hello;
  hello.mutable_hello()->set_slot(setup.slot());
  hello.mutable_hello()->set_token(setup.token());
  const auto opened = OpenedKernel::open(setup.pack(), setup.family(), setup.distrust());
  hello.mutable_hello()->set_error(
      as_utf8(companions ? flaw_of(opened, setup, bound) : companions.error().message));
  const Duration took_to_start = link.took_to_start();
  link.send(hello);

  std::optional<JobRunner> runner;
  if (opened && !rounds) link.watch_software(opened->pack(), setup);
  if (opened && opened->family()) {
    SlotPlace place = place_of(setup, bound, link);
    if (companions) place.take_first_of(setup.copies(), companions->get());
    place.rounds = rounds ? &*rounds : nullptr;
    place.took_to_start = took_to_start;
    runner.emplace(opened->pack(), *opened->family(), std::move(place), link, opened->isolated());
  }
  return work_until_left(setup, runner ? &*runner : nullptr, link, keeps ? descriptor : -1);
}

}  // namespace kernsweep
