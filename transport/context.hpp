// The context that all sockets of the process share. Private to transport/.
#pragma once

#include <zmq.hpp>

namespace kernsweep {

// It has one I/O thread and is never destroyed, so that the process can exit without waiting for a peer.
zmq::context_t& zeromq_context();

}  // namespace kernsweep
