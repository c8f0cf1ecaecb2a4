// The measuring rules of points after overrides: each different set once, numbered by first use.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <vector>

#include "language/plan/plan.hpp"
#include "shared/base/digest.hpp"

namespace kernsweep {

// Thread-safe; a call for rules that were used before takes only a shared lock.
class RuleBook {
 public:
  explicit RuleBook(const Plan& plan);  // the plan must outlive it

  std::uint32_t number_of(const std::vector<Value>& values) const;
  Rules rules(std::uint32_t number) const;
  // Digest of all rules that change what is measured: without timeouts, retries and the cache state.
  Digest measuring(std::uint32_t number) const;

 private:
  std::uint64_t mask_of(const std::vector<Value>& values) const;
  std::uint32_t number_for(std::uint64_t mask) const;

  const Plan& plan_;
  mutable std::shared_mutex mutex_;
  mutable std::vector<Rules> rules_;
  mutable std::vector<Digest> digests_;
  mutable std::vector<std::pair<std::uint64_t, std::uint32_t>>
      numbers_;  // mask -> number, in order of masks
};

}  // namespace kernsweep
