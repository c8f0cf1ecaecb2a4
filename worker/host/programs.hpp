// Finds the file of this host for a program's name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// Whether `path` is a regular file that this process may execute.
bool is_program(const std::string& path);

// The first program of that name in `folders`, which are separated by ':'; an empty one is the working
// directory. A name with a slash is a path already. "": there is none.
std::string find_program(const std::string& name, std::string_view folders);

// Whether the kernels of the pack, a path, are measured in a Python.
bool needs_interpreter(const std::string& pack);

// The Python in which functions are measured: KERNSWEEP_PYTHON (a path, a name of PATH, or the folder of an
// environment), else python3 in the bin of VIRTUAL_ENV or CONDA_PREFIX, else of PATH (the newest python3.N
// if there is no python3, or it is older than 3.10). A link is not followed, because an environment is
// identified by its link. "": there is none; the file named by KERNSWEEP_PYTHON may not exist. `variable`:
// the value of an environment variable; "" if it is not set.
// of an environment variable; "" where it is not set.
std::string find_interpreter(const std::function<std::string(const char* name)>& variable);
// By the variables of this process, or by those of another: "NAME=VALUE".
std::string find_interpreter();
std::string find_interpreter(const std::vector<std::string>& environment);

}  // namespace kernsweep
