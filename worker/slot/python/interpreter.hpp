// Python functions are measured in the user's own interpreter. A pack that needs one (its file is
// python.so) is not linked with libpython: the script kernsweep-slot.py loads kernsweep-slot.so, an
// extension module that is the whole slot (entry.cpp), and the pack finds the functions that it calls in
// the interpreter. So it may be any CPython from 3.10 on, of any environment, with or without a libpython.
//
// A program that starts kernsweep-slot need not know about this: the program becomes that Python
// automatically, with its words, descriptors and cores (execv).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernsweep {

// If the pack needs an interpreter and this process is not one: it becomes that of find_interpreter(),
// which runs kernsweep-slot with these words. Returns if no interpreter is needed, and if there is none or
// it is unsuitable: why_no_interpreter().
void become_interpreter_for(const std::string& pack, const std::vector<std::string>& words);
const std::string& why_no_interpreter();

// Called by the extension module, before all else: the path by which the interpreter was found.
void set_this_interpreter(const std::string& path);
const std::string& this_interpreter();  // "": this process is not a Python

// Lets other threads of the interpreter run while this one waits; otherwise it has Python's lock all the
// time. Has no effect if this process is not a Python.
class InterpreterReleased {
 public:
  InterpreterReleased();
  ~InterpreterReleased();
  InterpreterReleased(const InterpreterReleased&) = delete;

 private:
  void* thread_ = nullptr;
};

// Modules that this Python has imported; 0: this process is not a Python.
std::size_t imported_modules();
// Regular expressions in the cache of its module `re`; 0: this process is not a Python.
std::size_t compiled_patterns();
// Empties each functools.lru_cache of the user's modules: those found by the last call with `searches`,
// which visits all objects and leaves the processor's caches cold. Has no effect if this process is not a
// Python.
void forget_cached_calls(bool searches);

// The files of the Python that this process is, or would become: the file that was found, as "interpreter";
// if that is a script, the program that it has started, as "interpreter_program".
struct InterpreterFile {
  std::string role, name,
      path;  // the name is the one by which it was found, without the home folder; links are followed
};
std::vector<InterpreterFile> interpreter_files();

}  // namespace kernsweep
