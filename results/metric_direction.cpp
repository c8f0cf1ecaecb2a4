#include "results/metric_direction.hpp"

#include <fmt/format.h>

namespace kernsweep {

Result<Better> better_of_counted(const std::string& name) {
  const Better better = better_by_name(name);
  if (better != Better::unknown) return better;
  return failure(
      fmt::format("whether a larger or a smaller {0} is better is not known: say --better larger or "
                  "--better smaller, or "
                  "give it a name that ends in its unit, such as {0}_per_second or {0}_bytes",
                  name));
}

}  // namespace kernsweep
