#include "coordinator/net/claim_tasks.hpp"

#include <span>
#include <utility>

namespace kernsweep {

std::vector<ClaimTask> tasks_of(std::vector<ReadClaim> claims) {
  std::vector<ClaimTask> tasks;
  for (ReadClaim& read : claims) {
    ClaimTask task{std::move(read.claim), {}, {}, {}, false};
    if (read.where) {
      task.names = read.where->names();
      task.where = [expression = *read.where](std::span<const Value> values) {
        return expression.holds(values).value_or(false);
      };
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace kernsweep
