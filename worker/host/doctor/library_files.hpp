// Where the loader of this system looks for libraries, and which of them could be a CBLAS.
#pragma once

#include <string>
#include <vector>

namespace kernsweep {

struct LibraryFile {
  std::string name;  // for `blas.library`: a bare name where the loader finds it, else the path
  std::vector<std::string> also;  // other names of the same file
};

// The folders of `search_path` (LD_LIBRARY_PATH, colon-separated), of etc/ld.so.conf and what it includes,
// and the loader's own, below the root folder; those that exist, each once, the first spelling kept.
std::vector<std::string> library_folders_under(const std::string& root, const std::string& search_path);

// Files named like a CBLAS library (libopenblas, libblis, libblas, libmkl_rt, ...) in the folders and,
// because distributions keep alternatives there, in folders one level below that are named alike. Links are
// followed: one entry for each file. Nothing is opened.
std::vector<LibraryFile> blas_files_in(const std::vector<std::string>& folders);

// Whether "libopenblas.so.0" and the like; "libnvblas.so.13" and "libblas.a" are not.
bool names_a_blas(const std::string& file);

}  // namespace kernsweep
