// The command `completion`: the script with which a shell completes the words of a command line.
#include "cli/grammar/command.hpp"
#include "cli/grammar/completion.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"

namespace kernsweep {
namespace {

class CompletionCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("shell", shell_, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  }
  int run(const Invocation&) override {
    if (const Status done = to_stdout(completion_script(*shell_named(shell_), grammar())); !done)
      return failed_answer(done.error().message);
    return flushed(0);
  }

 private:
  std::string shell_;
};

}  // namespace

CommandEntry completion_command() {
  return {"completion", "Print a script with which a shell completes commands and options",
          "bash: source <(kernsweep completion bash), in ~/.bashrc for each new shell; zsh: the same with "
          "zsh, in\n"
          "~/.zshrc behind compinit; fish: kernsweep completion fish > "
          "~/.config/fish/completions/kernsweep.fish\n" +
              std::string(kAnswerFooter),
          std::make_unique<CompletionCommand>()};
}

}  // namespace kernsweep
