// The measuring rules of points after overrides: each different set of rules once, numbered as it is met.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <vector>

#include "language/plan/plan.hpp"
#include "shared/base/digest.hpp"

namespace kernsweep {

// Any thread may ask; a question for rules that were met before takes a shared lock only.
class RuleBook {
 public:
  explicit RuleBook(const Plan& plan);  // outlived by the plan

  std::uint32_t number_of(const std::vector<Value>& values) const;
  Rules rules(std::uint32_t number) const;
  // Digest of everything in the rules that changes what is measured: not timeouts, not retries, not the
  // cache.
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
