#include "tests/fuzz/database/seed.hpp"

#include "results/store/store.hpp"

namespace kernsweep::fuzz {

SweepRecord a_sweep(const std::string& name) {
  SweepRecord sweep;
  sweep.name = name;
  sweep.kernel = "gemm";
  sweep.file = name + ".yaml";
  sweep.text = "sweep: 1\nname: " + name + "\n";
  sweep.identity = digest_of(name);
  sweep.columns = {"variant", "m", "dtype"};
  sweep.parameter_count = 3;
  sweep.raw_points = sweep.raw_jobs = 16;
  sweep.files = {{"t.csv", "m\n1\n"}};
  return sweep;
}

AttemptRecord an_attempt(SweepId sweep, std::uint64_t index, const std::vector<Value>& values) {
  static const std::vector<double> samples = {1e-3, 1.1e-3, 1.2e-3, 0.9e-3};
  AttemptRecord record;
  record.attempt = {{sweep, index, 0}, 1};
  record.point = index;
  record.values = values;
  record.key = digest_of(std::to_string(sweep.value) + ":" + std::to_string(index));
  record.samples = samples;
  record.summary = summarise(samples);
  record.gflops = 1.0;
  record.grade = index % 3 == 0 ? 'B' : 'A';
  record.grade_reasons = index % 3 == 0 ? "too short to be watched" : "";
  record.output_hash = "00112233445566778899aabbccddeeff";
  record.repeatable = true;
  record.finished_unix_s = 1.8e9;
  record.runtime = "a library of some length that many rows share";
  record.environment = "OMP_NUM_THREADS=1";
  return record;
}

void make_seed(const std::string& path) {
  auto store = Store::open_for_writing(path);
  KS_ASSERT(store.has_value());
  HostRecord host;
  host.fingerprint = digest_of("host");
  host.name = "node1";
  host.text = "cpu.threads = 4\n";
  SoftwareRecord software;
  software.identity = digest_of("software");
  software.version = "0.1.0";
  software.libraries = "/usr/lib/libx.so\tlibx.so.1\t1.0\t100\t-\t-\n";
  InputRecord input;
  input.hash = digest_of("input");
  input.name = "A";
  const auto host_id = store->add_host(host);
  const auto software_id = store->add_software(software);
  KS_ASSERT(host_id && software_id && store->add_input(input));
  for (const char* name : {"first", "second"}) {
    const auto sweep = store->begin_sweep(a_sweep(name));
    KS_ASSERT(sweep.has_value());
    for (std::uint64_t index = 0; index < kSeedRows / 2; ++index) {
      const std::vector<Value> values = {Value(index % 2 ? "naive" : "blas"),
                                         Value(static_cast<std::int64_t>(64 << (index / 2))), Value("f32")};
      AttemptRecord record = an_attempt(sweep->id, index, values);
      record.host = *host_id;
      record.software = *software_id;
      if (index % 2) record.conditions.emplace().measured = true;
      if (index == 5) {
        record.outcome = Outcome::signal;
        record.reason = "the slot's process was killed by SIGSEGV";
        record.summary.reset();
        record.samples = {};
        record.grade = 'X';
      }
      KS_ASSERT(store->record(record).has_value());
      if (index == 2) {
        const EventRecord event{EventKind::returned, 1.8e9, record.attempt, {}, 1, *host_id, "a reason"};
        KS_ASSERT(store->note(event));
      }
    }
    KS_ASSERT(store->commit().has_value());
  }
  KS_ASSERT(store->finish_sweep(SweepId{1}, SweepState::finished, 1.8e9));
}

}  // namespace kernsweep::fuzz
