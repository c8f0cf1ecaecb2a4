// The templates of `kernsweep new-pack`: the files of kernels/api/new_pack, put into the program by the
// build (cli/CMakeLists.txt). @NAME@ is replaced by the name of the pack, @COMMANDS@ by the commands that
// use it.
#pragma once

#include <array>
#include <string_view>

namespace kernsweep {

struct NewPackFile {
  std::string_view name;  // "pack.cpp"; `pack` and `sweep` are replaced by the name of the pack
  std::string_view text;
};

extern const std::array<NewPackFile, 4> kNewPackFiles;

}  // namespace kernsweep
