// Any bytes as a sweep file: read or refused with a message, and what is read answers for its points.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

using namespace kernsweep;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Without a path tables are refused: no file is opened.
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto expansion = Expansion::parse(text, "", {});
  if (!expansion) {
    KS_ASSERT(!expansion.error().message.empty());
    return 0;
  }
  const std::uint64_t points = expansion->raw_points();
  KS_ASSERT(points >= 1);
  KS_ASSERT(expansion->raw_jobs() >= points);
  Point point;
  for (const std::uint64_t position : {std::uint64_t{0}, points / 3, points / 2, points - 1}) {
    expansion->point_at(position, point);
    KS_ASSERT(point.values.size() == expansion->sweep().columns.size());
    if (const auto rejection = expansion->rejection(position, point)) {
      KS_ASSERT(rejection->rule < expansion->filters().size());
      KS_ASSERT(!expansion->unfiltered());
    }
    const auto job = expansion->job_at(std::min(position, expansion->raw_jobs() - 1));
    KS_ASSERT(job.position < points);
    KS_ASSERT(job.process < expansion->sweep().processes);
    KS_ASSERT(expansion->key_of(point, job) == expansion->key_of(point, job));
    static_cast<void>(expansion->unmet_requirement(point, [](std::string_view) { return Value(4); }));
  }
  return 0;
}
