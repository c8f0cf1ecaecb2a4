// Lists of numbers as short JSON: five significant digits, null for numbers that are not finite.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

class JsonNumbers {
 public:
  void add(double number);
  void add(std::uint64_t number);
  std::string text() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

}  // namespace kernsweep
