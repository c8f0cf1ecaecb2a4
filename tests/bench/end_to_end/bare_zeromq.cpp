#include <unistd.h>

#include <string>
#include <thread>
#include <zmq.hpp>

#include "tests/bench/end_to_end/bare.hpp"
#include "tests/bench/end_to_end/program.hpp"

namespace kernsweep::bench {

double bare_zeromq_messages_per_s(std::uint64_t messages, std::size_t bytes) {
  const std::string endpoint = "ipc://@kernsweep-bench-" + std::to_string(getpid());
  zmq::context_t context(1);
  zmq::socket_t router(context, ZMQ_ROUTER);
  router.bind(endpoint);
  // Closed only after the last receipt: a peer that hangs up while the router's queue is full takes with it
  // what is still in the pipe.
  zmq::context_t own(1);
  zmq::socket_t dealer(own, ZMQ_DEALER);
  std::thread sender([&] {
    dealer.connect(endpoint);
    const std::string text(bytes, 'x');
    for (std::uint64_t i = 0; i < messages; ++i) dealer.send(zmq::buffer(text), zmq::send_flags::none);
  });
  double start = 0;
  zmq::message_t peer;
  zmq::message_t text;
  for (std::uint64_t i = 0; i < messages; ++i) {
    (void)router.recv(peer);
    (void)router.recv(text);
    if (i == 0) start = clock_s();
  }
  const double seconds = clock_s() - start;
  sender.join();
  return static_cast<double>(messages - 1) / seconds;
}

}  // namespace kernsweep::bench
