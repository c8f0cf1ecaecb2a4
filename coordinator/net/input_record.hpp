// Converts a worker's description of an input tensor to a row of the database.
#pragma once

#include "results/store/records.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// `content`: Input.content_hash. For an input without its origin (from a worker before protocol 1.4) the
// summary is used as the source, and type, shape and seed are not known.
InputRecord record_of(const wire::Input& input, const Digest& content);

}  // namespace kernsweep::coordinator
