// A slot that a script simulates: it has the token that its worker gave it, and sends any messages.
#pragma once

#include <optional>
#include <vector>

#include "shared/base/ids.hpp"
#include "tests/fuzz/script.hpp"
#include "tests/fuzz/worker/processes.hpp"
#include "transport/socket.hpp"

namespace kernsweep::fuzz {

class SimulatedSlot {
 public:
  explicit SimulatedSlot(LaunchedSlot launched);

  void turn(Script& script, const std::vector<AttemptId>& sent);
  void answer_honestly();  // up, the lease requested, every job of its run ok
  void hear();

 private:
  void say(const wire::ToWorkerFromSlot& message);
  void say_hello(const std::string& token, const std::string& error);
  void say_outcomes(Script& script, const std::vector<AttemptId>& sent);
  void say_tensors(Script& script);

  LaunchedSlot launched_;
  std::optional<Socket> socket_;
  bool greeted_ = false;
  std::vector<AttemptId> run_;
};

}  // namespace kernsweep::fuzz
