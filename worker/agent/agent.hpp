// The agent: the worker program of one host. The shell around the agent's core: it carries messages between
// the coordinator, the slots and the maker of tensors, starts and watches processes, and keeps every
// outcome until the coordinator has committed it.
//
// One thread, one poll loop, one turn at a time: collect what came, apply it to the core, do what the core
// orders, send.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/instant.hpp"

namespace kernsweep {

struct AgentConfig {
  std::string endpoint;     // of the coordinator
  std::string token;        // given by the `run` that started us; empty otherwise
  std::uint32_t cores = 0;  // offered to jobs; 0: all that we may use
  std::vector<std::string> pack_folders;
  std::uint64_t tensor_budget_bytes = 0;  // 0: a quarter of the memory
  std::uint64_t slot_memory_bytes = 0;    // 0: four fifths of the memory
  Duration wait_for_coordinator{};        // 0: for ever
};

// Exit status: 0 the coordinator said goodbye or we were stopped; 1 refused, or no coordinator within the
// wait; 2 this host cannot work (no packs, no topology); the reason is on stderr.
int run_agent(const AgentConfig& config);

}  // namespace kernsweep
