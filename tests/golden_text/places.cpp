#include "tests/golden_text/places.hpp"

#include <cstdlib>
#include <filesystem>

namespace kernsweep {

// Asked at run time: a program is the same in every checkout, and what it passed is kept for all of them.
std::string build_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
}

std::string source_folder() {
  const char* named = std::getenv("KERNSWEEP_SOURCE_DIR");
  return named ? named : std::filesystem::path(build_folder()).parent_path().parent_path().string();
}

}  // namespace kernsweep
