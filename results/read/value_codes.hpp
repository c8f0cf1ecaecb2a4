// Encodes the values of one column as consecutive integers (codes), in order of appearance. A million rows
// hold few different values, and integers are compared and hashed faster than texts.
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
  // Converts texts that are numbers to numbers that keep the text as their spelling (Value::spelled).
  void read_words() { words_ = true; }
  // 1 and 1.0 are different values; NULL is a value too. A blob becomes hexadecimal text
  // (Statement::value).
  std::uint32_t of(const sqlite::Cell& cell);
  const std::vector<Value>& values() const { return values_; }  // indexed by code
  // The same values with new codes: the value of `codes[i]` gets code i. Requires that `codes` has each
  // code once.
  ValueCodes renumbered(const std::vector<std::uint32_t>& codes) const;

 private:
  // The cell from which a value was read. It is compared with the next cell without a conversion to Value.
  struct Key {
    sqlite::Cell::Kind kind;
    std::uint64_t bits;
    std::string text;
  };
  bool same(const Key& key, const sqlite::Cell& cell) const {
    return key.kind == cell.kind && key.bits == cell.bits && key.text == cell.text;
  }

  bool words_ = false;
  CodeTable table_;
  std::vector<Key> keys_;
  std::vector<Value> values_;
  std::uint32_t last_ = 0;  // the last code: most rows repeat the value of the row before
};

}  // namespace kernsweep
