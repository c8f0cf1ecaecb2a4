// The command `submit`: submits a sweep to a running coordinator.
#include <chrono>

#include "cli/commands/cluster/client_command_base.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "language/check/rejections.hpp"
#include "language/file/replacements_text.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

class SubmitCommand : public ClientCommand {
 public:
  void declare(Options& to) override {
    ClientCommand::declare(to);
    add_sweep_file(to, file_);
    add_replacements(to, replacements_);
    to.option("--priority", priority_, "Larger goes first (default: 0)")
        .range(std::int64_t{-1'000'000}, std::int64_t{1'000'000});
    add_again(to, again_);
  }

 private:
  Result<wire::Request> request() const override;
  // Long, because starting a sweep with a million stored jobs takes a while.
  Duration patience() const override { return std::chrono::minutes(2); }

  std::string file_;
  Replacements replacements_;
  std::int32_t priority_ = 0;
  std::string again_;
};

// The request has the whole sweep: its text and the tables that it reads. Errors in them are found here.
Result<wire::Request> SubmitCommand::request() const {
  KS_ASSIGN_OR_RETURN(const auto expansion, Expansion::read(file_, replacements_));
  CheckLimits limits;
  limits.time = std::chrono::seconds(5);
  KS_RETURN_IF_ERROR(leaves_a_point(expansion, limits));
  const Sweep& sweep = expansion.sweep();
  wire::Request request;
  wire::Submit& submit = *request.mutable_submit();
  submit.set_file(sweep.file);
  submit.set_text(sweep.text);
  submit.set_replacements(text_of(replacements_));
  submit.set_priority(priority_);
  const Again again = again_of(again_);
  submit.set_again(again != Again::no);
  submit.set_only_doubtful(again == Again::doubtful);
  for (const TextFile& table : sweep.tables) {
    wire::NamedFile& file = *submit.add_tables();
    file.set_path(table.path);
    file.set_content(table.content);
  }
  return request;
}

}  // namespace

CommandEntry submit_command() {
  return {"submit", "Submit a sweep to a running coordinator", kClientFooter,
          std::make_unique<SubmitCommand>()};
}

}  // namespace kernsweep
