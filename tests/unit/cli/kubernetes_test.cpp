// deploy/kubernetes.yaml was never run here; this tests what can be checked without a cluster.
#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "cli/grammar/command_line.hpp"
#include "tests/golden_text/places.hpp"

namespace kernsweep {
namespace {

std::string path() {
  return source_folder() + "/deploy/kubernetes.yaml";
}

const std::vector<YAML::Node>& documents() {
  static const std::vector<YAML::Node> all = YAML::LoadAllFromFile(path());
  return all;
}

YAML::Node object(const std::string& kind, const std::string& name) {
  for (const YAML::Node& each : documents()) {
    if (each["kind"].as<std::string>() == kind && each["metadata"]["name"].as<std::string>() == name)
      return each;
  }
  ADD_FAILURE() << "no " << kind << " " << name;
  return {};
}

YAML::Node pod(const std::string& kind, const std::string& name) {
  return object(kind, name)["spec"]["template"];
}

using Labels = std::map<std::string, std::string>;

bool selects(const Labels& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  });
}

// As a person would type it.
std::vector<std::string> words_in(const YAML::Node& container) {
  auto words = container["command"].as<std::vector<std::string>>();
  for (const YAML::Node& each : container["args"]) words.push_back(each.as<std::string>());
  return words;
}

// Whether kernsweep takes them; the first is its name.
Status taken(const std::vector<std::string>& words) {
  return check_command_line({words.begin() + 1, words.end()});
}

// What the option `name` was given, once.
std::string given(const std::vector<std::string>& words, const std::string& name) {
  EXPECT_EQ(std::ranges::count(words, name), 1) << name;
  const auto found = std::ranges::find(words, name);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

const std::pair<const char*, const char*> kPods[] = {{"Job", "kernsweep-coordinator"},
                                                     {"DaemonSet", "kernsweep-worker"}};

TEST(Kubernetes, HasTheKindsAndVersionsThatFitEachOther) {
  const std::map<std::string, std::string> versions = {
      {"Service", "v1"}, {"PersistentVolumeClaim", "v1"}, {"Job", "batch/v1"}, {"DaemonSet", "apps/v1"}};
  std::set<std::string> kinds, names;
  for (const YAML::Node& each : documents()) {
    const auto kind = each["kind"].as<std::string>();
    kinds.insert(kind);
    ASSERT_TRUE(versions.contains(kind)) << kind;
    EXPECT_EQ(each["apiVersion"].as<std::string>(), versions.at(kind));
    const auto name = each["metadata"]["name"].as<std::string>();
    EXPECT_TRUE(names.insert(kind + "/" + name).second) << name << " twice";
    EXPECT_THAT(name, ::testing::MatchesRegex("[a-z0-9]([-a-z0-9]*[a-z0-9])?"));  // RFC 1123
  }
  EXPECT_EQ(kinds.size(), versions.size());
}

TEST(Kubernetes, SaysThatItWasNotRun) {
  std::ifstream file(path());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_LT(text.find("NOT RUN"), 300U);
}

TEST(Kubernetes, ServiceLeadsToTheCoordinatorAndToNoWorker) {
  const YAML::Node service = object("Service", "kernsweep")["spec"];
  EXPECT_EQ(service["clusterIP"].as<std::string>(), "None");
  const auto selector = service["selector"].as<Labels>();
  EXPECT_TRUE(selects(selector, pod("Job", "kernsweep-coordinator")["metadata"]["labels"].as<Labels>()));
  EXPECT_FALSE(selects(selector, pod("DaemonSet", "kernsweep-worker")["metadata"]["labels"].as<Labels>()));

  const YAML::Node listening = pod("Job", "kernsweep-coordinator")["spec"]["containers"][0]["ports"][0];
  EXPECT_EQ(service["ports"][0]["targetPort"].as<std::string>(), listening["name"].as<std::string>());
  EXPECT_EQ(service["ports"][0]["port"].as<int>(), listening["containerPort"].as<int>());
}

TEST(Kubernetes, DaemonSetSelectsItsOwnPods) {
  const auto selector =
      object("DaemonSet", "kernsweep-worker")["spec"]["selector"]["matchLabels"].as<Labels>();
  EXPECT_TRUE(selects(selector, pod("DaemonSet", "kernsweep-worker")["metadata"]["labels"].as<Labels>()));
}

TEST(Kubernetes, KernsweepKnowsItsCommandsAndOptions) {
  const auto coordinator = words_in(pod("Job", "kernsweep-coordinator")["spec"]["containers"][0]);
  EXPECT_TRUE(taken(coordinator)) << taken(coordinator).error().message;
  EXPECT_EQ(coordinator.at(1), "coordinator");
  const auto service = object("Service", "kernsweep");
  EXPECT_EQ(given(coordinator, "--advertise"), "tcp://" + service["metadata"]["name"].as<std::string>() +
                                                   ":" +
                                                   service["spec"]["ports"][0]["port"].as<std::string>());
  EXPECT_TRUE(given(coordinator, "--listen").ends_with(":7777"));

  const auto worker = words_in(pod("DaemonSet", "kernsweep-worker")["spec"]["containers"][0]);
  EXPECT_TRUE(taken(worker)) << taken(worker).error().message;
  EXPECT_EQ(worker.at(1), "worker");
}

TEST(Kubernetes, ProcessorsAreWholeSoThatTheStaticPolicyBindsThem) {
  for (const auto& [kind, name] : kPods) {
    for (const YAML::Node& container : pod(kind, name)["spec"]["containers"]) {
      const auto requests = container["resources"]["requests"].as<Labels>();
      EXPECT_EQ(requests, container["resources"]["limits"].as<Labels>()) << name;
      EXPECT_THAT(requests.at("cpu"), ::testing::MatchesRegex("[1-9][0-9]*")) << name;
      EXPECT_TRUE(requests.contains("memory")) << name;
    }
  }
}

TEST(Kubernetes, EveryMountHasItsVolumeAndEveryVolumeItsMount) {
  for (const auto& [kind, name] : kPods) {
    const YAML::Node spec = pod(kind, name)["spec"];
    std::set<std::string> volumes, mounts;
    for (const YAML::Node& volume : spec["volumes"]) volumes.insert(volume["name"].as<std::string>());
    for (const char* containers : {"initContainers", "containers"}) {
      for (const YAML::Node& container : spec[containers]) {
        for (const YAML::Node& mount : container["volumeMounts"])
          mounts.insert(mount["name"].as<std::string>());
      }
    }
    EXPECT_EQ(volumes, mounts) << name;
  }
  const YAML::Node claim =
      pod("Job", "kernsweep-coordinator")["spec"]["volumes"][1]["persistentVolumeClaim"];
  object("PersistentVolumeClaim", claim["claimName"].as<std::string>());
}

TEST(Kubernetes, JoinFileIsASecretThatNobodyElseReads) {
  const YAML::Node secret = pod("DaemonSet", "kernsweep-worker")["spec"]["volumes"][0]["secret"];
  EXPECT_EQ(secret["secretName"].as<std::string>(), "kernsweep-join");
  EXPECT_EQ(secret["defaultMode"].as<std::string>(), "0400");  // YAML 1.1, as Kubernetes reads it: octal
}

}  // namespace
}  // namespace kernsweep
