// Any bytes as a coordinator's answer to a client: printed for people and as JSON without harm, and without
// control sequences of a terminal.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/show/json.hpp"
#include "cli/show/status_text.hpp"
#include "results/report/json.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/convert.hpp"

using namespace kernsweep;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  silence_decoders();
  wire::Answer answer;
  if (!answer.ParseFromArray(bytes, static_cast<int>(size))) return 0;
  static_cast<void>(text_of(answer.status()));
  static_cast<void>(text_of(answer.workers()));
  static_cast<void>(text_of(answer.submitted()));
  const std::string json = answer_json(answer);
  KS_ASSERT(answer.has_workers() || is_json_object(json));
  KS_ASSERT(json.find('\x1b') == std::string::npos);
  return 0;
}
