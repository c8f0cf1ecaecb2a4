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
#include <vector>

#include "kernels/api/pack.hpp"

namespace kernsweep::cuda {

struct Transfer {
  enum class Direction { h2d, d2h, both };
  enum class Mode { sync, async, overlap };

  std::int64_t bytes = std::int64_t{1} << 28;
  Direction direction = Direction::h2d;
  bool pinned = true;
  Mode mode = Mode::async;
  std::int64_t chunks = 8;  // 1 unless mode is overlap, as streams
  std::int64_t streams = 2;
  std::int64_t steps = 0;  // 0 unless mode is overlap or direction both
  std::int64_t rounds = 1;
  bool through_host = false;  // between two rounds

  static std::vector<pack::Param<Transfer>> params();
  void check();
  std::vector<pack::Input> inputs() const { return {{"data", KS_S32, {n()}, KS_INTEGERS, -32768, 32767}}; }
  ks_work work() const;
  ks_tolerance tolerance() const { return {}; }  // equal

  std::int64_t n() const { return bytes / 4; }  // elements
  std::size_t size() const { return static_cast<std::size_t>(bytes); }
  bool up() const { return direction != Direction::d2h; }
  bool down() const { return direction != Direction::h2d; }
};

pack::Variant transfer_cuda();
pack::Family transfer_family();

}  // namespace kernsweep::cuda
