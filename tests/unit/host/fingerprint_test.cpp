#include "worker/host/fingerprint.hpp"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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

TEST(Fingerprint, ChangesWithEachPropertyOfTheTopology) {
  const std::vector<std::pair<const char*, std::function<void(Topology&)>>> changes = {
      {"cores", [](Topology& t) { t.cores.pop_back(); }},
      {"sockets", [](Topology& t) { t.sockets = 2; }},
      {"numa_nodes", [](Topology& t) { t.numa_nodes = 2; }},
      {"threads_per_core", [](Topology& t) { t.threads_per_core = 1; }},
      {"memory", [](Topology& t) { t.memory_bytes += std::uint64_t{1} << 30; }},
      {"l1d", [](Topology& t) { t.l1d_bytes += 1024; }},
      {"l2", [](Topology& t) { t.l2_bytes += 1024; }},
      {"llc", [](Topology& t) { t.llc_bytes += 1024; }},
      {"cpu_model", [](Topology& t) { t.cpu_model += " v2"; }}};
  std::set<Digest> seen = {identify_host(example(), 4).fingerprint};
  for (const auto& [name, change] : changes) {
    Topology changed = example();
    change(changed);
    EXPECT_TRUE(seen.insert(identify_host(changed, 4).fingerprint).second) << name;
  }
}

// What differs from one start to the next of the same worker: a few megabytes that firmware or kernel keep,
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

// The list is closed: whoever adds a property decides here that it is stable and tells nobody's name.
TEST(Fingerprint, TextHoldsThesePropertiesAndNoOthers) {
  const auto properties = properties_in(identify_host(example(), 4).text);
  const std::set<std::string> expected = {
      "cache.l1d_bytes",     "cache.l2_bytes",    "cache.last_level_bytes",
      "cpu.cores",           "cpu.family",        "cpu.flags",
      "cpu.microcode",       "cpu.model",         "cpu.model_number",
      "cpu.sockets",         "cpu.stepping",      "cpu.threads_per_core",
      "memory.gib",          "memory.numa_nodes", "memory.transparent_hugepages",
      "system.distribution", "system.governor",   "system.kernel",
      "system.machine"};
  std::set<std::string> found;
  for (const auto& [key, value] : properties) found.insert(key);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(properties.at("cpu.model"), "Example CPU @ 3 GHz");
  EXPECT_EQ(properties.at("memory.gib"), "64");
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
  EXPECT_EQ(host.facts.at("cores"), Value(3)) << "what the agent offers, not what the machine has";
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
