// The layout of answers on a terminal, and the colour of a number in a table, by its distance from the best
// one of its row.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace kernsweep {

struct Screen {
  std::size_t columns = 0;  // available for lines; 0: unlimited (a file, a pipe)
  bool colours = false;
  bool ascii = false;  // pictures are drawn without other characters
};

// Distance from the best one of the row, in steps, where 1 is the best and 2 is twice as bad: within 2 %,
// 10 %, 50 %, 2 times, more. None: not a number.
inline constexpr std::size_t kHeatSteps = 5;
std::optional<std::size_t> heat_step(double times);
const char* words_of_heat_step(std::size_t step);  // "within 2 % of the best of the row", "10 %"

// `text` in the colour of the step of `times`, from green to red on a terminal of 256 colours. For NaN, or
// without screen.colours: unchanged.
std::string coloured(const std::string& text, double times, const Screen& screen);
// The meaning of the colours, one line; empty without colours.
std::string text_of_colours(const Screen& screen);

}  // namespace kernsweep
