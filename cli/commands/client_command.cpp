// submit, status, workers, cancel, explain, drain, readmit: what is asked of a running coordinator.
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cli/grammar/arguments.hpp"
#include "cli/show/json.hpp"
#include "cli/show/status_text.hpp"
#include "coordinator/net/client.hpp"
#include "language/check/rejections.hpp"
#include "language/file/replacements_text.hpp"
#include "shared/base/stop_signal.hpp"
#include "shared/text/number_text.hpp"
#include "shared/wire/client.pb.h"

namespace kernsweep {
namespace {

constexpr Duration kPatience = std::chrono::seconds(5);
// A sweep of a million stored jobs takes a while to begin.
constexpr Duration kSubmitPatience = std::chrono::minutes(2);
constexpr int kWatchEveryMs = 1000;

// The one client's join file of this folder, when there is exactly one.
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

Result<Client> client_of(const Arguments& arguments) {
  if (!arguments.connect.empty()) return Client::by_address(arguments.connect);
  if (!arguments.join.empty()) return Client::by_join_file(arguments.join);
  const auto here = join_file_here();
  if (!here) return tl::unexpected(here.error());
  return Client::by_join_file(*here);
}

// The sweep travels whole: its text and the tables that it reads. What is wrong with it is found here.
Result<wire::Request> submission(const Arguments& arguments) {
  const auto expansion = Expansion::read(arguments.file, arguments.replacements);
  if (!expansion) return tl::unexpected(expansion.error());
  CheckLimits limits;
  limits.time = std::chrono::seconds(5);
  if (const Status some = leaves_a_point(*expansion, limits); !some) return tl::unexpected(some.error());
  const Sweep& sweep = expansion->sweep();
  wire::Request request;
  wire::Submit& submit = *request.mutable_submit();
  submit.set_file(sweep.file);
  submit.set_text(sweep.text);
  submit.set_replacements(text_of(arguments.replacements));
  submit.set_priority(arguments.priority);
  submit.set_again(arguments.again);
  for (const TextFile& table : sweep.tables) {
    wire::NamedFile& file = *submit.add_tables();
    file.set_path(table.path);
    file.set_content(table.content);
  }
  return request;
}

Result<wire::Request> request_of(const Arguments& arguments) {
  wire::Request request;
  switch (arguments.command) {
    case Command::submit:
      return submission(arguments);
    case Command::status:
      request.mutable_status();
      return request;
    case Command::workers:
      request.mutable_workers();
      return request;
    case Command::cancel:
      request.mutable_cancel()->set_sweep(arguments.which);
      return request;
    case Command::explain:
      request.mutable_why()->set_job(arguments.which);
      return request;
    case Command::readmit:
      request.mutable_readmit()->set_host(arguments.which);
      return request;
    default: {
      if (const auto number = number_of<std::uint32_t>(arguments.which)) {
        request.mutable_drain()->set_worker(*number);
      } else {
        request.mutable_drain()->set_host(arguments.which);
      }
      return request;
    }
  }
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

std::string told(const wire::Answer& answer, bool json) {
  return json ? answer_json(answer) + "\n" : words_of(answer);
}

// Until Ctrl-C. A coordinator that has answered once may be away for a while, and come back elsewhere: it
// writes its new address into the join file.
int watch(Client& client, const wire::Request& request, const Arguments& arguments) {
  const bool terminal = isatty(STDOUT_FILENO) == 1 && !arguments.json;
  if (const Status ready = StopSignal::prepare(); !ready) return report_error(ready.error().message);
  StopSignal stop;
  bool answered_once = false, away = false;
  while (stop.count() == 0) {
    const auto answer = client.ask(request, kPatience, stop.descriptor());
    if (stop.count() > 0) break;
    if (answer) {
      answered_once = true;
      away = false;
      if (terminal) std::printf("\033[H\033[J");
      if (const int status = print_answer(told(*answer, arguments.json)); status != 0) return status;
    } else {
      if (!answered_once) return report_error(answer.error().message);
      if (!std::exchange(away, true)) {
        report_error(answer.error().message);
        std::fprintf(stderr, "asking again until an answer comes, or Ctrl-C\n");
      }
      if (auto anew = client_of(arguments)) client = std::move(*anew);
    }
    pollfd asked_to_end{stop.descriptor(), POLLIN, 0};
    poll(&asked_to_end, 1, kWatchEveryMs);
  }
  return 0;
}

}  // namespace

int client_command(const Arguments& arguments) {
  const auto request = request_of(arguments);
  if (!request) return report_error(request.error().message);
  auto client = client_of(arguments);
  if (!client) return report_error(client.error().message);
  if (arguments.watch) return watch(*client, *request, arguments);
  const bool submits = arguments.command == Command::submit;
  const auto answer = client->ask(*request, submits ? kSubmitPatience : kPatience);
  if (!answer) return report_error(answer.error().message);
  return print_answer(told(*answer, arguments.json));
}

}  // namespace kernsweep
