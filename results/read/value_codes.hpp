// The values of one column as small numbers, in the order in which they are met: a million rows hold few
// different values, and equal numbers are compared and hashed faster than equal texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/read/code_table.hpp"
#include "results/sqlite/sqlite.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

class ValueCodes {
 public:
  // 1 and 1.0 are two values, NULL is one like any other. A blob counts as its digits (Statement::value).
  std::uint32_t of(const sqlite::Cell& cell);
  const std::vector<Value>& values() const { return values_; }  // by code
  // The same values under other numbers: `codes[i]` becomes i. Requires each code once.
  ValueCodes renumbered(const std::vector<std::uint32_t>& codes) const;

 private:
  // What a value was read from: compared in place, without a conversion.
  struct Key {
    sqlite::Cell::Kind kind;
    std::uint64_t bits;
    std::string text;
  };
  bool same(const Key& key, const sqlite::Cell& cell) const {
    return key.kind == cell.kind && key.bits == cell.bits && key.text == cell.text;
  }

  CodeTable table_;
  std::vector<Key> keys_;
  std::vector<Value> values_;
  std::uint32_t last_ = 0;  // most values are those of the row before
};

}  // namespace kernsweep
