// Which file of this host a program's name means.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

bool is_program(const std::string& path);

// The first program of that name in `folders`, which are separated by ':'; one without a name is the
// working directory. A name with a slash is a path already. "": there is none.
std::string find_program(const std::string& name, std::string_view folders);

// Whether the kernels of the pack, a path, are measured in a Python.
bool needs_interpreter(const std::string& pack);

// The Python in which functions are measured: KERNSWEEP_PYTHON (a path, a name of PATH, or the folder of an
// environment), else python3 in the bin of VIRTUAL_ENV or CONDA_PREFIX, else of PATH (the newest python3.N
// where that is not there, or older than 3.10). A link is not followed, because that is how an environment
// says which it is. "": there is none; what KERNSWEEP_PYTHON names may not be there. `variable`: the value
// of an environment variable; "" where it is not set.
std::string find_interpreter(const std::function<std::string(const char* name)>& variable);
// By this process's own variables, or by those of another: "NAME=VALUE".
std::string find_interpreter();
std::string find_interpreter(const std::vector<std::string>& environment);

}  // namespace kernsweep
