#include "tests/fuzz/worker/orders.hpp"

#include <limits>

#include "shared/wire/convert.hpp"

namespace kernsweep::fuzz {
namespace {

constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();

std::int64_t time_from(Script& script) {
  constexpr std::int64_t kChoices[] = {1'000'000'000, 0,          1,           -1, kLongest,
                                       -kLongest - 1, 20'000'000, kLongest / 2};
  return kChoices[script.below(8)];
}

void fill_rules(Script& script, wire::Rules& rules) {
  encode(Rules(), SweepId{1 + script.below(2)}, script.below(2), rules);
  if (script.one_in(2)) return;
  auto& fields = *rules.mutable_fields();
  if (script.one_in(2)) fields["measure.alone_on"].set_text(script.one_in(2) ? "core" : script.text());
  fields["timeout.setup"].set_integer(time_from(script));
  fields["timeout.run"].set_integer(time_from(script));
  if (script.one_in(2)) fields["measure.metric"].set_text("latency");
  if (script.one_in(4)) fields["measure.stop.noise"].set_real(std::numeric_limits<double>::quiet_NaN());
  if (script.one_in(4)) fields.erase("measure.samples.min");
}

void fill_key(Script& script, wire::SlotKey& key) {
  constexpr const char* kFamilies[] = {"noop", "gemm", "nobody has it", ""};
  key.set_number(script.below(4));
  key.set_family(kFamilies[script.below(4)]);
  key.set_threads(script.one_in(4) ? script.word() : 1);
  key.set_process(script.byte());
  if (script.one_in(4)) (*key.mutable_environment())[script.text()] = script.text();
  if (script.one_in(4)) key.set_libraries("blas.library=/usr/lib/x.so");
  if (script.one_in(4)) key.set_variant(script.text());
}

void fill_job(Script& script, wire::Job& job) {
  job.set_sweep(1 + script.below(2));
  job.set_index(script.one_in(8) ? script.word() : script.below(16));
  job.set_host(script.one_in(8) ? script.word() : 0);
  job.set_attempt(script.one_in(8) ? script.word() : 1 + script.below(3));
  job.set_key(script.below(4));
  job.set_rules(script.below(2));
  job.set_cores(script.one_in(8) ? script.word() : script.below(5));
  job.set_order(script.byte());
  wire::JobBody body;
  encode(Value(1), *body.add_values());
  job.set_body(script.one_in(8) ? script.text() : body.SerializeAsString());
}

}  // namespace

void fill_welcome(Script& script, wire::Welcome& welcome) {
  constexpr const char* kDatabases[] = {"first database..", "second database.", "", "short"};
  welcome.set_worker(script.one_in(8) ? script.word() : 1 + script.below(4));
  welcome.set_database(kDatabases[script.one_in(4) ? script.below(4) : 0]);
  welcome.set_version("0.0.1");
  if (!script.one_in(4)) return;
  welcome.set_heartbeat_ns(time_from(script));
  welcome.set_silence_ns(time_from(script));
}

void fill_jobs(Script& script, wire::JobBatch& batch) {
  if (!script.one_in(4)) {
    for (const std::uint32_t sweep : {1, 2}) {
      batch.add_plans()->set_sweep(sweep);
      for (const std::uint32_t number : {0, 1}) encode(Rules(), SweepId{sweep}, number, *batch.add_rules());
    }
    for (const std::uint32_t number : {0, 1, 2}) {
      batch.add_keys()->set_number(number);
      batch.mutable_keys()->rbegin()->set_family("noop");
      batch.mutable_keys()->rbegin()->set_process(number);
    }
  }
  for (std::uint32_t n = script.below(3); n > 0; --n) fill_rules(script, *batch.add_rules());
  for (std::uint32_t n = script.below(3); n > 0; --n) fill_key(script, *batch.add_keys());
  for (std::uint32_t n = script.below(6); n > 0; --n) fill_job(script, *batch.add_jobs());
  if (!script.one_in(16)) return;
  for (std::uint32_t n = 0; n < 4096; ++n) {  // as many as a coordinator gives at most, all of them alike
    wire::Job& job = *batch.add_jobs();
    job.set_sweep(1);
    job.set_index(1000 + n);
    job.set_attempt(1);
    job.set_cores(1);
    job.set_key(batch.keys_size() > 0 ? batch.keys().rbegin()->number() : 0);
  }
}

AttemptId attempt_from(Script& script, const std::vector<AttemptId>& sent) {
  if (!sent.empty() && !script.one_in(8)) return sent[(script.byte() << 8 | script.byte()) % sent.size()];
  return {{SweepId{script.below(3)}, script.below(16), script.below(2)}, script.below(4)};
}

void fill_attempts(Script& script, const std::vector<AttemptId>& sent, wire::Attempts& attempts) {
  if (script.one_in(8)) {
    for (const AttemptId& attempt : sent) encode(attempt, *attempts.add_attempts());
  }
  for (std::uint32_t n = script.below(5); n > 0; --n)
    encode(attempt_from(script, sent), *attempts.add_attempts());
}

}  // namespace kernsweep::fuzz
