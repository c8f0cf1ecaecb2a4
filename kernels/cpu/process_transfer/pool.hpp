// A process pool of Python's: a program that pickles a tensor to the one process of its
// concurrent.futures.ProcessPoolExecutor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/api/pack.h"

namespace kernsweep::process_transfer {

// The text after two tensors in the memory that a program shares with its starter, its descriptor 3.
inline constexpr std::size_t kPoolTextBytes = 4096;

// The command of the program. It reports when it is ready, and when an order was carried out (Receiver):
// 't': the pool's process receives the second tensor of the memory; 'o': its tensor becomes the first one.
// The text is then Python's version and file, a line each; if the program has ended, the reason, or
// nothing. However it ends, its pool ends with it. Refused with KS_UNSUPPORTED: there is no python3 on the
// PATH.
std::vector<std::string> pool_command(std::size_t tensor_bytes, bool read);

// Whether there is a python3.
ks_status pool_available(ks_why why);

}  // namespace kernsweep::process_transfer
