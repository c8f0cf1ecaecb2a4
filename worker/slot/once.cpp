#include "worker/slot/once.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "shared/base/try.hpp"
#include "shared/text/command_line.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/gpu.pb.h"
#include "tensors/tensor_answers.hpp"
#include "worker/builds/builder.hpp"
#include "worker/host/fingerprint.hpp"
#include "worker/host/gpu/gpus.hpp"
#include "worker/host/topology.hpp"
#include "worker/slot/copies/companions.hpp"
#include "worker/slot/job/binding.hpp"
#include "worker/slot/job/built_files.hpp"
#include "worker/slot/job/job.hpp"
#include "worker/slot/job/opened_kernel.hpp"
#include "worker/slot/job/settings_check.hpp"
#include "worker/slot/pack/pack_search.hpp"
#include "worker/slot/python/interpreter.hpp"

namespace kernsweep {
namespace {

// As for a worker without --memory: a quarter of the memory.
std::uint64_t tensor_budget(const Topology& topology) {
  constexpr std::uint64_t kNoMemoryKnown = std::uint64_t{8} << 30;
  return (topology.memory_bytes ? topology.memory_bytes : kNoMemoryKnown) / 4;
}

// Answers as a worker does whose host has only this slot.
class OwnWorker : public WorkerPort {
 public:
  OwnWorker(std::uint64_t budget_bytes, std::size_t threads)
      : arena_(budget_bytes, static_cast<int>(std::max<std::size_t>(1, threads))) {}

  Result<wire::TensorReplies> obtain(const wire::TensorRequests& wanted) override {
    wire::TensorReplies replies;
    const TensorPins now_pinned = answer(arena_, uses_, wanted, std::nullopt, replies);
    unpin(arena_, pinned_);
    pinned_ = now_pinned;
    return replies;
  }
  void offer(const wire::ReferenceOffer& offered) override { keep(arena_, uses_, offered); }
  Status lease(bool whole_host) override {
    // Without neighbours a second measurement would show nothing.
    if (whole_host) return failure("a job by hand has the host to itself");
    return Done{};
  }
  std::string software(const std::string& sources, int) override {
    sources_ = sources;
    return "";  // it is not stored
  }
  const std::string& sources() const { return sources_; }
  void show_job_begun(Instant) override {}
  void show_measuring(Instant) override {}

 private:
  TensorArena arena_;
  ReferenceUses uses_;
  TensorPins pinned_;
  std::string sources_;
};

void write_job(const SingleJob& job, wire::Plan& plan, wire::JobBody& body) {
  plan.set_kernel(job.family);
  plan.set_seed(job.seed);
  body.set_cache(static_cast<std::uint32_t>(job.cache));
  for (const auto& [name, value] : job.values) {
    plan.add_columns(name);
    encode(value, *body.add_values());
  }
  // The job has the reference of this point; nothing is filled in any more.
  for (const auto& [name, value] : job.rules.measure.verify.reference.setting) {
    int column = 0;
    while (column < plan.columns_size() && plan.columns(column) != name) ++column;
    if (column == plan.columns_size()) {
      plan.add_columns(name);
      body.add_values();
    }
    if (decode(body.values(column)) == value) continue;
    encode(value, (*body.mutable_replaced())[static_cast<std::uint32_t>(column)]);
  }
}

std::string text_of_value(const SingleJob& job, std::string_view column) {
  for (const auto& [name, value] : job.values) {
    if (name == column && !value.is_null()) return value.to_text();
  }
  return "";
}

// Without a worker, the job gets all GPUs that CUDA shows, and the size of their largest cache.
void give_gpus(const SingleJob& job, SlotPlace& place) {
  const std::string count = text_of_value(job, "gpus");
  if (text_of_value(job, "device") != "gpu" && (count.empty() || count == "0")) return;
  const wire::Gpus shown = find_gpus();
  for (const wire::Gpu& gpu : shown.gpus()) {
    place.gpus += (place.gpus.empty() ? "" : "\n") + gpu.uuid() + " " + gpu.name();
    place.llc_bytes = std::max<std::uint64_t>(place.llc_bytes, gpu.l2_bytes());
  }
  if (place.gpus.empty()) place.gpus = "none is shown";  // the variant reports the reason
}

// Whether the pack rejects the parameters of the job: KS_BAD_PARAMETER, "a point that no variant could do".
bool refuses_parameters(const ks_family& family, const SingleJob& job, const wire::Plan& plan,
                        const wire::JobBody& body) {
  const ks_variant* const variant = variant_of(family, text_of_value(job, "variant"));
  if (!variant) return false;
  const Binding binding(family, *variant, {plan.columns().begin(), plan.columns().end()});
  ParamSet set;
  if (!binding.fill(body, set)) return true;
  const ks_params params = set.view();
  std::array<char, 512> why{};
  const ks_why room{why.data(), why.size()};
  if (variant->can_run && variant->can_run(&params, room) == KS_BAD_PARAMETER) return true;
  std::array<ks_input, KS_INPUTS_MAX> inputs{};
  std::size_t count = 0;
  return family.inputs &&
         family.inputs(&params, inputs.data(), inputs.size(), &count, room) == KS_BAD_PARAMETER;
}

// Redirects stdout to stderr, as under a worker, so that output of a kernel is separate from the answer,
// and stdin to /dev/null. Returns a descriptor of the original stdout; -1: it could not be redirected.
int take_stdout() {
  const int kept = fcntl(1, F_DUPFD_CLOEXEC, 3);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool apart = null >= 0 && dup2(null, 0) >= 0;
  if (null >= 0) close(null);
  return apart && kept >= 0 && dup2(2, 1) >= 0 ? kept : -1;
}

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(descriptor, text.data() + at, text.size() - at);
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

int report(const std::string& message) {
  std::fprintf(stderr, "kernsweep-slot --once: %s\n", message.c_str());
  return 2;
}

// The other copies of the job; null if it has none. `bound` becomes the cores of all copies.
Result<std::unique_ptr<Companions>> companions_for(const SingleJob& job, const std::string& pack,
                                                   const Topology& topology,
                                                   std::vector<std::uint32_t>& bound) {
  if (job.copies < 2) return std::unique_ptr<Companions>();
  bound.resize(std::min<std::size_t>(bound.size(), job.cores()));
  wire::SlotSetup setup;
  setup.set_pack(pack);
  setup.set_family(job.family);
  setup.set_threads(job.threads);
  setup.set_copies(job.copies);
  setup.set_distrust(job.rules.measure.verify.distrust);
  setup.set_llc_bytes(reached_cache_bytes(topology, bound));
  for (const std::uint64_t share : cache_shares(topology, bound)) setup.add_cache_shares(share);
  setup.mutable_environment()->insert(job.environment.begin(), job.environment.end());
  return Companions::start(setup, bound);
}

// Builds the file that replaces {build}, as the worker would. Error: it cannot be built.
Status build_for(const SingleJob& job, const Topology& topology, wire::JobBody& body) {
  std::vector<std::string> commands = {text_of_value(job, kBuildColumn)};
  const auto& setting = job.rules.measure.verify.reference.setting;
  if (const auto other = setting.find(std::string(kBuildColumn)); other != setting.end())
    commands.push_back(other->second.to_text());
  std::erase(commands, "");
  if (commands.empty()) return Done{};
  KS_ASSIGN_OR_RETURN(auto store, BuildStore::of_user());
  const auto cores = static_cast<std::uint32_t>(topology.cores.size());
  Builder builder(std::move(store), identify_host(topology, cores).text);
  for (const std::string& command : commands) {
    BuildTask task;
    task.command = command;
    task.limit = job.rules.timeout.build;
    BuildAnswer answer = builder.build(task);
    if (!answer.failure.empty()) return failure("build: " + answer.failure + "\n" + answer.said);
    if (&command == &commands.front() && !job.built.empty() && job.built != answer.built.hash())
      answer.built.add_notes("{build} is another file than that of the stored result: it was " + job.built +
                             ", now it is " + answer.built.hash());
    *body.add_built() = std::move(answer.built);
  }
  return Done{};
}

}  // namespace

Result<OnceAnswer> measure_once(const SingleJob& job) {
  // Read before the pack is loaded: with OMP_PROC_BIND, OpenMP then binds this thread.
  std::vector<std::uint32_t> bound = bound_cpus();
  KS_ASSIGN_OR_RETURN(const auto topology, read_topology());
  KS_ASSIGN_OR_RETURN(const auto file, job.pack.empty()
                                           ? pack_with_kernel(job.family, text_of_value(job, "variant"))
                                           : Result<std::string>(job.pack));
  KS_ASSIGN_OR_RETURN(const auto companions, companions_for(job, file, topology, bound));
  KS_ASSIGN_OR_RETURN(const auto opened,
                      OpenedKernel::open(file, job.family, job.rules.measure.verify.distrust));
  const ks_family* const family = opened.family();
  if (!family) return failure("the pack " + file + " has no family '" + job.family + "'");

  OwnWorker worker(tensor_budget(topology), bound.size());
  SlotPlace place{job.threads, cpu_list_text(bound), reached_cache_bytes(topology, bound), bound, {}};
  place.cache_shares = cache_shares(topology, bound);
  place.take_first_of(job.copies, companions.get());
  place.pack_content = FileHashes().hash_of(file).value_or(Digest{});
  give_gpus(job, place);
  place.environment.assign(job.environment.begin(), job.environment.end());
  JobRunner runner(opened.pack(), *family, std::move(place), worker, opened.isolated());
  wire::Plan plan;
  wire::JobBody body;
  write_job(job, plan, body);
  KS_RETURN_IF_ERROR(build_for(job, topology, body));
  fill_in_builds(plan, body);
  wire::Outcome outcome;
  runner.run(plan, job.rules, body, false, outcome);

  OnceAnswer answer{job, static_cast<Outcome>(outcome.outcome()), {}, worker.sources()};
  answer.job.pack = file;
  KS_ASSERT(answer.body.ParseFromString(outcome.body()));
  answer.bad_parameter = answer.outcome == Outcome::failed_setup && !opened.isolated() &&
                         refuses_parameters(*family, job, plan, body);
  return answer;
}

int run_once(const std::vector<std::string>& words) {
  const bool json = !words.empty() && words.front() == "--json";
  if (words.size() != (json ? 2 : 1))
    return report("give one job: kernsweep-slot --once [--json] JOB; 'kernsweep repro' prints some");
  const auto job = single_job_of(words.back());
  if (!job) return report(job.error().message);
  std::vector<std::string> again{"--once"};
  again.insert(again.end(), words.begin(), words.end());
  if (!job->rules.measure.verify.distrust)
    become_interpreter_for(job->pack.empty() ? job->family + ".so" : job->pack, again);
  const int out = take_stdout();
  if (out < 0) return report("stdout cannot be kept apart from what the kernel prints");
  const auto answer = measure_once(*job);
  if (!answer) return report(answer.error().message);
  std::fflush(stdout);  // output of the kernel comes first
  if (!write_all(out, json ? json_of(*answer) + "\n" : text_of(*answer)))
    return report("the answer could not be written");
  return answer->outcome == Outcome::ok ? 0 : 1;
}

}  // namespace kernsweep
