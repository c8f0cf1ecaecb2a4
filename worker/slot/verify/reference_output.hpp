// The reference of a job's output: numbers or text, with the files that it was made from.
//
// Text is the output of a program. If each of its words is a number, it is compared as numbers; otherwise
// as text, without blanks at the ends of lines and without empty lines at the end; bytes that are not text
// (is_binary) are compared byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/file_content.hpp"
#include "shared/base/result.hpp"
#include "worker/slot/verify/allowance.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {

inline constexpr std::uint64_t kReferenceTextMax = std::uint64_t{64} << 20;  // bytes
inline constexpr std::uint64_t kReferenceBytesMax = std::uint64_t{4} << 30;  // of numbers, as doubles

struct ReferenceOutput {
  struct Source {
    std::string role;  // as the pack reported it: a program is looked up in PATH
    std::string name, path;
    std::string hash;  // of the content, hexadecimal; empty: not known yet
    friend bool operator==(const Source&, const Source&) = default;
  };
  Elements values;
  std::vector<OutputPart> parts;                   // types of all values; empty: not known
  std::string keys;                                // names of values (ks_variant::keys); empty: none
  std::optional<std::string> text;                 // instead of `values`: printed text, or bytes
  std::optional<std::vector<std::int64_t>> shape;  // nothing: not known
  std::vector<Source> sources;
  friend bool operator==(const ReferenceOutput&, const ReferenceOutput&) = default;
};

// `is_text`: the output is the text that a program has printed. Bytes (u8, one dimension) are kept as text,
// too. `parts`, `keys`: Pack::parts_of(), keys_of(). The values stay in the memory of the output, and are
// valid as long as it is. Error: the elements cannot be read, or there is no memory for a text.
Result<ReferenceOutput> reference_output_of(const ks_tensor& output, bool is_text,
                                            std::span<const ks_part> parts = {}, std::string keys = {});
// With a copy of the values. Error: there is no memory.
Result<ReferenceOutput> with_own_values(ReferenceOutput output);
// An expected output from a file: .npy, or any other file as text. Error: it names the path.
Result<ReferenceOutput> reference_output_in(const std::string& path);

// The output as bytes, for another process of this version. The elements begin at a multiple of 64 bytes,
// so that they can be used in place.
class StoredOutput {
 public:
  // `output` must outlive this object.
  explicit StoredOutput(const ReferenceOutput& output);
  std::size_t bytes() const;
  void write(std::byte* to) const;  // bytes()

 private:
  const ReferenceOutput& output_;
  std::string head_;
};
std::string bytes_of(const ReferenceOutput& output);
// The values are used in place; `keeper` owns the bytes. Error: they are not a stored output.
Result<ReferenceOutput> reference_output_from(std::span<const std::byte> bytes,
                                              std::shared_ptr<const void> keeper);
// The same with a copy.
Result<ReferenceOutput> reference_output_from(std::string bytes);

// How many elements share a scale of the tolerance: by the shape of the output or of the reference,
// whichever has fewer, because a kernel that shows its rows as one must not get a single scale for all.
// `output` must have passed element_count.
std::size_t elements_of_scale(const ks_tensor& output, const ReferenceOutput& reference,
                              std::int32_t scale_dims);

struct Judgement {
  Comparison comparison;   // of numbers; without elements if texts were compared
  Elements values, right;  // the compared numbers, if they are numbers; valid as long as the output
  bool within = false;
  std::string flaw;  // how they differ other than in numbers: "line 2 is 'a', the reference has 'b'"
};

// Whether `output` is right. `slice`: how many elements share a scale of the tolerance, 0: all. Reads both
// once, and copies neither. Error: the elements cannot be read, or there is no memory for a text.
Result<Judgement> judge(const ks_tensor& output, bool is_text, const ReferenceOutput& reference,
                        const Allowance& allowance, std::size_t slice = 0,
                        std::span<const ks_part> parts = {}, std::string keys = {});
// The same for two reference outputs.
Judgement judge(const ReferenceOutput& output, const ReferenceOutput& reference, const Allowance& allowance,
                std::size_t slice = 0);

// True if every source has the content that it had when the output was made.
bool is_current(const ReferenceOutput& output, FileHashes& hashes);

}  // namespace kernsweep
