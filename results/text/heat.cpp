#include "results/text/heat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kernsweep {

namespace {

struct HeatStep {
  double below;
  int colour;  // of 256
  const char* words;
};
constexpr HeatStep kSteps[kHeatSteps] = {{1.02, 40, "within 2 % of the best of the row"},
                                         {1.1, 148, "10 %"},
                                         {1.5, 220, "50 %"},
                                         {2, 208, "2 times"},
                                         {HUGE_VAL, 196, "more"}};

std::string in_colour(const std::string& text, int colour) {
  return fmt::format("\033[38;5;{}m{}\033[0m", colour, text);
}

}  // namespace

std::optional<std::size_t> heat_step(double times) {
  const auto fits = [&](const HeatStep& step) { return times <= step.below; };
  const auto* found = std::ranges::find_if(kSteps, fits);
  if (found == std::end(kSteps)) return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(kSteps));
}

const char* words_of_heat_step(std::size_t step) {
  return kSteps[step].words;
}

std::string coloured(const std::string& text, double times, const Screen& screen) {
  const auto step = screen.colours ? heat_step(times) : std::nullopt;
  return step ? in_colour(text, kSteps[*step].colour) : text;
}

std::string text_of_colours(const Screen& screen) {
  if (!screen.colours) return "";
  std::string line;
  for (const HeatStep& step : kSteps)
    line += (line.empty() ? "" : ", ") + in_colour(step.words, step.colour);
  return line + "\n";
}

}  // namespace kernsweep
