// A file that a sweep file reads (a table), and its content: what travels and is kept with the sweep.
#pragma once

#include <string>

namespace kernsweep {

struct TextFile {
  std::string path;  // as the sweep file names it
  std::string content;
};

}  // namespace kernsweep
