// Runs jobs of the doubling family against a fake worker.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "shared/base/outcome.hpp"
#include "shared/base/value.hpp"
#include "shared/wire/convert.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/unit/slot/fake_family.hpp"
#include "tests/unit/slot/fake_worker.hpp"
#include "worker/slot/job/job.hpp"

namespace kernsweep::testing_slot {

struct Ran {
  Outcome outcome = Outcome::ok;
  wire::OutcomeBody body;
  bool throttled = false;
  bool device_lost = false;
  std::vector<std::string> grades() const { return {body.grades().begin(), body.grades().end()}; }
  std::vector<std::string> doubts() const { return {body.doubts().begin(), body.doubts().end()}; }
};

class JobTest : public testing::Test {
 protected:
  // Three samples after one call of warm-up; as quick as can be.
  JobTest() : pack_(*Pack::open(build_folder() + "/tests/unit_slot_packs/example.so")) {
    rules_.measure.warmup = {1, 0s, 10s};
    rules_.measure.samples = {3, 3, 0s, 60s};
    rules_.measure.stop = {0, false};
    plan_.set_sweep(1);
    plan_.set_seed(42);
    use(doubling());
  }
  ~JobTest() override { EXPECT_EQ(living_states(), 0) << "a state was prepared and never released"; }

  void use(const ks_family& family, std::uint32_t threads = 1) {
    runner_.emplace(pack_, family, SlotPlace{threads, "0-1", 1 << 20}, worker_);
  }

  Ran run(const std::string& variant, std::vector<std::pair<std::string, Value>> params = {{"n", 4}}) {
    params.emplace_back("variant", variant);
    // Another set of columns is another sweep.
    std::string columns;
    for (const auto& [name, value] : params) columns += name + " ";
    if (columns != columns_) plan_.set_sweep(plan_.sweep() + 1);
    columns_ = columns;
    plan_.clear_columns();
    wire::JobBody body;
    for (const auto& [name, value] : params) {
      plan_.add_columns(name);
      encode(value, *body.add_values());
    }
    body.set_cache(static_cast<std::uint32_t>(cache_));
    wire::Outcome out;
    runner_->run(plan_, rules_, body, leased_, out);
    EXPECT_EQ(living_states(), 0);
    EXPECT_GT(out.busy_ns(), 0);
    Ran ran;
    ran.outcome = static_cast<Outcome>(out.outcome());
    ran.throttled = out.throttled();
    ran.device_lost = out.device_lost();
    EXPECT_TRUE(ran.body.ParseFromString(out.body())) << "an outcome that cannot be read is lost";
    return ran;
  }
  Ran run_faulty(const std::string& fault) { return run("faulty", {{"n", 4}, {"fault", fault}}); }

  FakeWorker worker_;
  Pack pack_;
  Rules rules_;
  wire::Plan plan_;
  std::string columns_;
  Cache cache_ = Cache::hot;
  bool leased_ = true;
  std::optional<JobRunner> runner_;
};

}  // namespace kernsweep::testing_slot
