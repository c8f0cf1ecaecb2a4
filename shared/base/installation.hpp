// Where the parts of this installation are. The build tree has the layout of an installed one (bin/,
// libexec/kernsweep/, lib/kernsweep/packs/, share/kernsweep/), so one rule finds them in both: beside the
// running program.
#pragma once

#include <string>
#include <vector>

namespace kernsweep {

std::string program_path();  // of the running executable
std::string slot_program();  // .../libexec/kernsweep/kernsweep-slot
// Folders with packs: $KERNSWEEP_PACKS (colon-separated) first, then the installation's own.
std::vector<std::string> pack_folders();
// The packs (*.so) of these folders: folder by folder, each folder's sorted. One that cannot be read has
// none.
std::vector<std::string> pack_files(const std::vector<std::string>& folders);
// Where a package that brings libraries along has them; need not exist. A pack looks there after
// LD_LIBRARY_PATH and before the system's folders.
std::string library_folder();
std::string version_text();  // "0.1.0"

}  // namespace kernsweep
