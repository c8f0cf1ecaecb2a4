// A tile of one operand of cuda_tensor in shared memory, for .cu files only: how it is copied there, and
// how fragments for the tensor cores are loaded from it.
//
// A tile is `lines` (rows of A, columns of B) x 128 bytes along k, in the order of global memory: a row of
// shared memory is a line if elements adjacent in memory are adjacent along k, otherwise a depth. A row
// consists of pieces of 16 bytes. All rows begin in the same bank, so the pieces are permuted: piece p of
// row r is at p xor (r mod 8), and the same piece of 8 rows, which ldmatrix reads, is in different banks.
// Elements of 4 bytes that are adjacent across k are read as words of 4 depths and 8 lines; for them the
// place is p xor 2 (r mod 4).
#pragma once

#include "kernels/cuda/gemm/tensor_shapes.hpp"
#include "kernels/cuda/tensor_instructions.hpp"

namespace kernsweep::cuda {
namespace {

template <class T, int kLines, bool kAlongDepth>
struct OperandTile {
  static constexpr int kPieceElements = 16 / static_cast<int>(sizeof(T));
  static constexpr int kDepth = kTensorDepthBytes / static_cast<int>(sizeof(T));
  static constexpr int kRows = kAlongDepth ? kLines : kDepth;
  static constexpr int kRowBytes = kLines * kTensorDepthBytes / kRows;
  static constexpr int kPieces = kRowBytes / 16;
  static constexpr bool kByWords = sizeof(T) == 4 && !kAlongDepth;
  static_assert(kPieces >= 8 && (kAlongDepth || sizeof(T) > 1), "ldmatrix transposes elements of 2 bytes");

  static __device__ int place(int row, int piece) {
    return row * kRowBytes + (piece ^ (kByWords ? 2 * (row & 3) : row & 7)) * 16;
  }
};

// The part of one thread in copying the tiles of one operand, one after the other along k.
template <class T, int kLines, bool kAlongDepth, int kThreads, bool kAnyAlignment>
class TileCopies {
  using Tile = OperandTile<T, kLines, kAlongDepth>;
  static constexpr int kRowsAtOnce = kThreads / Tile::kPieces;
  static constexpr int kCopies = Tile::kRows / kRowsAtOnce;
  static_assert(kRowsAtOnce % (Tile::kByWords ? 4 : 8) == 0, "a thread's rows lie in the same order");

 public:
  // The tile's first line is `first` of `length` lines; in `base`, rows are `row_step` elements apart.
  __device__ TileCopies(const T* base, std::int64_t row_step, std::int64_t first, std::int64_t length,
                        std::int64_t depth, bool aligned)
      : row_step_(row_step), depth_left_(depth), aligned_(aligned) {
    const int thread = static_cast<int>(threadIdx.x);
    row_ = thread / Tile::kPieces;
    piece_ = thread % Tile::kPieces * Tile::kPieceElements;
    const std::int64_t lines = length - first;
    lines_ = static_cast<int>(lines < kLines ? lines : kLines);
    from_ = base + (kAlongDepth ? (first + row_) * row_step + piece_ : row_ * row_step + first + piece_);
    place_ = Tile::place(row_, thread % Tile::kPieces);
  }

  // Begins to copy the next tile along k to `tile`; elements beyond the matrix become zero.
  __device__ void begin(SharedAddress tile) {
    const int depth = static_cast<int>(depth_left_ < Tile::kDepth ? depth_left_ : Tile::kDepth);
    const int rows = kAlongDepth ? lines_ : depth;
    const int in_row = (kAlongDepth ? depth : lines_) - piece_;
    const int elements = in_row < 0 ? 0 : in_row < Tile::kPieceElements ? in_row : Tile::kPieceElements;
    if (!kAnyAlignment || aligned_) {
      const T* from = from_;
      KERNSWEEP_UNROLL
      for (int i = 0; i < kCopies; ++i) {
        const int valid = row_ + i * kRowsAtOnce < rows ? elements : 0;  // 0: the address is not read
        begin_copy_16(tile + place_ + i * kRowsAtOnce * Tile::kRowBytes, from,
                      valid * static_cast<int>(sizeof(T)));
        from = computed_here(from + kRowsAtOnce * row_step_);
      }
    } else {
      KERNSWEEP_NO_UNROLL
      for (int i = 0; i < kCopies; ++i)
        copy_elements(tile + place_ + i * kRowsAtOnce * Tile::kRowBytes,
                      from_ + i * kRowsAtOnce * row_step_, row_ + i * kRowsAtOnce < rows ? elements : 0);
    }
    depth_left_ = depth_left_ < Tile::kDepth ? 0 : depth_left_ - Tile::kDepth;
    from_ += kAlongDepth ? std::int64_t{Tile::kDepth} : Tile::kDepth * row_step_;
  }

 private:
  // For rows with any alignment: copies element by element, synchronously.
  static __device__ void copy_elements(SharedAddress to, const T* from, int valid) {
    using Bits = UnsignedOf<sizeof(T)>;
    std::uint32_t words[4] = {};
    KERNSWEEP_UNROLL
    for (int e = 0; e < Tile::kPieceElements; ++e) {
      const int byte = e * static_cast<int>(sizeof(T));
      const std::uint32_t bits = e < valid ? reinterpret_cast<const Bits*>(from)[e] : Bits{0};
      words[byte / 4] |= bits << 8 * (byte % 4);
    }
    store_shared_16(to, words);
  }

  const T* from_;
  std::int64_t row_step_;
  std::int64_t depth_left_;
  int lines_;  // lines of the tile that are in the matrix
  int row_;    // first row of this thread
  int piece_;  // first element of its piece in a row
  int place_;
  bool aligned_;
};

// Loads fragments of a warp, whose lines of the tile begin at a multiple of 32. For 16 lines and 32 bytes
// along k there are four words: bit 0 of the index selects 8 of the lines (A, kLinesFirst) or 16 of the
// bytes (B), bit 1 the other. Values that depend on the lane are computed once: Tile::place, split into
// sums of disjoint bits.
template <class T, int kLines, bool kAlongDepth, bool kLinesFirst>
class Fragments {
  using Tile = OperandTile<T, kLines, kAlongDepth>;

 public:
  __device__ explicit Fragments(int warp_line) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int low = lane >> 3 & 1, high = lane >> 4;
    const int lines_half = kLinesFirst ? low : high, depth_half = kLinesFirst ? high : low;
    if constexpr (Tile::kByWords) {
      base_ = lane % 4 * Tile::kRowBytes + (warp_line + lane / 4) * 4;
      order_ = lane % 4 * 32;
    } else if constexpr (kAlongDepth) {
      base_ = (warp_line + 8 * lines_half + lane % 8) * Tile::kRowBytes;
      order_ = (depth_half ^ lane % 8) * 16;
    } else {
      base_ = (8 * depth_half + lane % 8) * Tile::kRowBytes;
      order_ = ((warp_line / 8 + lines_half) ^ lane % 8) * 16;
    }
  }

  // Loads lines 16 i to 16 i + 15 of the warp, bytes 32 step to 32 step + 31 along k.
  __device__ void load(std::uint32_t (&words)[4], SharedAddress tile, int i, int step) const {
    if constexpr (Tile::kByWords) {
      KERNSWEEP_UNROLL
      for (int w = 0; w < 4; ++w) {
        const int lines_half = kLinesFirst ? w & 1 : w >> 1, depth_half = kLinesFirst ? w >> 1 : w & 1;
        const int across = 64 * i + 32 * lines_half;
        words[w] = load_shared_4(tile + base_ + (8 * step + 4 * depth_half) * Tile::kRowBytes +
                                 (across & ~127) + ((across & 127) ^ order_));
      }
    } else if constexpr (kAlongDepth) {
      load_matrices<false>(words, tile + base_ + 16 * i * Tile::kRowBytes + (order_ ^ 32 * step));
    } else {
      load_matrices<true>(words, tile + base_ + 16 * step * Tile::kRowBytes + (order_ ^ 32 * i));
    }
    if constexpr (std::is_same_v<T, Tf32>) {
      KERNSWEEP_UNROLL
      for (int w = 0; w < 4; ++w) words[w] = tf32_bits_of(words[w]);
    }
  }

 private:
  int base_, order_;  // parts of the address, in bytes
};

}  // namespace
}  // namespace kernsweep::cuda
