// Finds the folders that the loader of this system searches, and the files there that may be a CBLAS.
#pragma once

#include <string>
#include <vector>

namespace kernsweep {

struct LibraryFile {
  std::string name;  // for `blas.library`: a bare name if the loader finds it, otherwise the path
  std::vector<std::string> also;  // other names of the same file
};

// The folders of `search_path` (LD_LIBRARY_PATH, separated by colons), of etc/ld.so.conf and the files that
// it includes, and the loader's own, all below `root`. Only existing folders, each once, with its first
// spelling.
std::vector<std::string> library_folders_under(const std::string& root, const std::string& search_path);

// Files with the name of a CBLAS library (libopenblas, libblis, libblas, libmkl_rt, ...) in the folders,
// and in subfolders with such a name, because distributions keep alternatives there. Links are followed:
// one entry for each file. No file is opened.
std::vector<LibraryFile> blas_files_in(const std::vector<std::string>& folders);

// True for "libopenblas.so.0" and similar, false for "libnvblas.so.13" and "libblas.a".
bool names_a_blas(const std::string& file);

}  // namespace kernsweep
