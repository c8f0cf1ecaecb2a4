// Hand-made roofs, and results to compare with them.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep::test {

struct RoofsTest : QueryTest {
  HostId here = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7"}));

  void begin_roofs(const std::string& name) {
    auto record =
        sweep_named(name, {"label", "threads", "op", "dtype", "bytes", "non_temporal", "variant"});
    record.kernel = "roof";
    sweep = good(store.begin_sweep(record)).id;
    next = 0;
  }
  void put_measured(Job made, double flops, double bytes) {
    made.record.host = here;
    made.record.flops = flops;
    made.record.bytes = bytes;
    put(std::move(made));
  }
  // 1e8 operations in 1 ms: 100 GFLOP/s.
  void put_peak(const char* dtype, const char* variant, double seconds, std::int64_t threads = 1) {
    put_measured(job({"core", threads, Value(), dtype, Value(), Value(), variant}, seconds), 1e8, 0);
  }
  // 1e7 bytes in 1 ms: 10 GB/s.
  void put_memory(const char* op, double seconds, std::int64_t threads = 1) {
    put_measured(job({"memory", threads, op, Value(), 1000000, true, "stream"}, seconds), 0, 1e7);
  }
  // The number of the result: 2e7 operations on 10 bytes in 1 ms, 20 GFLOP/s.
  std::uint64_t put_gemm(std::vector<Value> values) {
    put_measured(job(std::move(values), 1e-3), 2e7, 10);
    Reader r = reader();
    return static_cast<std::uint64_t>(
        *good(r.query("select max(result) from attempt")).rows[0][0].integer());
  }
};

}  // namespace kernsweep::test
