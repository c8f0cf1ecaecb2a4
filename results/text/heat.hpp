// How answers are laid out on a terminal, and the colour of a number in a table, by how far it is from the
// best one of its row.
#pragma once

#include <cstddef>
#include <string>

namespace kernsweep {

struct Screen {
  std::size_t columns = 0;  // that lines may have; 0: any number (a file, a pipe)
  bool colours = false;
  bool ascii = false;  // pictures are drawn without other characters
};

// `text` in the colour that stands for `times`: 1 is the best of its row, 2 is twice as bad. Within 2 %, 10
// %, 50 %, 2 times, more: five steps of a terminal of 256 colours, from green to red. Not a number: as it
// is. Without screen.colours the text stays as it is.
std::string coloured(const std::string& text, double times, const Screen& screen);
// What the colours mean, a line; empty without colours.
std::string text_of_colours(const Screen& screen);

}  // namespace kernsweep
