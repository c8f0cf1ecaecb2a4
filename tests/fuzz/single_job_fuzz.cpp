// Any text as the job that `kernsweep-slot --once` is given: read or refused with a reason, and what is
// read comes back from its own text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shared/wire/single_job.hpp"

using namespace kernsweep;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto job = single_job_of({reinterpret_cast<const char*>(bytes), size});
  if (!job) {
    KS_ASSERT(!job.error().message.empty());
    return 0;
  }
  const auto again = single_job_of(text_of(*job));
  KS_ASSERT(again && text_of(*again) == text_of(*job));
  return 0;
}
