// The data of a worker's hello that are accepted for its host.
#include "coordinator/net/host_record.hpp"

#include <gtest/gtest.h>

namespace kernsweep::coordinator {
namespace {

TEST(KnownHost, TellsLostGpusWithTheirReasonsOnOneLineAndNotAllOfMany) {
  wire::Hello hello;
  EXPECT_EQ(known_host(hello).lost_gpus, "");
  for (int i = 0; i < 12; ++i) {
    wire::LostGpu& lost = *hello.mutable_host()->mutable_gpus()->add_lost();
    lost.set_uuid("GPU-" + std::to_string(i));
    lost.set_why("NVML says\nthat it is lost");
  }
  const std::string told = known_host(hello).lost_gpus;
  EXPECT_EQ(told.find('\n'), std::string::npos);
  EXPECT_EQ(told.rfind("GPU-0 (NVML says", 0), 0U) << told;
  EXPECT_NE(told.find(", GPU-7 ("), std::string::npos) << told;
  EXPECT_EQ(told.find("GPU-8"), std::string::npos) << told;
}

TEST(KnownHost, TellsCoresThatWereGivenUpOnOneLineAndNotAllOfMany) {
  wire::Hello hello;
  EXPECT_EQ(known_host(hello).lost_cores, "");
  for (std::uint32_t i = 0; i < 12; ++i) {
    wire::LostCores& lost = *hello.mutable_host()->add_lost_cores();
    lost.add_cpus(i);
    lost.set_why("not\ngone");
  }
  const std::string told = known_host(hello).lost_cores;
  EXPECT_EQ(told.rfind("core 0 (not gone), core 1 (not gone)", 0), 0U) << told;
  EXPECT_EQ(told.find("core 8"), std::string::npos) << told;
}

TEST(KnownHost, TellsWhyThereAreNoGpus) {
  wire::Hello hello;
  wire::Gpus& gpus = *hello.mutable_host()->mutable_gpus();
  gpus.set_none("no CUDA driver:\nno such file");
  EXPECT_EQ(known_host(hello).why_no_gpus, "no CUDA driver: no such file");
  gpus.add_troubles("cuInit says no");
  EXPECT_EQ(known_host(hello).why_no_gpus, "cuInit says no");
  gpus.add_gpus();
  EXPECT_EQ(known_host(hello).why_no_gpus, "");
}

// The form of a value does not matter: it is in the column of its name.
TEST(HostRecord, HasEachPropertyInItsColumnWhateverItsValueIs) {
  wire::HostFacts host;
  host.set_text("policy.governor = x\nsystem.machine = y\ncpu.threads = 99\n");
  auto& properties = *host.mutable_properties();
  properties["cpu.microcode"] = "1\npolicy.turbo = on";
  properties["policy.governor"] = "a = b = c";
  properties["system.machine"] = "x86_64";
  properties["cpu.threads"] = "8";
  properties["limit.cpus"] = "2";
  properties["limit.cpuset"] = "0-1";
  const HostRecord record = record_of(host);
  EXPECT_EQ(record.microcode, "1\npolicy.turbo = on");
  EXPECT_EQ(record.turbo, "");
  EXPECT_EQ(record.governor, "a = b = c");
  EXPECT_EQ(record.architecture, "x86_64");
  EXPECT_EQ(record.threads, 8U);
  EXPECT_EQ(record.limits, "processors 2, cpuset 0-1");
  EXPECT_EQ(record.text, host.text());
}

TEST(HostRecord, OfAnOlderWorkerHasItsTextAndNoProperties) {
  wire::HostFacts host;
  host.set_text("policy.governor = x\ncpu.threads = 99\n");
  const HostRecord record = record_of(host);
  EXPECT_EQ(record.text, host.text());
  EXPECT_EQ(record.governor, "");
  EXPECT_EQ(record.threads, 0U);
  (*host.mutable_properties())["cpu.threads"] = "many";
  EXPECT_EQ(record_of(host).threads, 0U);
}

}  // namespace
}  // namespace kernsweep::coordinator
