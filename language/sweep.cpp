#include "language/sweep.hpp"

#include <fmt/format.h>

namespace kernsweep {

Value Column::stored(const Value& value) const {
  if (value.word() == nullptr && !as_text) return value;
  return as_text && value.number() ? Value(value.to_text()) : value.without_word();
}

bool is_resource(std::string_view column) {
  return column == "threads" || column == "copies" || column == "device" || column == "gpus";
}

std::string_view name_of(Order order) {
  switch (order) {
    case Order::interleave:
      return "interleave";
    case Order::sequential:
      return "sequential";
    case Order::shuffle:
      return "shuffle";
  }
  return "shuffle";
}

std::string file_text(const Sweep& sweep) {
  return sweep.file.empty() ? "on the command line" : sweep.file;
}

std::string place_text(const Sweep& sweep, const Place& place) {
  return place.line == 0 ? "on the command line"
                         : fmt::format("{}:{}:{}", sweep.file, place.line, place.column);
}

}  // namespace kernsweep
