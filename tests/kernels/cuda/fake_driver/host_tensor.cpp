#include "tests/kernels/cuda/fake_driver/host_tensor.hpp"

#include <array>
#include <cstring>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"
#include "tests/kernels/cuda/fake_driver/host_block.hpp"
#include "tests/kernels/cuda/fake_driver/host_pieces.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

using namespace kernsweep::cuda;

struct Place {
  int row, column;
};

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", .f16 and .bf16: element i of a
// thread's fragment of A (8 of them) and of B (4).
template <class T>
Place place_in_a(int group, int in_group, int i) requires(sizeof(T) == 2) {
  const int row = (i >= 0 && i < 2) || (i >= 4 && i < 6) ? group : group + 8;
  const int column = i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
  return {row, column};
}
template <class T>
Place place_in_b(int group, int in_group, int i) requires(sizeof(T) == 2) {
  return {i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8, group};
}

// "Matrix Fragments for mma.m16n8k8", .tf32: 4 elements of A, 2 of B.
template <class T>
Place place_in_a(int group, int in_group, int i) requires(sizeof(T) == 4) {
  return {i == 0 || i == 2 ? group : group + 8, i < 2 ? in_group : in_group + 4};
}
template <class T>
Place place_in_b(int group, int in_group, int i) requires(sizeof(T) == 4) {
  return {i == 0 ? in_group : in_group + 4, group};
}

// "Matrix Fragments for mma.m16n8k32", .s8: 16 elements of A, 8 of B.
template <class T>
Place place_in_a(int group, int in_group, int i) requires(sizeof(T) == 1) {
  const int row = (i >= 0 && i < 4) || (i >= 8 && i < 12) ? group : group + 8;
  const int column = i < 8 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16;
  return {row, column};
}
template <class T>
Place place_in_b(int group, int in_group, int i) requires(sizeof(T) == 1) {
  return {i < 4 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16, group};
}

// All three: element i of C, 16 x 8.
Place place_in_c(int group, int in_group, int i) {
  return {i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
}

struct Operands {
  std::uint32_t a[4], b[2];
};

template <class T>
Sum<T> element(const std::uint32_t* words, int i) {
  T value;
  std::memcpy(&value, reinterpret_cast<const unsigned char*>(words) + i * static_cast<int>(sizeof(T)),
              sizeof(T));
  return widened(value);
}

// D = A B + C. Sums of floats are made in double and rounded once: what a GPU does in between is not told.
template <class T>
void multiply_warp(const char* what, Sum<T> (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                   std::uint32_t b1) {
  constexpr int kElement = static_cast<int>(sizeof(T)), kDepth = 32 / kElement;
  const Operands mine = {{a[0], a[1], a[2], a[3]}, {b0, b1}};
  const unsigned char* const lanes = warp_exchange(what, &mine, sizeof mine);
  std::array<std::array<double, kDepth>, 16> whole_a;
  std::array<std::array<double, 8>, kDepth> whole_b;
  for (int lane = 0; lane < 32; ++lane) {
    Operands of;
    std::memcpy(&of, lanes + static_cast<std::size_t>(lane) * sizeof of, sizeof of);
    for (int i = 0; i < 16 / kElement; ++i) {
      const Place at = place_in_a<T>(lane >> 2, lane % 4, i);
      whole_a[at.row][at.column] = element<T>(of.a, i);
    }
    for (int i = 0; i < 8 / kElement; ++i) {
      const Place at = place_in_b<T>(lane >> 2, lane % 4, i);
      whole_b[at.row][at.column] = element<T>(of.b, i);
    }
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = 0; i < 4; ++i) {
    const Place at = place_in_c(lane >> 2, lane % 4, i);
    double sum = c[i];
    for (int p = 0; p < kDepth; ++p) sum += whole_a[at.row][p] * whole_b[p][at.column];
    c[i] = static_cast<Sum<T>>(sum);
  }
}

}  // namespace
}  // namespace kernsweep::testing::fake_cuda

namespace kernsweep::cuda {

using namespace testing::fake_cuda;

// Shared memory is a window of its own, which on a GPU does not begin at 0 either, and at a multiple of
// what block_memory() promises and no more.
constexpr SharedAddress kWindow = 1024 + 128;

SharedAddress shared_address(const void* memory) {
  return kWindow + static_cast<SharedAddress>(static_cast<const unsigned char*>(memory) - block_memory());
}

void begin_copy_16(SharedAddress to, const void* from, int bytes) {
  if (bytes < 0 || bytes > 16) misuse("cp.async of no bytes, or more than 16");
  if (number_of(from) % 16 != 0) misuse("cp.async from an address that is not aligned");
  begin_copy(to - kWindow, from, static_cast<std::uint32_t>(bytes));
}

void end_copy_group() {
  end_copies();
}

void wait_for_all_but(int groups) {
  wait_for_groups(groups);
}

void store_shared_16(SharedAddress to, const std::uint32_t (&words)[4]) {
  std::memcpy(shared_bytes_at(to - kWindow, 16, 16), words, 16);
  piece_written(to - kWindow);
}

std::uint32_t load_shared_4(SharedAddress from) {
  std::uint32_t word;
  std::memcpy(&word, shared_bytes_at(from - kWindow, 4, 4), 4);
  return word;
}

// PTX ISA, ldmatrix: rows of 16 bytes at the addresses of lanes 0-7 (first matrix) to 24-31 (fourth). Of
// each matrix of 8 x 8 elements of 2 bytes a thread gets row lane / 4, elements 2 (lane % 4) and the next.
void load_matrices_as(bool transposed, std::uint32_t (&words)[4], SharedAddress row) {
  const unsigned char* const lanes =
      warp_exchange(transposed ? "ldmatrix.trans" : "ldmatrix", &row, sizeof row);
  const std::size_t lane = threadIdx.x % 32;
  for (std::size_t matrix = 0; matrix < 4; ++matrix) {
    std::uint16_t whole[8][8];
    for (std::size_t r = 0; r < 8; ++r) {
      SharedAddress address;
      std::memcpy(&address, lanes + (8 * matrix + r) * sizeof address, sizeof address);
      std::memcpy(whole[r], shared_bytes_at(address - kWindow, 16, 16), 16);
    }
    std::uint16_t pair[2];
    for (std::size_t e = 0; e < 2; ++e) {
      const std::size_t r = lane / 4, c = 2 * (lane % 4) + e;
      pair[e] = transposed ? whole[c][r] : whole[r][c];
    }
    std::memcpy(&words[matrix], pair, 4);
  }
}

std::uint32_t tf32_bits_of(std::uint32_t f32_bits) {
  return (f32_bits + 0x1000u) & ~0x1fffu;
}

void multiply_add(Bf16, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  multiply_warp<Bf16>("mma m16n8k16 bf16", c, a, b0, b1);
}
void multiply_add(F16, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  multiply_warp<F16>("mma m16n8k16 f16", c, a, b0, b1);
}
void multiply_add(Tf32, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  for (const std::uint32_t word : {a[0], a[1], a[2], a[3], b0, b1})
    if ((word & 0x1fffu) != 0) misuse("mma of f32 that were not rounded to tf32");
  multiply_warp<Tf32>("mma m16n8k8 tf32", c, a, b0, b1);
}
void multiply_add(std::int8_t, std::int32_t (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                  std::uint32_t b1) {
  multiply_warp<std::int8_t>("mma m16n8k32 s8", c, a, b0, b1);
}

}  // namespace kernsweep::cuda
