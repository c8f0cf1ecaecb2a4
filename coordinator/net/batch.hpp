// Jobs as an agent is told them: bodies from the expansion, and each definition (plan, rules, slot key)
// once per session.
#pragma once

#include <set>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/net/space.hpp"
#include "shared/ids.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordination {

// Which definitions one session of a worker has been sent.
struct SentDefinitions {
  bool plan = false;
  std::set<std::uint32_t> rules;
  std::vector<bool> keys;
};

class BatchWriter {
 public:
  // `space` must outlive the writer.
  BatchWriter(const ExpansionSpace& space, const Sweep& sweep, SweepId id);

  void write(const std::vector<AttemptId>& attempts, SentDefinitions& sent, wire::JobBatch& out);

 private:
  void write_plan(wire::Plan& out) const;
  std::uint32_t key_of(std::uint64_t index, std::uint32_t threads);

  const ExpansionSpace& space_;
  const Sweep& sweep_;
  const SweepId id_;
  std::vector<std::pair<std::size_t, std::string>> environment_columns_;  // position, NAME of env.NAME
  std::vector<std::size_t> library_columns_;                              // blas.library and its like
  std::optional<std::size_t> variant_column_;
  std::unordered_map<std::string, std::uint32_t> key_numbers_;
  std::vector<wire::SlotKey> keys_;
  std::uint64_t handed_out_ = 0;  // jobs, repeated ones too: Job.order
  std::string scratch_;
};

}  // namespace kernsweep::coordination
