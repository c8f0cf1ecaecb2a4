// A model file in the format of ONNX as `kernsweep bench` sees it: the outermost structure of the message
// and the names of files with weights. What it computes is read by the engines, which are asked before
// anything is measured.
#pragma once

#include <string>
#include <vector>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The file and the files beside it that have its weights ("external data"), by path from here, each once,
// the model first. Nothing of the weights is read. Errors: what can be said against these files before an
// engine reads them, with what to do.
Result<std::vector<std::string>> files_of_model(const std::string& model);

// The same sweep without the points of `python: kernsweep.engines:Model` that cannot be computed: the model
// does not take the sizes of a problem, or an engine lacks an operation. The Python that measures is asked,
// for at most a minute in all and 64 problems; what it does not say is left to the jobs. Rules for these
// points are added to `replacements`. Error: no other point is left. Other sweeps stay as they are.
// `fixed_batch`, if not nullptr, is set to the only batch that the file of a refused model takes; "": none.
Result<Expansion> without_hopeless_models(const Expansion& expansion, Replacements& replacements,
                                          std::string* fixed_batch = nullptr);

}  // namespace kernsweep
