// The family transfer: the cost of copying bytes to a GPU and back.
//
//   direction   h2d: host to device; d2h: device to host; both: there and back again
//   memory      of the host: pageable, as any program has it; pinned, which the GPU reads and writes itself
//   mode        sync: cuMemcpyHtoD, cuMemcpyDtoH; async: the same on a stream, one call each way;
//               overlap: in `chunks`, round and round over `streams` streams, with `steps` steps of
//               arithmetic per element between the copies of a chunk (none for 0)
//   rounds      of a chain of kernels, `steps` steps each (direction both, mode sync or async)
//   between     where the data is between two rounds. device: it goes up once and comes down once;
//               host: it comes down after each kernel and goes up before the next, as in programs whose
//               kernels do not know of each other
//
// The output is the data that arrived, exactly: the input after rounds x `steps` steps of stepped(). With
// direction h2d it is copied from the device when the output is read, which is not timed.
#pragma once

#include <cstdint>

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

struct Transfer {
  enum class Mode { sync, async, overlap };

  std::int64_t n = 0;  // elements of 4 bytes
  bool up = true, down = false;
  bool pinned = true;
  Mode mode = Mode::async;
  std::int64_t chunks = 1;
  std::int64_t streams = 1;
  std::int64_t steps = 0;  // 0 unless mode is overlap or direction both
  std::int64_t rounds = 1;
  bool through_host = false;  // between two rounds

  std::size_t bytes() const { return static_cast<std::size_t>(n) * 4; }
};

// KS_BAD_PARAMETER with a reason for an invalid size or word, and for rounds where they are not possible.
ks_status parse_transfer(const ks_params* params, Transfer& transfer, ks_why why);

extern const ks_variant kTransferCuda;
extern const ks_variant kTransferNaive;  // the reference: a copy on the host

extern const ks_family kTransferFamily;

}  // namespace kernsweep::cuda
