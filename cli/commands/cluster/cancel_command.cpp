// The command `cancel`: ends a sweep.
#include "cli/commands/cluster/client_command_base.hpp"

namespace kernsweep {
namespace {

class CancelCommand : public ClientCommand {
 public:
  void declare(Options& to) override {
    ClientCommand::declare(to);
    to.option("sweep", sweep_, "Name or number of the sweep, as status shows it").required();
  }

 private:
  Result<wire::Request> request() const override {
    wire::Request request;
    request.mutable_cancel()->set_sweep(sweep_);
    return request;
  }

  std::string sweep_;
};

}  // namespace

CommandEntry cancel_command() {
  return {"cancel", "End a sweep; what it has measured is kept", kClientFooter,
          std::make_unique<CancelCommand>()};
}

}  // namespace kernsweep
