// Messages with jobs and outcomes, encoded and decoded as their programs do it.
#include <stdexcept>

#include "coordinator/net/batch.hpp"
#include "shared/wire/convert.hpp"
#include "tests/gates/hot_loops.hpp"

namespace kernsweep::gates {
namespace {

constexpr std::size_t kTogether = 256;  // jobs or outcomes of a message
constexpr SweepId kSweep{1};

Expansion expansion() {
  auto parsed = Expansion::parse(
      "sweep: 1\nname: hot\nkernel: gemm\naxes:\n  m: {range: [1, 1000]}\n  n: {range: [1, 1000]}\n"
      "  k: [64, 128]\n  dtype: [f32, f64]\n  variant: [blas, onednn]\n",
      "", {});
  if (!parsed) throw std::runtime_error(parsed.error().message);
  return std::move(*parsed);
}

// Writes the batches of a sweep in the order of its points.
class Batches {
 public:
  wire::ToWorker next() {
    std::vector<AttemptId> attempts;
    for (std::size_t i = 0; i < kTogether; ++i) attempts.push_back({{kSweep, next_++, 0}, 1});
    wire::ToWorker message;
    writer_.write(attempts, sent_, *message.mutable_jobs());
    return message;
  }

 private:
  Expansion expansion_ = expansion();
  std::vector<coordinator::KnownHost> hosts_;
  coordinator::ExpansionSpace space_{expansion_, hosts_};
  coordinator::KeyBook keys_;
  coordinator::BatchWriter writer_{space_, expansion_.sweep(), kSweep, keys_};
  coordinator::SentDefinitions sent_;
  std::uint64_t next_ = 0;
};

std::uint64_t sum_of(const wire::JobBatch& batch) {
  std::uint64_t sum = 0;
  for (const auto& rules : batch.rules()) sum += decode(rules).value().measure.samples.min;
  wire::JobBody body;
  for (const wire::Job& job : batch.jobs()) {
    if (!body.ParseFromString(job.body())) throw std::runtime_error("a job's body cannot be read");
    for (const auto& value : body.values()) sum += decode(value).is_null() ? 0 : 1;
  }
  return sum;
}

wire::Outcomes outcomes(std::uint64_t first) {
  wire::Outcomes all;
  wire::OutcomeBody body;
  for (std::uint64_t i = first; i < first + kTogether; ++i) {
    wire::Outcome& outcome = *all.add_outcomes();
    encode(AttemptId{{kSweep, i, 0}, 1}, *outcome.mutable_attempt());
    outcome.set_outcome(1);
    outcome.set_busy_ns(static_cast<std::int64_t>(1000 + i % 100));
    body.Clear();
    for (int sample = 0; sample < 10; ++sample) body.add_samples_s(1e-6 * (1 + sample));
    body.set_calls_per_sample(100);
    body.set_stopped_by("noise");
    body.set_runtime("OpenBLAS 0.3.21 core=SkylakeX threads=1");
    body.set_affinity("0-1");
    body.SerializeToString(outcome.mutable_body());
  }
  return all;
}

std::uint64_t sum_of(const wire::Outcomes& all) {
  std::uint64_t sum = 0;
  wire::OutcomeBody body;
  for (const wire::Outcome& outcome : all.outcomes()) {
    sum += decode(outcome.attempt()).job.index;
    if (!body.ParseFromString(outcome.body())) throw std::runtime_error("an outcome's body cannot be read");
    sum += static_cast<std::uint64_t>(body.samples_s_size());
  }
  return sum;
}

}  // namespace

std::uint64_t jobs_written(std::uint64_t count) {
  Batches batches;
  std::uint64_t bytes = 0;
  for (std::uint64_t done = 0; done < count; done += kTogether)
    bytes += batches.next().SerializeAsString().size();
  return bytes;
}

std::uint64_t jobs_read(std::uint64_t count) {
  const std::string bytes = Batches().next().SerializeAsString();
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < count; done += kTogether) {
    wire::ToWorker message;
    if (!message.ParseFromString(bytes)) throw std::runtime_error("a batch cannot be read");
    sum += sum_of(message.jobs());
  }
  return sum;
}

std::uint64_t outcomes_written(std::uint64_t count) {
  std::uint64_t bytes = 0;
  for (std::uint64_t done = 0; done < count; done += kTogether)
    bytes += outcomes(done).SerializeAsString().size();
  return bytes;
}

std::uint64_t outcomes_read(std::uint64_t count) {
  const std::string bytes = outcomes(0).SerializeAsString();
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < count; done += kTogether) {
    wire::Outcomes all;
    if (!all.ParseFromString(bytes)) throw std::runtime_error("outcomes cannot be read");
    sum += sum_of(all);
  }
  return sum;
}

}  // namespace kernsweep::gates
