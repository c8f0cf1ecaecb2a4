#include "tests/kernels/cuda/fake_driver/host_pieces.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"
#include "tests/kernels/cuda/fake_driver/host_block.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

constexpr std::uint32_t kPieceBytes = 16;
// Values of Piece::published, more than any thread publishes.
constexpr std::uint32_t kNotWritten = 0xffffffff, kUnderWay = 0xfffffffe;

struct Piece {
  std::uint32_t writer = 0;
  std::uint32_t published = kNotWritten;  // how often its writer had before it wrote
};
std::vector<Piece> pieces;
std::vector<std::uint32_t> published;  // how often, by thread

[[noreturn]] void refuse(std::uint32_t offset, const Piece& piece) {
  const std::string what =
      fmt::format("wgmma by thread {} of 16 bytes at {} of shared memory that ", threadIdx.x, offset);
  if (piece.published == kNotWritten) misuse(what + "nobody has written");
  if (piece.published == kUnderWay)
    misuse(fmt::format("{}a copy of thread {} still writes", what, piece.writer));
  misuse(fmt::format("{}thread {} has written and not published", what, piece.writer));
}

}  // namespace

void forget_pieces(std::size_t shared_bytes, std::size_t threads) {
  pieces.assign((shared_bytes + kPieceBytes - 1) / kPieceBytes, Piece{});
  published.assign(threads, 0);
}

void piece_begun(std::uint32_t offset) {
  pieces[offset / kPieceBytes] = {threadIdx.x, kUnderWay};
}

void piece_written(std::uint32_t offset) {
  pieces[offset / kPieceBytes] = {threadIdx.x, published[threadIdx.x]};
}

void publish_pieces() {
  ++published[threadIdx.x];
}

void require_published(std::uint32_t offset) {
  const Piece& piece = pieces[offset / kPieceBytes];
  if (piece.published >= published[piece.writer]) refuse(offset, piece);
}

}  // namespace kernsweep::testing::fake_cuda
