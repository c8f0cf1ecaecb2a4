// The operands of one state of a distrusted kernel: memory that the slot refills before each call, and
// that isolated processes can only read, unless a call may overwrite it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/result.hpp"
#include "tensors/sealed_buffer.hpp"
#include "tensors/spec.hpp"

namespace kernsweep {

// The description from which the content of an operand is drawn.
struct Operand {
  ks_input input{};
  TensorSpec spec;           // its seed is not used
  bool is_constant = false;  // the same in all calls of the job
  bool is_in_place = false;  // a call may overwrite it; not constant
};

// The spec of an operand in call `call` of a job with this secret.
TensorSpec spec_in_call(const Operand& operand, std::uint64_t secret, std::uint64_t call);
// The seed for a kernel that makes its own data.
std::uint64_t seed_in_call(std::uint64_t secret, std::uint64_t call);

class FreshOperands {
 public:
  FreshOperands() = default;
  FreshOperands(FreshOperands&&) = default;
  FreshOperands& operator=(FreshOperands&&) = default;

  // Filled with zeros. Error: no memory. `operands` must outlive the object.
  static Result<FreshOperands> make(const std::vector<Operand>& operands);
  // Which operands get the content of a call: all; those that vary and are only read; or those in place.
  enum class Which : std::uint8_t { all, only_read, in_place };
  // Error: a description is not valid.
  Status fill(std::uint64_t secret, std::uint64_t call, Which which, std::uint32_t threads);

  // Whether a constant operand is 0 everywhere, so that the others may not matter. Large operands are not
  // checked: they are 0 only if the sweep requests it.
  bool any_constant_is_zero() const;

  std::vector<int> descriptors() const;  // valid as long as the object
  std::uint64_t bytes() const;

 private:
  // Memory that only this process can write, through this mapping; if `others_write`, others can, too.
  class Shared {
   public:
    Shared(int descriptor, std::byte* data, std::size_t bytes)
        : descriptor_(descriptor), data_(data), bytes_(bytes) {}
    Shared(Shared&& other) noexcept;
    Shared& operator=(Shared&&) = delete;
    ~Shared();
    int descriptor() const { return descriptor_; }
    std::span<std::byte> memory() const { return {data_, bytes_}; }

   private:
    int descriptor_ = -1;
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
  };
  static Result<Shared> share(std::uint64_t bytes, bool others_write);

  const std::vector<Operand>* operands_ = nullptr;
  std::vector<Shared> all_;
};

// The operands of a call for a process that maps sealed memory (TensorMapping).
Result<std::vector<SealedBuffer>> sealed_operands(const std::vector<Operand>& operands,
                                                  std::uint64_t secret, std::uint64_t call,
                                                  std::uint32_t threads);

}  // namespace kernsweep
