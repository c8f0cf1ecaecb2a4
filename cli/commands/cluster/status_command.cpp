// The command `status`: the sweeps of a coordinator.
#include "cli/commands/cluster/client_command_base.hpp"

namespace kernsweep {
namespace {

class StatusCommand : public ClientCommand {
 public:
  void declare(Options& to) override {
    ClientCommand::declare(to);
    add_watch(to);
  }

 private:
  Result<wire::Request> request() const override {
    wire::Request request;
    request.mutable_status();
    return request;
  }
};

}  // namespace

CommandEntry status_command() {
  return {"status", "The sweeps of a coordinator, and how far they are", kClientFooter,
          std::make_unique<StatusCommand>()};
}

}  // namespace kernsweep
