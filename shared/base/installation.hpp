// Where the parts of this installation are. The build tree has the layout of an installed one (bin/,
// libexec/kernsweep/, lib/kernsweep/packs/, share/kernsweep/), so the same paths, relative to the running
// program, are valid in both.
#pragma once

#include <string>
#include <vector>

namespace kernsweep {

std::string program_path();         // of the running executable
std::string installation_folder();  // the one that holds bin/ and libexec/
std::string slot_program();         // .../libexec/kernsweep/kernsweep-slot
// Folders with packs: first those of $KERNSWEEP_PACKS (colon-separated), then the one of the installation.
std::vector<std::string> pack_folders();
// Paths of the packs (*.so) in these folders, in the order of the folders, sorted within each. A folder
// that cannot be read is skipped.
std::vector<std::string> pack_files(const std::vector<std::string>& folders);
// The folder of the libraries that a package of Kernsweep contains; it need not exist. The loader of a pack
// searches it after LD_LIBRARY_PATH and before the system's folders.
std::string library_folder();
std::string version_text();  // "0.1.0"

}  // namespace kernsweep
