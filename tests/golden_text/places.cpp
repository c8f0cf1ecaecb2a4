#include "tests/golden_text/places.hpp"

namespace kernsweep {

std::string source_folder() {
  return KERNSWEEP_SOURCE_DIR;
}

std::string build_folder() {
  return KERNSWEEP_BINARY_DIR;
}

}  // namespace kernsweep
