#include "coordinator/net/host_record.hpp"

#include <algorithm>

#include "shared/text/number_text.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::coordinator {

HostRecord record_of(const wire::HostFacts& host) {
  HostRecord record;
  if (const auto fingerprint = digest_from_hex(host.fingerprint())) record.fingerprint = *fingerprint;
  record.name = one_line(host.name(), kWordsMax);
  record.cpu = host.cpu();
  record.os = host.distribution();
  record.os_kernel = host.kernel();
  record.sockets = host.sockets();
  record.numa_nodes = host.numa_nodes();
  record.cores = host.cores();
  record.memory_bytes = host.memory_bytes();
  record.text = host.text();
  const auto property = [&](const char* name) {
    const auto found = host.properties().find(name);
    return found == host.properties().end() ? std::string() : found->second;
  };
  record.architecture = property("system.machine");
  record.microcode = property("cpu.microcode");
  record.governor = property("policy.governor");
  record.cpu_vendor = property("cpu.vendor");
  record.cpu_family = property("cpu.family");
  record.cpu_model_number = property("cpu.model_number");
  record.cpu_stepping = property("cpu.stepping");
  record.isa = property("cpu.isa");
  record.caches = property("cache.kinds");
  record.numa_layout = property("memory.numa_layout");
  record.hypervisor = property("virtual.hypervisor");
  record.container = property("virtual.container");
  record.frequency_khz = property("policy.frequency_khz");
  record.turbo = property("policy.turbo");
  record.huge_pages = property("policy.transparent_hugepages");
  record.address_randomisation = property("policy.address_randomisation");
  record.numa_balancing = property("policy.numa_balancing");
  record.swap = property("policy.swap");
  record.mitigations = property("policy.mitigations");
  for (const auto& [key, name] :
       {std::pair("limit.cpus", "processors "), std::pair("limit.memory_bytes", "memory "),
        std::pair("limit.cpuset", "cpuset ")}) {
    const std::string limit = property(key);
    if (!limit.empty()) record.limits += (record.limits.empty() ? "" : ", ") + (name + limit);
  }
  record.threads = number_of<std::uint32_t>(property("cpu.threads")).value_or(0);
  return record;
}

KnownHost known_host(const wire::Hello& hello) {
  KnownHost known;
  known.name = one_line(hello.host().name(), kWordsMax);
  known.cores = hello.host().cores();
  for (const auto& [name, value] : hello.host().facts()) known.facts[name] = decode(value);
  for (const auto& [name, value] : hello.host().gpu_facts()) known.gpu_facts[name] = decode(value);
  const wire::Gpus& gpus = hello.host().gpus();
  if (gpus.gpus_size() == 0 && gpus.lost_size() == 0)
    known.why_no_gpus = one_line(gpus.troubles_size() > 0 ? gpus.troubles(0) : gpus.none(), kWordsMax);
  constexpr int kLostTold = 8;
  const auto& all_lost = hello.host().gpus().lost();
  for (int i = 0; i < std::min(all_lost.size(), kLostTold); ++i) {
    const wire::LostGpu& lost = all_lost.Get(i);
    known.lost_gpus += (known.lost_gpus.empty() ? "" : ", ") + one_line(lost.uuid(), kWordsMax) + " (" +
                       one_line(lost.why(), kWordsMax) + ")";
  }
  const auto& lost_cores = hello.host().lost_cores();
  for (int i = 0; i < std::min(lost_cores.size(), kLostTold); ++i)
    known.lost_cores +=
        (known.lost_cores.empty() ? "" : ", ") + one_line(kernsweep::text_of(lost_cores.Get(i)), kWordsMax);
  for (const auto& family : hello.catalogue().families()) {
    auto& variants = known.families[family.name()];
    for (const auto& variant : family.variants()) variants.insert(variant.name());
    if (family.name() != "command") continue;
    for (const auto& parameter : family.params()) known.command_parameters.insert(parameter.name());
  }
  for (const std::string& kind : hello.host().allow()) known.allow.insert(kind);
  return known;
}

}  // namespace kernsweep::coordinator
