// A file that a sweep file refers to (a table), and its content; both are sent and stored with the sweep.
#pragma once

#include <string>

namespace kernsweep {

struct TextFile {
  std::string path;  // as the sweep file names it
  std::string content;
};

}  // namespace kernsweep
