#include <google/protobuf/stubs/logging.h>

#include "shared/wire/convert.hpp"

namespace kernsweep {

void silence_decoders() {
  google::protobuf::SetLogHandler(nullptr);
}

}  // namespace kernsweep
