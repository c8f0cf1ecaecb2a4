// What a worker tells of an input tensor, as the row that the store keeps.
#pragma once

#include "results/store/records.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// `content`: what Input.content_hash says. Of an input without its origin (a worker before protocol 1.4)
// the summary is shown as the source, and type, shape and seed are not known.
InputRecord record_of(const wire::Input& input, const Digest& content);

}  // namespace kernsweep::coordinator
