// Python functions are measured in the user's own interpreter. A pack that needs one (its file is
// python.so) is linked with no libpython: the script kernsweep-slot.py loads kernsweep-slot.so, an
// extension module that is all of the slot (entry.cpp), and the pack finds in the interpreter what it
// calls. So it may be any CPython from 3.10 on, of any environment, with or without a libpython.
//
// Whoever starts kernsweep-slot need not know: the program becomes that Python by itself, with its words,
// descriptors and cores (execv).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernsweep {

// If the pack needs an interpreter and this process is none: it becomes that of find_interpreter(), which
// runs kernsweep-slot with these words. Returns if nothing is needed, and if there is no interpreter or it
// is not fit: why_no_interpreter().
void become_interpreter_for(const std::string& pack, const std::vector<std::string>& words);
const std::string& why_no_interpreter();

// Called by the extension module, before all else: the path by which the interpreter was found.
void set_this_interpreter(const std::string& path);
const std::string& this_interpreter();  // "": this process is no Python

// Lets other threads of the interpreter run while this one waits, which else holds Python's lock all the
// time. Nothing where this process is no Python.
class InterpreterReleased {
 public:
  InterpreterReleased();
  ~InterpreterReleased();
  InterpreterReleased(const InterpreterReleased&) = delete;

 private:
  void* thread_ = nullptr;
};

// Modules that this Python has imported; 0: this process is no Python.
std::size_t imported_modules();
// Regular expressions that its module `re` keeps compiled; 0: this process is no Python.
std::size_t compiled_patterns();
// Empties each functools.lru_cache of the user's modules: of those found by the last call that `searches`,
// which walks all objects and leaves the processor's caches cold. Nothing where this process is no Python.
void forget_cached_calls(bool searches);

// The files of the Python that this process is, or would become: what was found, as "interpreter"; where
// that is a script, the program that it has started, as "interpreter_program".
struct InterpreterFile {
  std::string role, name,
      path;  // the name is that by which it was found, without the home folder; links are followed
};
std::vector<InterpreterFile> interpreter_files();

}  // namespace kernsweep
