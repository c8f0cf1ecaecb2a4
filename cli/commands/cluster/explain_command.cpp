// The command `explain`: why a job is not running.
#include "cli/commands/cluster/client_command_base.hpp"

namespace kernsweep {
namespace {

class ExplainCommand : public ClientCommand {
 public:
  void declare(Options& to) override {
    ClientCommand::declare(to);
    to.option("job", job_,
              "SWEEP/JOB, such as gemm/17; JOB alone: of the newest sweep. kernsweep expand FILE --jobs "
              "lists their numbers")
        .required();
  }

 private:
  Result<wire::Request> request() const override {
    wire::Request request;
    request.mutable_why()->set_job(job_);
    return request;
  }

  std::string job_;
};

}  // namespace

CommandEntry explain_command() {
  return {"explain", "Why a job is not running, or where it is", kClientFooter,
          std::make_unique<ExplainCommand>()};
}

}  // namespace kernsweep
