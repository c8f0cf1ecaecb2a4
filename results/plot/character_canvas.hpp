// A rectangle of characters on which lines are drawn, with 2 x 4 dots in each. Private to results/plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/text/heat.hpp"

namespace kernsweep {

class CharacterCanvas {
 public:
  static constexpr std::size_t kAcross = 2, kDown = 4;  // dots of a character
  struct Dot {
    std::size_t x = 0, y = 0;  // from the left, from above
  };

  CharacterCanvas(std::size_t columns, std::size_t rows);

  // A straight line of dots, horizontal or vertical.
  void line(Dot from, Dot to, std::size_t series);
  // A character, over dots and over other characters that are not `kept`. Returns whether it is visible.
  bool put(std::size_t column, std::size_t row, const std::string& character, std::size_t series,
           bool kept);
  // The row without blanks at its end.
  std::string row_text(std::size_t row, const Screen& screen) const;

 private:
  struct Character {
    std::string text;  // empty: its dots
    std::uint8_t dots = 0;
    std::size_t series = 0;
    bool kept = false;
  };
  Character& at(std::size_t column, std::size_t row) { return characters_[row * columns_ + column]; }

  std::size_t columns_;
  std::vector<Character> characters_;
};

}  // namespace kernsweep
