// A model file in the format of ONNX as `kernsweep bench` sees it: the outermost structure of the message
// and the names of files with weights. What it computes is read by the engines.
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

// The file and the files beside it that have its weights ("external data"), by path from here, each once,
// the model first. Nothing of the weights is read. Errors: what can be said against these files before an
// engine reads them, with what to do.
Result<std::vector<std::string>> files_of_model(const std::string& model);

}  // namespace kernsweep
