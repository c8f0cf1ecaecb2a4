// Checks, before anything is measured, whether the programs or functions of a sweep are found on this
// machine. For a function a separate process does it, in the environment of the job, so a crash or a hang
// affects nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

using NamedValues = std::vector<std::pair<std::string, Value>>;

// Variables, "NAME=value", of the process that measures a point with these columns. `gpus`: those that it
// may see, in the form of CUDA_VISIBLE_DEVICES.
std::vector<std::string> environment_of_point(const NamedValues& values, const std::string& gpus);

// Whether the kernel of that point is distrusted. Such a kernel is not checked, because the process would
// have to be isolated like one that measures.
bool is_distrusted(const Expansion& expansion, const Point& point);

// Why a slot cannot find the program or function of a `command` or `python` sweep at a point; "": it can,
// or it did not answer within 20 s. A module is imported; a function is not called, but must accept the
// parameters of the point. `gpus` as above.
std::string why_no_program(const Sweep& sweep, const NamedValues& values, const std::string& gpus);

struct MissingPrograms {
  struct Reason {
    std::string why, point;  // for the first such point, in the form of label_of
    std::string advice;      // what to do, after a ';'; "": `why` has it
    Place place;             // of the command or function in the file
    bool of_build = false;   // it is a compiler, so other points may be measurable
  };
  std::vector<Reason> reasons;
  bool all = false;  // none of them was found, and all points were checked
};
// Checks the first 10,000 points that are not rejected:
// - in a `command` sweep the program of each build, command, setup and cleanup, and programs that `env`,
//   `nice` and the like start; but not the path of a command that has a setup, which may make the file;
// - in a `python` sweep the program of each build, and the functions, one for each text and environment, at
//   most 16, at the same time; but not those of distrusted points. For points with GPUs, which the check
//   does not get, only failures that do not depend on a GPU: a missing module, name or parameter.
MissingPrograms missing_programs(const Expansion& expansion);

// What the commands of these points start and cannot be named, as a note; "": nothing, or the sweep lists
// files under `depends`. Commands whose files a build or a setup may make are left out.
std::string note_of_unknown(const Expansion& expansion);

// Prints what is missing on stderr.
void tell(const MissingPrograms& missing);
// For sweeps measured on this machine. Errors: a program of a command is missing; no function, or no
// compiler, was found. If only some functions or compilers are missing, that is printed.
Status find_programs(const Expansion& expansion);

}  // namespace kernsweep
