#include "results/read/value_codes.hpp"

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <iterator>

namespace kernsweep {

using sqlite::Cell;

namespace {

Value value_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::integer:
      return Value(static_cast<std::int64_t>(cell.bits));
    case Cell::Kind::real:
      return Value(std::bit_cast<double>(cell.bits));
    case Cell::Kind::text:
      return Value(std::string(cell.text));
    case Cell::Kind::blob: {
      std::string digits;
      for (const unsigned char byte : cell.text) fmt::format_to(std::back_inserter(digits), "{:02x}", byte);
      return Value(std::move(digits));
    }
    case Cell::Kind::null:
      break;
  }
  return Value();
}

}  // namespace

std::uint32_t ValueCodes::of(const Cell& cell) {
  if (last_ < keys_.size() && same(keys_[last_], cell)) return last_;
  const std::uint64_t content = cell.text.empty() ? cell.bits : std::hash<std::string_view>()(cell.text);
  const std::uint32_t hash = CodeTable::hash_of(content + static_cast<std::uint64_t>(cell.kind));
  last_ = table_.number(hash, [&](std::uint32_t code) { return same(keys_[code], cell); });
  if (last_ == keys_.size()) {
    keys_.push_back({cell.kind, cell.bits, std::string(cell.text)});
    values_.push_back(value_of(cell));
    const std::string* const word = words_ ? values_.back().text() : nullptr;
    if (const Value number = word != nullptr ? value_of_scalar(*word) : Value(); number.number())
      values_.back() = Value::spelled(number, std::string(*word));
  }
  return last_;
}

ValueCodes ValueCodes::renumbered(const std::vector<std::uint32_t>& codes) const {
  ValueCodes other;
  other.words_ = words_;
  for (const std::uint32_t code : codes) {
    const Key& key = keys_[code];
    other.of({key.kind, key.bits, key.text});
  }
  return other;
}

}  // namespace kernsweep
