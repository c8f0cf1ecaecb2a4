// Converts a worker's description of an input tensor to a row of the database.
#pragma once

#include "results/store/records.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// `content`: Input.content_hash.
InputRecord record_of(const wire::Input& input, const Digest& content);

}  // namespace kernsweep::coordinator
