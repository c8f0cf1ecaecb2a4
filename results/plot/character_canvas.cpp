#include "results/plot/character_canvas.hpp"

#include <algorithm>
#include <cstdlib>

#include "results/plot/line_text.hpp"

namespace kernsweep {

namespace {

// The bit of each dot in a Braille pattern (U+2800 and the sum).
constexpr std::uint8_t kBrailleBits[CharacterCanvas::kDown][CharacterCanvas::kAcross] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

std::string braille(std::uint8_t dots) {
  return {'\xE2', static_cast<char>(0xA0 + (dots >> 6)), static_cast<char>(0x80 + (dots & 0x3F))};
}

}  // namespace

CharacterCanvas::CharacterCanvas(std::size_t columns, std::size_t rows)
    : columns_(columns), characters_(columns * rows) {}

void CharacterCanvas::line(Dot from, Dot to, std::size_t series) {
  const auto across = static_cast<long>(to.x) - static_cast<long>(from.x);
  const auto down = static_cast<long>(to.y) - static_cast<long>(from.y);
  const long steps = std::max({std::labs(across), std::labs(down), 1L});
  const auto part = [&](long whole, long step) {  // rounded to the nearest
    const long twice = 2 * whole * step;
    return (twice >= 0 ? twice + steps : twice - steps) / (2 * steps);
  };
  for (long step = 0; step <= steps; ++step) {
    const auto x = static_cast<std::size_t>(static_cast<long>(from.x) + part(across, step));
    const auto y = static_cast<std::size_t>(static_cast<long>(from.y) + part(down, step));
    Character& there = at(x / kAcross, y / kDown);
    if (there.dots == 0) there.series = series;
    there.dots |= kBrailleBits[y % kDown][x % kAcross];
  }
}

bool CharacterCanvas::put(std::size_t column, std::size_t row, const std::string& character,
                          std::size_t series, bool kept) {
  Character& there = at(column, row);
  if (there.kept) return false;
  there = {.text = character, .dots = there.dots, .series = series, .kept = kept};
  return true;
}

std::string CharacterCanvas::row_text(std::size_t row, const Screen& screen) const {
  std::string out, blanks;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Character& character = characters_[row * columns_ + column];
    if (character.text.empty() && character.dots == 0) {
      blanks += ' ';
      continue;
    }
    const std::string dots = screen.ascii ? "." : braille(character.dots);
    out +=
        blanks + in_series_colour(character.text.empty() ? dots : character.text, character.series, screen);
    blanks.clear();
  }
  return out;
}

}  // namespace kernsweep
