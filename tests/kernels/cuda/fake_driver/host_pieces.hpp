// Which pieces of a block's shared memory tensor cores may read, for products that take operands from
// there.
//
// They do not read as threads do ("PTX ISA", 9.0, "Async proxy"): what a thread stored, and copies that it
// waited for, are there for them once that same thread has published it. So each piece of 16 bytes knows
// which thread wrote it last, and how often that one had published by then; a product of a piece that is
// not published, that a copy still writes, or that was never written ends the program. The instructions
// that are simulated write whole pieces. Plain stores through block_memory() are not seen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernsweep::testing::fake_cuda {

// A block begins: nothing is written or published.
void forget_pieces(std::size_t shared_bytes, std::size_t threads);

// By the thread that runs; `offset` is the piece's, and in shared memory.
void piece_begun(std::uint32_t offset);  // a copy will write it
void piece_written(std::uint32_t offset);
void publish_pieces();  // all that this thread wrote
void require_published(std::uint32_t offset);

}  // namespace kernsweep::testing::fake_cuda
