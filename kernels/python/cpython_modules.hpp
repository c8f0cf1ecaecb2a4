// The files behind sys.modules: what a function's result depends on, as far as Python knows it.
//
// Of a module of the user's, its file. Of what is installed below site-packages or dist-packages, one file
// for each top-level package: that of its distribution's metadata, which names its version; files that are
// changed there by hand are not seen. Of Python's own library nothing: `runtime` names its version.
#pragma once

#include <string>
#include <vector>

namespace kernsweep::python {

struct ModuleFile {
  std::string role, name, path;  // "module" and its dotted name, or "package" and the top-level name
};

// Looks for modules that were loaded since it was called last, unless their number is the same. Keeps the
// exception that is set, if one is. False: there is no interpreter, or what looks is out of order.
bool look_for_modules();
// All that was found in this process. Only grows.
const std::vector<ModuleFile>& module_files();

// After an import of `module` that failed, whose exception is set and stays so: adds the file of the module
// and those in which the exception was raised, which sys.modules no longer has.
void look_for_failed_import(const std::string& module);

}  // namespace kernsweep::python
