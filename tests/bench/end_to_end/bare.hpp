// The ceilings: what the libraries beneath Kernsweep reach when nothing else is done with them.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep::bench {

// Rows per second into one table of 21 columns (integers, reals, short texts, a 16-byte key), 1000 rows
// per transaction, write-ahead log. `synchronous`: "full" or "normal". The file is removed again.
double bare_sqlite_rows_per_s(const std::string& path, const std::string& synchronous, std::uint64_t rows);

// Messages of `bytes` bytes per second from a DEALER to a ROUTER over ipc, one zmq_send each, between two
// threads with a context each, from the first receipt to the last.
double bare_zeromq_messages_per_s(std::uint64_t messages, std::size_t bytes);

}  // namespace kernsweep::bench
