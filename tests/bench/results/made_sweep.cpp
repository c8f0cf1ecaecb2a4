#include "tests/bench/results/made_sweep.hpp"

#include <stdlib.h>

#include <cstring>
#include <filesystem>

namespace kernsweep::bench {

Folder::Folder() {
  std::string made = (std::filesystem::temp_directory_path() / "kernsweep-bench-XXXXXX").string();
  if (!mkdtemp(made.data())) std::abort();
  path_ = made;
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

MadeSweep::MadeSweep(Store& store) {
  SweepRecord sweep;
  sweep.name = "made";
  sweep.kernel = "gemm";
  sweep.file = "made.yaml";
  sweep.columns = {"variant", "dtype", "m", "n", "k", "threads", "env.OPENBLAS_CORETYPE", "flops"};
  sweep.parameter_count = 7;
  sweep.raw_jobs = sweep.raw_points = kMillion;
  sweep.identity = digest_of("made");
  record_.attempt.job.sweep = store.begin_sweep(sweep).value().id;
  record_.attempt.number = 1;
  record_.host = store.add_host({.fingerprint = digest_of("host"), .name = "here"}).value();
  record_.software = store.add_software({.identity = digest_of("software"), .version = "0"}).value();
  record_.runtime = "OpenBLAS 0.3.21 core=SkylakeX threads=1";
  record_.affinity = "0";
  record_.environment = "PATH=/usr/bin\nLANG=C.UTF-8\nOPENBLAS_NUM_THREADS=1";
  record_.stopped_by = "noise";
  record_.output_hash = "0123456789abcdef";
  record_.grade = 'A';
  record_.finished_unix_s = 1.8e9;
  record_.sent_unix_s = 1.8e9 - 1;
  record_.session = 3;
  record_.queue_s = 1e-3;
  record_.setup_s = 2e-3;
  record_.run_s = 0.5;
  values_.assign(8, Value());
  record_.values = values_;
  record_.samples = samples_;
}

const AttemptRecord& MadeSweep::attempt(std::uint64_t job) {
  static const Value kVariants[] = {"blas", "blocked", "onednn", "naive"};
  static const Value kTypes[] = {"f32", "bf16"};
  static const Value kCores[] = {Value(), "Haswell", "SkylakeX", "Cooperlake"};
  const std::uint64_t variant = job % 4, type = job / 4 % 2, core = job / 8 % 4, threads = job / 32 % 4;
  const std::uint64_t problem = job / 128;
  values_[0] = kVariants[variant];
  values_[1] = kTypes[type];
  values_[2] = Value(static_cast<std::int64_t>(64 + problem % 20));
  values_[3] = Value(static_cast<std::int64_t>(64 + problem / 20 % 20));
  values_[4] = Value(static_cast<std::int64_t>(64 + problem / 400));
  values_[5] = Value(static_cast<std::int64_t>(1 << threads));
  values_[6] = variant == 0 ? kCores[core] : Value();
  values_[7] = Value(static_cast<std::int64_t>(2 * problem));
  const double median = 1e-6 * static_cast<double>(1 + variant + type) /
                        static_cast<double>(1 + threads + (variant == 0 ? core : 0));
  samples_ = {median, median * 1.01};
  record_.attempt.job.index = job;
  record_.point = job;
  std::memcpy(record_.key.bytes.data(), &job, sizeof job);
  record_.summary = Summary{.min = median,
                            .q1 = median,
                            .median = median,
                            .q3 = median,
                            .max = median * 1.01,
                            .mean = median,
                            .stdev = 0.005 * median,
                            .mad = 0.002 * median};
  record_.gflops = 1e-3 / median;
  record_.gbps = 1e-4 / median;
  record_.flops = 1e6;
  record_.bytes = 1e5;
  record_.error = 1e-7;
  record_.tolerance = 1e-5;
  return record_;
}

bool make_jobs(const std::string& file, std::uint64_t count) {
  auto store = Store::open_for_writing(file, {Durability::process_crash}).value();
  MadeSweep sweep(store);
  for (std::uint64_t job = 0; job < count; ++job) {
    if (!store.record(sweep.attempt(job))) return false;
    if (job % 1000 == 999 && !store.commit()) return false;
  }
  return store.finish_sweep(SweepId{1}, SweepState::finished, 1.8e9).has_value();
}

const Folder& million_jobs() {
  static const Folder folder;
  static const bool made = make_jobs(folder.file("million.db"), kMillion);
  if (!made) std::abort();
  return folder;
}

}  // namespace kernsweep::bench
