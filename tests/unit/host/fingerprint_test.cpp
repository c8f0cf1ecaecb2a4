#include "worker/host/fingerprint.hpp"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace kernsweep {
namespace {

Topology example() {
  Topology topology;
  for (std::uint32_t i = 0; i < 4; ++i) topology.cores.push_back({2 * i, 0, 0, 0});
  topology.threads_per_core = 2;
  topology.memory_bytes = std::uint64_t{64} << 30;
  topology.l1d_bytes = 48 << 10;
  topology.l2_bytes = 2 << 20;
  topology.llc_bytes = 36 << 20;
  topology.cpu_model = "Example CPU @ 3 GHz";
  return topology;
}

TEST(Fingerprint, IsEqualForEqualHosts) {
  const HostIdentity first = identify_host(example(), 4);
  const HostIdentity again = identify_host(example(), 4);
  EXPECT_EQ(first.fingerprint, again.fingerprint);
  EXPECT_EQ(first.text, again.text);
}

TEST(Fingerprint, IsTheDigestOfItsText) {
  const HostIdentity host = identify_host(example(), 4);
  EXPECT_EQ(host.fingerprint, digest_of(host.text));
}

// Values that differ between two starts of the same worker: a few megabytes that firmware or kernel keep,
// which cores it was given, how many of them it offers.
TEST(Fingerprint, DoesNotChangeWithWhatDoesNotMatter) {
  const Digest before = identify_host(example(), 4).fingerprint;
  Topology other = example();
  other.memory_bytes -= 100 << 20;
  for (HostCore& core : other.cores) core.cpu += 16;
  EXPECT_EQ(identify_host(other, 2).fingerprint, before);
}

std::map<std::string, std::string> properties_in(const std::string& text) {
  std::istringstream lines(text);
  std::map<std::string, std::string> out;
  std::string before;
  for (std::string line; std::getline(lines, line);) {
    const auto separator = line.find(" = ");
    EXPECT_NE(separator, std::string::npos) << line;
    const std::string key = line.substr(0, separator);
    EXPECT_LT(before, key) << "lines are sorted by key";
    before = key;
    out[key] = line.substr(separator + 3);
  }
  return out;
}

TEST(Fingerprint, NamesNeitherHostNorUser) {
  const HostIdentity host = identify_host(example(), 4);
  char name[256] = "";
  ASSERT_EQ(gethostname(name, sizeof name - 1), 0);
  EXPECT_EQ(host.name, name);
  const passwd* const user = getpwuid(getuid());
  for (const auto& [key, value] : properties_in(host.text)) {
    EXPECT_NE(value, host.name) << key;
    if (user) {
      EXPECT_NE(value, user->pw_name) << key;
    }
  }
}

TEST(HostFacts, AnswerWhatRequiresMayAsk) {
  const HostIdentity host = identify_host(example(), 3);
  EXPECT_EQ(host.facts.at("cores"), Value(3)) << "what the worker offers, not what the machine has";
  EXPECT_EQ(host.facts.at("memory_bytes"), Value(std::int64_t{64} << 30));
  EXPECT_EQ(host.facts.at("last_level_cache_bytes"), Value(36 << 20));
  EXPECT_EQ(host.facts.at("cpu"), Value("Example CPU @ 3 GHz"));
  EXPECT_EQ(host.facts.at("fingerprint"), Value(host.fingerprint.hex()));
  EXPECT_EQ(host.facts.at("name"), Value(host.name));
  EXPECT_EQ(host.facts.at("numa_nodes"), Value(1));
  EXPECT_EQ(host.facts.at("sockets"), Value(1));
  EXPECT_TRUE(host.facts.contains("isa"));
}

}  // namespace
}  // namespace kernsweep
