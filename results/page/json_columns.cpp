#include "results/page/json_columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace kernsweep {

void JsonNumbers::add(double number) {
  if (!text_.empty()) text_ += ',';
  if (std::isfinite(number))
    fmt::format_to(std::back_inserter(text_), "{:.5g}", number);
  else
    text_ += "null";
}

void JsonNumbers::add(std::uint64_t number) {
  if (!text_.empty()) text_ += ',';
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

}  // namespace kernsweep
