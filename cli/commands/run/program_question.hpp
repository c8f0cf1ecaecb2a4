// Asks, before anything is measured, whether the programs or functions of a sweep are found on this
// machine. For a function a process of its own looks, in the environment of the job, so what crashes or
// hangs costs nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

using NamedValues = std::vector<std::pair<std::string, Value>>;

// Variables, "NAME=value", of the process that measures a point with these columns. `gpus`: those that it
// may see, as CUDA_VISIBLE_DEVICES has them.
std::vector<std::string> environment_of_point(const NamedValues& values, const std::string& gpus);

// Whether the kernel of that point is distrusted. Nothing of it is asked: the process would have to be
// isolated as one that measures.
bool is_distrusted(const Expansion& expansion, const Point& point);

// Why a slot cannot find the program or function of a `command` or `python` sweep at a point; "": it can,
// or it did not say within 20 s. A module is imported; a function is not called, but must take the
// parameters of the point. `gpus` as above.
std::string why_no_program(const Sweep& sweep, const NamedValues& values, const std::string& gpus);

struct MissingPrograms {
  struct Reason {
    std::string why, point;  // of the first point that it holds for, as label_of has it
    std::string advice;      // what to do, after a ';'; "": `why` has it
    Place place;             // of the command or function in the file
    bool of_build = false;   // it is a compiler, so other points may well be measured
  };
  std::vector<Reason> reasons;
  bool all = false;  // not one of them was found, and all points were looked at
};
// Of the first 10,000 points that are not rejected:
// - of a `command` sweep the program of each build, command, setup and cleanup, and what `env`, `nice` and
//   their like start; but no path of a command that has a setup, which may make the file;
// - of a `python` sweep the program of each build, and the functions, one for each text and environment, at
//   most 16, asked side by side; but for points that are distrusted. Of points with GPUs, which a question
//   does not get, only what a GPU cannot change: a module, name or parameter that is not there.
MissingPrograms missing_programs(const Expansion& expansion);

// Prints what is missing on stderr.
void tell(const MissingPrograms& missing);
// For what is measured on this machine. Errors: a program of a command is missing; not one function, or not
// one compiler, was found. What some functions or compilers lack is printed.
Status find_programs(const Expansion& expansion);

}  // namespace kernsweep
