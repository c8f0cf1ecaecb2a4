// Assigns ids to long texts, so that a repeated text (an environment, a reason) is stored only once.
//
// Keeps at most kRememberedMax texts, and drops all of them when it is full or the database is opened
// again. A dropped text is stored again, which only costs space. Owned by the Store, used on its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kernsweep {

class TextPool {
 public:
  static constexpr std::size_t kRememberedMax = 16384;

  explicit TextPool(std::uint64_t next) : next_(next) {}

  struct Place {
    std::uint64_t id = 0;
    bool is_new = false;  // true: the caller must store the text now
  };
  Place place(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return {found->second, false};
    if (ids_.size() >= kRememberedMax) ids_.clear();
    ids_.emplace(text, next_);
    return {next_++, true};
  }
  // Must be called after a rollback: the rows of kept texts may be gone.
  void forget() { ids_.clear(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> ids_;
  std::uint64_t next_;
};

}  // namespace kernsweep
