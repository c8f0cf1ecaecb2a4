// What a job's output is compared with: numbers or text, with the files that it was made from.
//
// Text is what a program prints. If each of its words is a number, it counts as numbers; otherwise it is
// compared as text, without blanks at the ends of lines and without empty lines at the end; what is no text
// (is_binary), byte by byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/file_content.hpp"
#include "shared/base/result.hpp"
#include "worker/slot/job/allowance.hpp"
#include "worker/slot/job/output.hpp"

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
  std::vector<double> values;
  // The same, exactly, of an output with s64 or parts (of floats the bits as f64); otherwise empty.
  std::vector<std::int64_t> integers;
  std::vector<OutputPart> parts;                   // types of all values; empty: not known
  std::string keys;                                // names of values (ks_variant::keys); empty: none
  std::optional<std::string> text;                 // instead of `values`: what was printed, or bytes
  std::optional<std::vector<std::int64_t>> shape;  // nothing: not known
  std::vector<Source> sources;
  friend bool operator==(const ReferenceOutput&, const ReferenceOutput&) = default;
};

// `is_text`: the output is what a program has printed. Bytes (u8, one dimension) are kept as text, too.
// `parts`, `keys`: Pack::parts_of(), keys_of(). Error: the elements cannot be read, or there is no memory.
Result<ReferenceOutput> reference_output_of(const ks_tensor& output, bool is_text,
                                            std::span<const ks_part> parts = {}, std::string keys = {});
// An expected output from a file: .npy, or any other file as text. Error: it names the path.
Result<ReferenceOutput> reference_output_in(const std::string& path);

// For another process of this version.
std::string bytes_of(const ReferenceOutput& output);
Result<ReferenceOutput> reference_output_from(std::string_view bytes);

// How many elements share a scale of the tolerance: by the shape of the output or of the reference,
// whichever has fewer, because a kernel that shows its rows as one must not get a single scale for all.
// `output` must have passed element_count.
std::size_t elements_of_scale(const ks_tensor& output, const ReferenceOutput& reference,
                              std::int32_t scale_dims);

struct Judgement {
  Comparison comparison;              // of numbers; without elements if texts were compared
  std::vector<double> values, right;  // what was compared, if it was numbers
  bool within = false;
  std::string flaw;  // in what they differ other than in numbers: "line 2 is 'a', the reference has 'b'"
};

// Whether `output` is right. `slice`: how many elements share a scale of the tolerance, 0: all. Error:
// there is no memory, or the elements cannot be read.
Result<Judgement> judge(const ks_tensor& output, bool is_text, const ReferenceOutput& reference,
                        const Allowance& allowance, std::size_t slice = 0,
                        std::span<const ks_part> parts = {}, std::string keys = {});
// The same for two reference outputs.
Judgement judge(const ReferenceOutput& output, const ReferenceOutput& reference, const Allowance& allowance,
                std::size_t slice = 0);

// True if every source has the content that it had when the output was made.
bool is_current(const ReferenceOutput& output, FileHashes& hashes);

}  // namespace kernsweep
