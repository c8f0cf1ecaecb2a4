// A model file in the format of ONNX, as `kernsweep bench` reads it: the outermost structure of the message
// and the names of files with weights. The engines read the rest; they check it before anything is
// measured.
#pragma once

#include <string>
#include <vector>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The file and the files in its folder that have its weights ("external data"), by path from here, each
// once, the model first. The weights are not read. Errors: problems with these files that are known before
// an engine reads them, with what to do.
Result<std::vector<std::string>> files_of_model(const std::string& model);

// The same sweep without the points of `python: kernsweep.engines:Model` that cannot be computed: the model
// does not accept the sizes of a problem, or an engine lacks an operation. The measuring Python answers,
// for at most a minute in all and 64 problems; jobs find out the rest. Rules for these points are added to
// `replacements`. Error: no other point is left. Other sweeps are not changed. `fixed_batch`, if not
// nullptr, is set to the only batch that the file of a rejected model accepts; "": none.
Result<Expansion> without_hopeless_models(const Expansion& expansion, Replacements& replacements,
                                          std::string* fixed_batch = nullptr);

}  // namespace kernsweep
