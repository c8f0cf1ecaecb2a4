#include "cli/commands/cluster/client_command_base.hpp"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cli/show/json.hpp"
#include "cli/show/output.hpp"
#include "cli/show/status_text.hpp"
#include "shared/base/stop_signal.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

constexpr Duration kPatience = std::chrono::seconds(5);
constexpr int kWatchEveryMs = 1000;

// The client join file of this folder. Error: there is none, or more than one.
Result<std::string> join_file_here() {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(".", error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".client.join")) found.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    return failure(
        "which coordinator? give --join FILE.client.join, which `kernsweep coordinator` has written");
  return failure("which coordinator? there are several client join files here; give one with --join");
}

std::string words_of(const wire::Answer& answer) {
  switch (answer.what_case()) {
    case wire::Answer::kSubmitted:
      return text_of(answer.submitted());
    case wire::Answer::kStatus:
      return text_of(answer.status());
    case wire::Answer::kWorkers:
      return text_of(answer.workers());
    case wire::Answer::kWhy:
      return answer.why().text() + "\n";
    case wire::Answer::kDone:
    case wire::Answer::WHAT_NOT_SET:
      break;
  }
  return answer.done().text() + "\n";
}

std::string text_of_answer(const wire::Answer& answer, bool json) {
  return json ? answer_json(answer) + "\n" : words_of(answer);
}

}  // namespace

const char* const kClientFooter =
    "The coordinator is named by --join FILE; without it by the one *.client.join file of this folder.\n"
    "Exit status: 0 answered, 2 bad input or usage, no reply, or the request was refused.";

void ClientCommand::declare(Options& to) {
  const Option join = to.option("--join", join_, "Client's join file of the coordinator");
  to.option("--connect", connect_, "Address of a coordinator that listens with --insecure").excludes(join);
  to.flag("--json", json_, "Answer as JSON on stdout");
}

void ClientCommand::add_watch(Options& to) {
  to.flag("--watch", watch_,
          "Show it again every second until Ctrl-C, also when the coordinator is away meanwhile");
}

Duration ClientCommand::patience() const {
  return kPatience;
}

Result<Client> ClientCommand::client() const {
  if (!connect_.empty()) return Client::by_address(connect_);
  if (!join_.empty()) return Client::by_join_file(join_);
  KS_ASSIGN_OR_RETURN(const auto here, join_file_here());
  return Client::by_join_file(here);
}

// Repeats the request until Ctrl-C. After the first answer the coordinator may stop and restart, even on
// another host: it writes its new address into the join file, which is then read again.
int ClientCommand::watch(Client& connection, const wire::Request& request) const {
  const bool terminal = isatty(STDOUT_FILENO) == 1 && !json_;
  if (const Status ready = StopSignal::prepare(); !ready) return report_error(ready.error().message);
  StopSignal stop;
  bool answered_once = false, away = false;
  while (stop.count() == 0) {
    const auto answer = connection.ask(request, kPatience, stop.descriptor());
    if (stop.count() > 0) break;
    if (answer) {
      answered_once = true;
      away = false;
      if (terminal) std::printf("\033[H\033[J");
      const std::string text = text_of_answer(*answer, json_);
      if (const int status = json_ ? print_as_it_is(text) : print_answer(text); status != 0) return status;
    } else {
      if (!answered_once) return report_error(answer.error().message);
      if (!std::exchange(away, true)) {
        report_error(answer.error().message);
        std::fprintf(stderr, "asking again until an answer comes, or Ctrl-C\n");
      }
      if (auto fresh = client()) connection = std::move(*fresh);
    }
    pollfd asked_to_end{stop.descriptor(), POLLIN, 0};
    poll(&asked_to_end, 1, kWatchEveryMs);
  }
  return 0;
}

int ClientCommand::run(const Invocation&) {
  const auto what = request();
  if (!what) return report_error(what.error().message);
  auto coordinator = client();
  if (!coordinator) return report_error(coordinator.error().message);
  if (watch_) return watch(*coordinator, *what);
  const auto answer = coordinator->ask(*what, patience());
  if (!answer) return report_error(answer.error().message);
  const std::string text = text_of_answer(*answer, json_);
  return json_ ? print_as_it_is(text) : print_answer(text);
}

CommandEntry request_command(const RequestCommand& what) {
  class Sender : public ClientCommand {
   public:
    explicit Sender(const RequestCommand& what) : what_(what) {}
    void declare(Options& to) override {
      ClientCommand::declare(to);
      if (what_.argument == nullptr) return add_watch(to);
      to.option(what_.argument, argument_, what_.argument_about).required();
    }

   private:
    Result<wire::Request> request() const override {
      wire::Request request;
      what_.fill(request, argument_);
      return request;
    }

    const RequestCommand what_;
    std::string argument_;
  };
  return {what.name, what.summary, kClientFooter, std::make_unique<Sender>(what)};
}

}  // namespace kernsweep
