// The context that all sockets of the process share. Private to transport/.
#pragma once

#include <zmq.hpp>

namespace kernsweep {

// One I/O thread; it is never torn down, so that no exit waits for a peer.
zmq::context_t& zeromq_context();

}  // namespace kernsweep
