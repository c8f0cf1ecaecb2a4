// The command `drain`: a worker finishes its running jobs and then leaves.
#include "cli/commands/cluster/client_command_base.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

class DrainCommand : public ClientCommand {
 public:
  void declare(Options& to) override {
    ClientCommand::declare(to);
    to.option("worker", worker_, "Number of the worker, or name of its host, as workers shows them")
        .required();
  }

 private:
  Result<wire::Request> request() const override {
    wire::Request request;
    if (const auto number = number_of<std::uint32_t>(worker_)) {
      request.mutable_drain()->set_worker(*number);
    } else {
      request.mutable_drain()->set_host(worker_);
    }
    return request;
  }

  std::string worker_;
};

}  // namespace

CommandEntry drain_command() {
  return {"drain", "Let a worker finish what runs, and leave", kClientFooter,
          std::make_unique<DrainCommand>()};
}

}  // namespace kernsweep
