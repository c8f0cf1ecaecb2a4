// The command `readmit`: lets a quarantined host join again.
#include "cli/commands/cluster/client_command_base.hpp"

namespace kernsweep {
namespace {

class ReadmitCommand : public ClientCommand {
 public:
  void declare(Options& to) override {
    ClientCommand::declare(to);
    to.option("host", host_, "Name or number of the host, as the reason why it is quarantined has it")
        .required();
  }

 private:
  Result<wire::Request> request() const override {
    wire::Request request;
    request.mutable_readmit()->set_host(host_);
    return request;
  }

  std::string host_;
};

}  // namespace

CommandEntry readmit_command() {
  return {"readmit", "Let a quarantined host join again: all its jobs had failed", kClientFooter,
          std::make_unique<ReadmitCommand>()};
}

}  // namespace kernsweep
