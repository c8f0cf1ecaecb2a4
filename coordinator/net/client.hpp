// A client's connection to a running coordinator: one request and one answer at a time.
#pragma once

#include <memory>
#include <string>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

namespace wire {
class Answer;
class Request;
}  // namespace wire

class Client {
 public:
  // By a client's join file; its addresses are tried one after another.
  static Result<Client> by_join_file(const std::string& path);
  // Without encryption, to a coordinator that listens with --insecure.
  static Result<Client> by_address(const std::string& endpoint);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Waits for the answer, `limit` at most. Error: no answer (with the addresses and possible reasons), or
  // the error that the coordinator has returned. `given_up`: a descriptor; when it is readable, the call
  // returns as if there was no answer.
  Result<wire::Answer> ask(wire::Request request, Duration limit, int given_up = -1);

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep
