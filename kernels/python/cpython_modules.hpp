// The files of the modules in sys.modules, and those that Python's loaders and runpy have opened for
// modules that are not there (a plugin loader, runpy.run_path, a module that was removed again): a
// function's result depends on them. Not found: a file that the user's code opens, compiles and executes
// itself.
//
// For a module of the user: its file. For packages below site-packages or dist-packages: one file for each
// top-level package, its distribution's metadata, which has the version; manual changes of files there are
// not detected. For Python's own library: nothing; `runtime` has its version.
#pragma once

#include <string>
#include <vector>

namespace kernsweep::python {

struct ModuleFile {
  // "module" and its dotted name, or its path where it is not in sys.modules; "package" and the top-level
  // name
  std::string role, name, path;
};

// Records from now on which code is opened, by replacing io.open_code. Later calls do nothing.
void note_code_that_is_opened();

// Adds modules that were loaded since the last call; does nothing if the number of modules, and of files
// that were opened, is unchanged. Keeps an exception that is set. False: there is no interpreter, or the
// search program could not be run.
bool look_for_modules();
// All files that were found in this process. Never shrinks.
const std::vector<ModuleFile>& module_files();

// Must be called when an import of `module` has failed and its exception is set, which stays set: adds the
// file of the module and those in which the exception was raised, because sys.modules no longer has them.
void look_for_failed_import(const std::string& module);

}  // namespace kernsweep::python
