// Whether the two sides of pairs have the same output, by the samples that their slots kept
// (shared/base/output_sample.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/compare/compare.hpp"
#include "results/read/reader.hpp"

namespace kernsweep {

struct PairOutputs {
  std::uint64_t compared = 0;  // pairs for which each output is known to be the same in all runs
  // Those of them whose outputs differ: the results, in the order given.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> differing;
};

// Nothing is compared if outputs may differ between points that differ in `axes`: the sweep sets `verify:
// {outputs: ignore}`, or one of the axes is part of the problem. If no two texts are equal, they are
// assumed to depend on the setting. `pairs`: results of this sweep. Error: the database cannot be read.
Result<PairOutputs> compare_pair_outputs(Reader& reader, const StoredSweep& sweep,
                                         std::span<const std::string> axes,
                                         std::span<const std::pair<std::uint64_t, std::uint64_t>> pairs);

// Compares the outputs; fills in CompareAnswer::other_outputs and adds a note if they differ. `axis`: the
// two sides are values of it. Error: a database cannot be read.
// values of it. Error: a database cannot be read.
struct SweepOfSide {
  Reader& reader;
  const StoredSweep& sweep;
};
Result<CompareAnswer> with_outputs(CompareAnswer answer, SweepOfSide a, SweepOfSide b,
                                   const std::optional<std::string>& axis);

// "the outputs differ in 2 of 5 pairs, such as results 3 and 9: ..."; empty: no pair differs.
std::string text_of(const PairOutputs& outputs);

}  // namespace kernsweep
