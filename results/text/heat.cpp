#include "results/text/heat.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace kernsweep {

namespace {

struct HeatStep {
  double below;
  int colour;  // of 256
  const char* words;
};
constexpr HeatStep kHeatSteps[] = {{1.02, 40, "within 2 % of the best of the row"},
                                   {1.1, 148, "10 %"},
                                   {1.5, 220, "50 %"},
                                   {2, 208, "2 times"},
                                   {HUGE_VAL, 196, "more"}};

std::string in_colour(const std::string& text, int colour) {
  return fmt::format("\033[38;5;{}m{}\033[0m", colour, text);
}

}  // namespace

std::string coloured(const std::string& text, double times, const Screen& screen) {
  if (!screen.colours || std::isnan(times)) return text;
  for (const HeatStep& step : kHeatSteps)
    if (times <= step.below) return in_colour(text, step.colour);
  return text;
}

std::string text_of_colours(const Screen& screen) {
  if (!screen.colours) return "";
  std::string line;
  for (const HeatStep& step : kHeatSteps)
    line += (line.empty() ? "" : ", ") + in_colour(step.words, step.colour);
  return line + "\n";
}

}  // namespace kernsweep
