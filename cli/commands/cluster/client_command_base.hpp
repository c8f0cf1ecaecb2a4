// Base of the commands that send a request to a running coordinator and print the answer.
#pragma once

#include <string>

#include "cli/grammar/command.hpp"
#include "coordinator/net/client.hpp"
#include "shared/wire/client.pb.h"

namespace kernsweep {

// The footer of their --help.
extern const char* const kClientFooter;

class ClientCommand : public Command {
 public:
  // Declares --join, --connect and --json.
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 protected:
  // The request to send. Error: bad input.
  virtual Result<wire::Request> request() const = 0;
  // How long to wait for the answer.
  virtual Duration patience() const;
  // Declares --watch: repeats the request every second.
  void add_watch(Options& to);

 private:
  Result<Client> client() const;
  int watch(Client& client, const wire::Request& request) const;

  std::string join_, connect_;
  bool json_ = false, watch_ = false;
};

// A command that only sends a request, with at most one argument.
struct RequestCommand {
  const char *name, *summary;             // as in --help
  const char *argument, *argument_about;  // as in --help; nullptr: no argument, but --watch
  void (*fill)(wire::Request& request, const std::string& argument);
};
CommandEntry request_command(const RequestCommand& what);

}  // namespace kernsweep
