#include "cli/commands/run/local_worker.hpp"

#include <poll.h>
#include <unistd.h>

#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

SpawnedWorker::SpawnedWorker(std::string endpoint, std::string token, std::vector<std::string> options)
    : endpoint_(std::move(endpoint)), token_(std::move(token)), options_(std::move(options)) {}

SpawnedWorker::~SpawnedWorker() {
  if (child_) child_->kill_group();
}

Status SpawnedWorker::start() {
  Launch start;
  start.program = program_path();
  start.arguments = {"worker", "--local", "--connect", endpoint_};
  start.arguments.insert(start.arguments.end(), options_.begin(), options_.end());
  for (char** variable = environ; *variable; ++variable) start.environment.emplace_back(*variable);
  start.setup = token_;
  start.inherit_errors = true;
  KS_ASSIGN_OR_RETURN(child_, launch(start));
  return Done{};
}

int SpawnedWorker::descriptor() const {
  return child_ ? child_->exited() : -1;
}

Result<std::string> SpawnedWorker::restart() {
  const auto ending = child_->reap();
  const std::string how = ending ? describe(*ending) : "ended";
  if (ending && !ending->signalled && ending->number == 2)
    return failure("the worker on this machine cannot work; see above");
  if (++restarts_ > kRestartsMax) {
    return failure("the worker on this machine " + how + " once more; giving up after " +
                   std::to_string(kRestartsMax) + " restarts; 'kernsweep resume' continues");
  }
  KS_RETURN_IF_ERROR(start());
  return how;
}

void SpawnedWorker::wait() {
  if (!child_) return;
  constexpr int kPoliteMs = 1000;
  pollfd ended{child_->exited(), POLLIN, 0};
  if (poll(&ended, 1, kPoliteMs) == 0) child_->kill_group();
  poll(&ended, 1, kPoliteMs);
  (void)child_->reap();
  child_.reset();
}

}  // namespace kernsweep
