// The command `workers`: the workers of a coordinator.
#include "cli/commands/cluster/client_command_base.hpp"

namespace kernsweep {
namespace {

class WorkersCommand : public ClientCommand {
 public:
  void declare(Options& to) override {
    ClientCommand::declare(to);
    add_watch(to);
  }

 private:
  Result<wire::Request> request() const override {
    wire::Request request;
    request.mutable_workers();
    return request;
  }
};

}  // namespace

CommandEntry workers_command() {
  return {"workers", "The workers of a coordinator, and what they do", kClientFooter,
          std::make_unique<WorkersCommand>()};
}

}  // namespace kernsweep
