#include "tests/kernels/cuda/fake_driver/host_warpgroup.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"
#include "tests/kernels/cuda/fake_driver/host_block.hpp"
#include "tests/kernels/cuda/fake_driver/host_copies.hpp"
#include "tests/kernels/cuda/fake_driver/host_pieces.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

using namespace kernsweep::cuda;

// PTX ISA, "Matrix Descriptor": bits 0-13 the address, 16-29 the leading, 32-45 the stride dimension's byte
// offset, all without their last 4 bits; 49-51 the base offset; 62-63 the swizzling mode.
struct Operand {
  std::uint32_t address, eight_rows;

  explicit Operand(std::uint64_t descriptor)
      : address(static_cast<std::uint32_t>(descriptor & 0x3fff) << 4),
        eight_rows(static_cast<std::uint32_t>(descriptor >> 32 & 0x3fff) << 4) {
    if (descriptor >> 62 != 1) misuse("wgmma of a tile that is not swizzled by 128 bytes");
    if ((descriptor >> 49 & 7) != 0 || (address >> 7 & 7) != 0)
      misuse("wgmma of a tile that is not at a multiple of 1024 bytes");
  }

  // The 16 elements along k of a row: two pieces of 16 bytes. Swizzling by 128 bytes exchanges bits 4-6 of
  // an address with their sum with bits 7-9.
  template <class T>
  void read_row(std::uint32_t row, std::uint32_t window, double (&elements)[16]) const {
    for (std::uint32_t piece = 0; piece < 2; ++piece) {
      std::uint32_t place = address + row / 8 * eight_rows + row % 8 * 128 + piece * 16;
      place ^= (place >> 7 & 7) << 4;
      T values[8];
      std::memcpy(values, shared_bytes_at(place - window, sizeof values, sizeof values), sizeof values);
      require_published(place - window);
      for (std::uint32_t i = 0; i < 8; ++i)
        elements[8 * piece + i] = static_cast<double>(widened(values[i]));
    }
  }
};

// Each thread its own part of C, 2 rows and 32 columns: operands are the same for all.
template <class T>
void add_now(float (&c)[64], std::uint64_t a, std::uint64_t b) {
  const Operand rows(a), columns(b);
  const std::uint32_t thread = threadIdx.x % 128, window = shared_address(block_memory());
  double of_a[2][16], of_b[16];
  for (std::uint32_t r = 0; r < 2; ++r)
    rows.read_row<T>(16 * (thread / 32) + thread % 32 / 4 + 8 * r, window, of_a[r]);
  for (std::uint32_t j = 0; j < 32; ++j) {
    columns.read_row<T>(8 * (j / 2) + 2 * (thread % 4) + j % 2, window, of_b);
    for (std::uint32_t r = 0; r < 2; ++r) {
      float& element = c[4 * (j / 2) + 2 * r + j % 2];
      double sum = static_cast<double>(element);
      for (std::uint32_t p = 0; p < 16; ++p) sum += of_a[r][p] * of_b[p];
      element = static_cast<float>(sum);
    }
  }
}

// The descriptors must be those of the whole warp.
void require_one(std::uint64_t a, std::uint64_t b) {
  const std::pair<std::uint64_t, std::uint64_t> mine{a, b};
  const unsigned char* const lanes = warp_exchange("wgmma", &mine, sizeof mine);
  if (std::memcmp(lanes, &mine, sizeof mine) != 0) misuse("wgmma with descriptors that differ in a warp");
}

}  // namespace
}  // namespace kernsweep::testing::fake_cuda

namespace kernsweep::cuda {

using namespace testing::fake_cuda;

void publish_to_tensor_cores() {
  publish_pieces();
}
void begin_products() {
  settle_sums();
}
void end_products() {
  close_product_group();
}
void wait_for_products_but(int pending) {
  finish_product_groups(pending);
}
void keep_in_place(float (&)[64]) {
  touch_sums();
}

void add_product(Bf16, float (&c)[64], std::uint64_t a, std::uint64_t b) {
  require_one(a, b);
  begin_product([&c, a, b] { add_now<Bf16>(c, a, b); });
}
void add_product(F16, float (&c)[64], std::uint64_t a, std::uint64_t b) {
  require_one(a, b);
  begin_product([&c, a, b] { add_now<F16>(c, a, b); });
}

}  // namespace kernsweep::cuda
