#include "tests/bench/slot_overhead/prepared.hpp"

#include <poll.h>

#include <optional>
#include <stdexcept>

#include "shared/base/installation.hpp"
#include "shared/base/rules.hpp"
#include "shared/stats/statistics.hpp"
#include "worker/slot/job/binding.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/job/job.hpp"
#include "worker/slot/job/operands.hpp"
#include "worker/slot/measure/sampler.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/tensor_maker.hpp"

namespace kernsweep::bench {
namespace {

constexpr std::uint64_t kTensorBytesMax = std::uint64_t{1} << 30;
constexpr std::uint64_t kSeed = 20261121;

// Makes operands in this process as the worker does, and gives every lease.
class LocalWorkerPort : public WorkerPort {
 public:
  Result<wire::TensorReplies> obtain(const wire::TensorRequests& wanted) override {
    maker_.want(SlotId{1}, wanted, std::nullopt);
    pollfd made{maker_.descriptor(), POLLIN, 0};
    while (true) {
      poll(&made, 1, -1);
      for (auto& each : maker_.take()) return std::move(each.replies);
    }
  }
  void offer(const wire::ReferenceOffer&) override {}
  Status lease(bool) override { return Done{}; }
  void show_job_begun(Instant) override {}
  void show_measuring(Instant) override {}

 private:
  TensorMaker maker_{*WakeUp::make(), kTensorBytesMax, 1};
};

LocalWorkerPort& port() {
  static LocalWorkerPort instance;  // operands are made once
  return instance;
}

// Packs are never unloaded: each is opened once.
const Pack& pack_of(const std::string& family) {
  static std::vector<std::pair<std::string, Pack>> opened;
  for (const auto& [name, pack] : opened) {
    if (name == family) return pack;
  }
  for (const std::string& folder : pack_folders()) {
    auto pack = Pack::open(folder + "/" + family + ".so");
    if (pack) return opened.emplace_back(family, std::move(*pack)).second;
  }
  throw std::runtime_error("no pack " + family + ".so; build the target kernsweep_runtime");
}

wire::Plan plan_of(const Case& point) {
  wire::Plan plan;
  plan.set_sweep(1);
  plan.set_kind(1);
  plan.set_kernel(point.family);
  plan.set_seed(kSeed);
  plan.add_columns("variant");
  for (const auto& [name, size] : point.sizes) plan.add_columns(name);
  return plan;
}

wire::JobBody body_of(const Case& point) {
  wire::JobBody body;
  body.set_cache(static_cast<std::uint32_t>(Cache::hot));
  body.add_values()->set_text(point.variant);
  for (const auto& [name, size] : point.sizes) body.add_values()->set_integer(size);
  return body;
}

Rules rules_of(const Case& point) {
  Rules rules;
  rules.measure.warmup = {.min_runs = 1, .min_time = std::chrono::milliseconds(20)};
  rules.measure.samples = {.min = point.samples, .max = point.samples, .min_time = Duration::zero()};
  rules.measure.verify.enabled = false;
  return rules;
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"gemm onednn f32 256x256x256", "gemm", "onednn", {{"m", 256}, {"n", 256}, {"k", 256}}, 200},
      {"stream triad f64 3 x 32 MiB", "stream", "loop", {{"n", std::int64_t{1} << 22}}, 20}};
  return all;
}

struct Prepared::State {
  wire::JobBody body;
  ParamSet params;
  Operands operands;
  GuardedMemory memory;
  const ks_variant* variant = nullptr;
  void* state = nullptr;
  ~State() {
    if (state) variant->release(state);
  }
};

Prepared::Prepared(const Case& point) : state_(std::make_unique<State>()) {
  const ks_family* const family = pack_of(point.family).family(point.family);
  state_->variant = family ? variant_of(*family, point.variant) : nullptr;
  if (!state_->variant) throw std::runtime_error("no variant " + point.variant + " of " + point.family);
  const wire::Plan plan = plan_of(point);
  state_->body = body_of(point);
  // The parameters' default texts live in the binding, which is therefore never destroyed.
  auto* const binding =
      new Binding(*family, *state_->variant, {plan.columns().begin(), plan.columns().end()});
  const auto must = [&](const auto& done) {
    if (!done) throw std::runtime_error(point.name + ": " + done.error().message);
  };
  must(binding->fill(state_->body, state_->params));
  const ks_params params = state_->params.view();
  wire::TensorRequests requests;
  must(state_->operands.request(*family, params, kSeed, {}, requests));
  const auto replies = port().obtain(requests);
  must(replies);
  must(state_->operands.map(requests, *replies));
  const auto allocate = [](void* memory, std::size_t bytes) {
    return static_cast<GuardedMemory*>(memory)->allocate(bytes);
  };
  const ks_context context{sizeof(ks_context), 1, kSeed, allocate, &state_->memory};
  char why[512] = {};
  const auto& operands = state_->operands.tensors();
  if (state_->variant->prepare(&params, &context, operands.data(), operands.size(), &state_->state,
                               {why, sizeof why}) != KS_OK) {
    state_->state = nullptr;
    throw std::runtime_error(point.name + " cannot be prepared: " + why);
  }
}

Prepared::~Prepared() = default;
const ks_variant& Prepared::variant() const {
  return *state_->variant;
}
void* Prepared::state() const {
  return state_->state;
}

double median_by_sampler(const Case& point, const Prepared& ready) {
  const Samples samples = sample(ready.variant(), ready.state(), rules_of(point).measure, {});
  if (samples.seconds.size() != point.samples)
    throw std::runtime_error(point.name + ": samples are missing");
  return summarise(samples.seconds).median;
}

double median_by_job_runner(const Case& point) {
  const Pack& pack = pack_of(point.family);
  JobRunner runner(pack, *pack.family(point.family), SlotPlace{1, "0", 0}, port());
  wire::Outcome outcome;
  runner.run(plan_of(point), rules_of(point), body_of(point), true, outcome);
  wire::OutcomeBody told;
  if (!told.ParseFromString(outcome.body()) || told.samples_s().empty()) {
    throw std::runtime_error(point.name + ": " + told.reason());
  }
  return summarise({told.samples_s().data(), static_cast<std::size_t>(told.samples_s_size())}).median;
}

}  // namespace kernsweep::bench
