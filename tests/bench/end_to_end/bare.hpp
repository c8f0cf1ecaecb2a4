// The ceiling of a message: what ZeroMQ reaches when nothing else is done with it.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep::bench {

// Messages of `bytes` bytes per second from a DEALER to a ROUTER over ipc, one zmq_send each, between two
// threads with a context each, from the first receipt to the last.
double bare_zeromq_messages_per_s(std::uint64_t messages, std::size_t bytes);

}  // namespace kernsweep::bench
