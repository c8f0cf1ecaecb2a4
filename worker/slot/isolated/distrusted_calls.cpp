#include "worker/slot/isolated/distrusted_calls.hpp"

#include <sys/random.h>

#include <algorithm>

#include "shared/base/dtype.hpp"
#include "worker/slot/isolated/parameters.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {
namespace {

using Failed = IsolatedKernel::Failed;

constexpr std::size_t kSourcesMax = 10'000;
constexpr int kConstantDraws = 16;

std::uint64_t drawn_by_the_system() {
  std::uint64_t drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) == sizeof drawn) return drawn;
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

Outcome outcome_by(std::int32_t status, Outcome otherwise) {
  if (status == KS_UNSUPPORTED) return Outcome::unsupported;
  if (status == KS_OUT_OF_MEMORY) return Outcome::out_of_memory;
  return otherwise;
}

void write_preparation(const Preparation& from, wire::IsolatedPrepare& out) {
  write_point(from.variant, from.params, *out.mutable_point());
  out.set_threads(from.threads);
  out.set_seed(from.seed);
  for (std::size_t i = 0; i < from.operands.size(); ++i) {
    *out.add_operands() = bytes_of(from.operands[i].input);
    if (from.operands[i].is_in_place) out.add_in_place(static_cast<std::uint32_t>(i));
  }
}

}  // namespace

Failed IsolatedKernel::begin(const std::string& pack, const std::string& family,
                             const std::vector<std::string>& readable) {
  process_.reset();
  sources_.clear();
  auto process = IsolatedProcess::start(pack, family, readable);
  if (!process) return IsolatedFailure{Outcome::failed_setup, process.error().message};
  process_ = std::move(*process);
  return std::nullopt;
}

Failed IsolatedKernel::ask(wire::IsolatedTask& task, const std::vector<int>& descriptors, Outcome otherwise,
                           wire::IsolatedAnswer& out) {
  auto answer = process_->ask(task, descriptors);
  if (!answer) {
    // The outcome of a slot that is killed while it runs the kernel itself.
    return IsolatedFailure{process_->was_killed() ? Outcome::signal : otherwise, answer.error().message};
  }
  out = std::move(*answer);
  if (sources_.size() < kSourcesMax)
    sources_.insert(sources_.end(), out.sources().begin(), out.sources().end());
  if (out.status() == KS_OK) return std::nullopt;
  return IsolatedFailure{outcome_by(out.status(), otherwise),
                         out.reason().empty() ? "the variant gave no reason" : out.reason()};
}

Failed IsolatedKernel::describe(const char* variant, const ks_params& params, PointFacts& out) {
  wire::IsolatedTask task;
  wire::IsolatedAnswer answer;
  write_point(variant, params, *task.mutable_describe());
  if (auto failed = ask(task, {}, Outcome::failed_setup, answer)) return failed;
  out = {};
  for (const std::string& bytes : answer.inputs()) {
    ks_input input{};
    if (!read_bytes(bytes, input) || out.inputs.size() == KS_INPUTS_MAX)
      return IsolatedFailure{Outcome::failed_setup,
                             "the kernel describes its operands in no form that is known"};
    input.name[KS_NAME_MAX - 1] = 0;
    out.inputs.push_back(input);
  }
  ks_work work{};
  if (read_bytes(answer.work(), work)) out.work = work;
  read_bytes(answer.tolerance(), out.tolerance);
  return std::nullopt;
}

Failed IsolatedKernel::can_run(const char* variant, const ks_params& params) {
  wire::IsolatedTask task;
  wire::IsolatedAnswer answer;
  write_point(variant, params, *task.mutable_can_run());
  return ask(task, {}, Outcome::failed_setup, answer);
}

Failed IsolatedKernel::prepare(const Preparation& wanted, const std::vector<int>& descriptors) {
  wire::IsolatedTask task;
  wire::IsolatedAnswer answer;
  write_preparation(wanted, *task.mutable_prepare());
  return ask(task, descriptors, Outcome::failed_setup, answer);
}

Failed IsolatedKernel::run(ThereOutput& output, const Preparation* prepare) {
  wire::IsolatedTask task;
  wire::IsolatedAnswer answer;
  wire::IsolatedRun& wanted = *task.mutable_run();
  if (prepare) write_preparation(*prepare, *wanted.mutable_prepare());
  if (auto failed = ask(task, {}, Outcome::failed_run, answer)) return failed;
  output.parts.resize(static_cast<std::size_t>(answer.parts_size()));
  output.keys = answer.keys();
  bool is_read = read_bytes(answer.output(), output.tensor);
  for (int i = 0; i < answer.parts_size(); ++i)
    is_read = is_read && read_bytes(answer.parts(i), output.parts[static_cast<std::size_t>(i)]);
  if (is_read) return std::nullopt;
  return IsolatedFailure{Outcome::failed_run, "the isolated process did not say where its output is"};
}

Failed IsolatedKernel::metrics(wire::IsolatedAnswer& out) {
  wire::IsolatedTask task;
  task.set_metrics(true);
  return ask(task, {}, Outcome::failed_run, out);
}

Failed IsolatedKernel::handing_over(Duration& out) {
  constexpr std::size_t kRounds = 21;
  std::vector<Duration> took;
  for (std::size_t round = 0; round < kRounds; ++round) {
    wire::IsolatedTask task;
    wire::IsolatedAnswer answer;
    task.set_idle(true);
    if (auto failed = ask(task, {}, Outcome::failed_setup, answer)) return failed;
    took.push_back(process_->took());
  }
  std::ranges::nth_element(took, took.begin() + kRounds / 2);
  out = took[kRounds / 2];
  return std::nullopt;
}

// Only the bytes from the first to the last element are copied, with their strides.
Failed IsolatedKernel::copy(const ThereOutput& output, std::uint64_t bytes_max, KeptOutput& out) const {
  const ks_tensor& there = output.tensor;
  const auto flaw = [](std::string why) { return IsolatedFailure{Outcome::failed_run, std::move(why)}; };
  const auto count = element_count(there);
  if (!count) return flaw(count.error().message);
  out.tensor = there;
  out.parts = are_parts_of(there, output.parts) ? output.parts : std::vector<ks_part>();
  out.keys = output.keys;
  out.bytes.clear();
  if (*count == 0) return std::nullopt;
  std::int64_t first = 0, last = 0;
  for (std::int32_t d = 0; d < there.rank; ++d) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(there.shape[d] - 1, there.strides[d], &reach) ||
        __builtin_add_overflow(reach < 0 ? first : last, reach, reach < 0 ? &first : &last))
      return flaw("the strides of the output overflow 64 bits");
  }
  const std::size_t element = size_of(static_cast<Dtype>(there.dtype));
  std::uint64_t elements = 0, bytes = 0;
  if (__builtin_sub_overflow(last, first, &elements) || ++elements == 0 ||
      __builtin_mul_overflow(elements, element, &bytes) || bytes > bytes_max)
    return flaw("the output reaches over more memory than can be checked");
  try {
    out.bytes.resize(bytes);
  } catch (const std::bad_alloc&) {
    return IsolatedFailure{Outcome::out_of_memory, "there is no memory to copy the output for a check"};
  }
  const auto address = reinterpret_cast<std::uint64_t>(there.data) +
                       static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(element);
  if (const Status read = process_->read(address, out.bytes.data(), out.bytes.size()); !read)
    return flaw(read.error().message);
  out.tensor.data = out.bytes.data() + static_cast<std::uint64_t>(-first) * element;
  return std::nullopt;
}

std::vector<wire::IsolatedSource> IsolatedKernel::take_sources() {
  return std::exchange(sources_, {});
}

DistrustedCalls::DistrustedCalls() : secret_(drawn_by_the_system()) {
  draw_.seed(drawn_by_the_system());
}

Preparation DistrustedCalls::preparation() const {
  return {task_.variant.c_str(), task_.params, task_.threads, seed_in_call(secret_, calls_),
          task_.operands};
}

Failed DistrustedCalls::prepare(Task task) {
  task_ = std::move(task);
  auto operands = FreshOperands::make(task_.operands);
  if (!operands) return IsolatedFailure{Outcome::out_of_memory, operands.error().message};
  operands_ = std::move(*operands);
  // Constant operands have their content before the kernel sees them. If a few small integers are all 0,
  // every product is 0, so they are drawn again.
  for (int draws = 0; draws == 0 || (draws < kConstantDraws && operands_.any_constant_is_zero()); ++draws) {
    if (draws > 0) secret_ = drawn_by_the_system();
    if (const Status filled = operands_.fill(secret_, calls_, FreshOperands::Which::all, task_.threads);
        !filled)
      return IsolatedFailure{Outcome::failed_setup, filled.error().message};
  }
  if (auto failed = kernel_.prepare(preparation(), operands_.descriptors())) return failed;
  return kernel_.handing_over(handing_over_);
}

void DistrustedCalls::keep(std::size_t outputs) {
  keep_max_ = outputs;
  // Later outputs are not much larger than the verified ones; texts may differ in length.
  constexpr std::uint64_t kAlways = std::uint64_t{1} << 20;
  std::uint64_t largest = 0;
  for (const KeptOutput& each : kept_) largest = std::max<std::uint64_t>(largest, each.bytes.size());
  bytes_max_ = std::max(2 * largest, kAlways);
  kept_.clear();
  all_s_ = 0;
  drawn_ = 0;
}

Failed DistrustedCalls::run_kept() {
  const std::size_t keep_max = std::exchange(keep_max_, kept_.size() + 1);
  auto failed = call();
  keep_max_ = keep_max;
  return failed;
}

ks_status DistrustedCalls::run() {
  if (auto failed = call()) {
    failure_ = std::move(failed);
    return KS_FAILED;
  }
  return KS_OK;
}

Failed DistrustedCalls::call() {
  if (task_.is_program && calls_ > 0) {
    if (auto failed = kernel_.begin(task_.pack, task_.family)) return failed;
  }
  ThereOutput output;
  const Preparation again = preparation();
  if (auto failed = kernel_.run(output, task_.varies_by_seed ? &again : nullptr)) return failed;
  elapsed_s_ = seconds(kernel_.isolated().took());
  all_s_ += elapsed_s_;
  ++drawn_;
  ++calls_;
  // The operands get the content of the next call before the output is read, so that a view of them is not
  // a valid result. Operands that the call may have overwritten can be its output, so they are filled after
  // that.
  const auto fill = [&](FreshOperands::Which which) -> Failed {
    const Status filled = operands_.fill(secret_, calls_, which, task_.threads);
    if (filled) return std::nullopt;
    return IsolatedFailure{Outcome::failed_setup, filled.error().message};
  };
  if (auto failed = fill(FreshOperands::Which::only_read)) return failed;
  if (auto failed = keep_it(output)) return failed;
  return fill(FreshOperands::Which::in_place);
}

// Vitter's algorithm R.
Failed DistrustedCalls::keep_it(const ThereOutput& there) {
  std::size_t place = kept_.size();
  if (place >= keep_max_) {
    place = std::uniform_int_distribution<std::size_t>(0, drawn_ - 1)(draw_);
    if (place >= keep_max_) return std::nullopt;
  } else {
    kept_.emplace_back();
  }
  kept_[place].call = calls_ - 1;
  return kernel_.copy(there, bytes_max_, kept_[place]);
}

}  // namespace kernsweep
