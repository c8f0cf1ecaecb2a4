// Which point of one side is compared with which of the other. Pure.
//
// Points are paired that agree in all parameters (NULL is a value like any other), in the state of the
// caches and in the host. Numbers are equal by their value, and text equals a number that it spells, such
// as "2" and 2, where neither side has both. Three exceptions:
//   - the axis that is compared, and parameters that are NULL in all points of one side but not of the
//     other: a variant has settings that another one lacks. Such a point is paired with each that fits.
//   - parameters that are NULL in all points of one side, and have one value in all points of the other: an
//     axis of one value that the other sweep lacks.
//   - the host, where no pair of a group has the same one and each side has only one.
//
// A point that was measured by several classes of software is several points here. Where both sides have it
// of the same two classes, those of one class are paired; else each with each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/answer/compare/operand_rows.hpp"
#include "results/answer/compare/time_difference.hpp"

namespace kernsweep {

struct PointPair {
  std::uint32_t a = 0, b = 0;  // in SideRows::points
};

struct Pairing {
  std::vector<char> identity;  // per parameter: 1 if pairs agree in it
  bool cache_is_identity = true;
  std::vector<PointPair> pairs;            // in the order of A, then of B
  std::uint64_t alone_a = 0, alone_b = 0;  // points without a partner
  std::vector<std::string> notes;          // which parameters are paired though they differ; sentences
};

inline constexpr std::size_t kPairsMax = 1'000'000;

// `axis`: the one that is compared, when the sides are two of its values. Equal values of both sides have
// one code in `a` and `b` after that. Errors: more than kPairsMax pairs.
Result<Pairing> pair_points(const SideWords& words, SideRows& a, SideRows& b,
                            const std::optional<std::string>& axis);

// What the two points of a pair are judged by.
struct OwnTimes {
  ProcessTimes a, b;
  std::uint64_t result_a = 0, result_b = 0;  // of the first of them; 0: there is none
  std::uint64_t shared = 0;                  // measurements that both points have
};
// `leave_out_shared`: a measurement that both points have, in one database or in copies of it, is left out
// on both sides.
OwnTimes own_times(const SideRows& a, std::uint32_t point_a, const SideRows& b, std::uint32_t point_b,
                   bool leave_out_shared);

// For a side without a partner for any point: the parameters in which the sides have no value in common.
std::vector<std::string> never_equal(const SideWords& words, const SideRows& a, const SideRows& b,
                                     const Pairing& pairing);

}  // namespace kernsweep
