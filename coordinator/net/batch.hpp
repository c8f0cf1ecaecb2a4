// Writes the messages with jobs for workers: job bodies from the expansion, and each definition (plan,
// rules, slot key) once per session. Slot keys have common numbers for all sweeps of a coordinator, so that
// jobs of two sweeps can share a slot.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/net/space.hpp"
#include "shared/base/ids.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// The definitions that were sent in one session of a worker.
struct SentDefinitions {
  std::set<SweepId> plans;
  std::set<std::pair<SweepId, std::uint32_t>> rules;
  std::vector<bool> keys;
};

// All slot keys, each once.
class KeyBook {
 public:
  // `content` identifies a key; `make` fills in a new one. The key's number is set here.
  template <class Make>
  std::uint32_t number_of(const std::string& content, Make make) {
    const auto [at, added] = numbers_.try_emplace(content, static_cast<std::uint32_t>(keys_.size()));
    if (added) make(keys_.emplace_back()), keys_.back().set_number(at->second);
    return at->second;
  }
  const std::vector<wire::SlotKey>& keys() const { return keys_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<wire::SlotKey> keys_;
};

class BatchWriter {
 public:
  // `space` and `book` must outlive the writer.
  BatchWriter(const ExpansionSpace& space, const Sweep& sweep, SweepId id, KeyBook& book);

  void write(const std::vector<AttemptId>& attempts, SentDefinitions& sent, wire::JobBatch& out);

 private:
  void write_plan(wire::Plan& out) const;
  std::uint32_t key_of(std::uint64_t index);
  void write_reference(std::uint64_t index, std::uint32_t rules, wire::JobBody& out) const;
  bool distrusts(std::uint64_t index) const;
  void fill(wire::SlotKey& key, std::uint64_t index) const;

  const ExpansionSpace& space_;
  const Sweep& sweep_;
  const SweepId id_;
  KeyBook& book_;
  std::string prefix_;                                                    // of the content of every key
  std::vector<std::pair<std::size_t, std::string>> environment_columns_;  // position, NAME of env.NAME
  std::vector<std::size_t> library_columns_;                              // blas.library and similar
  std::optional<std::size_t> variant_column_;
  std::optional<std::size_t> function_column_;  // of Python functions
  std::uint64_t handed_out_ = 0;                // jobs written, including repeated ones: Job.order
  std::string scratch_;
};

}  // namespace kernsweep::coordinator
