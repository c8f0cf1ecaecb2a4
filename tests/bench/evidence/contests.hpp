// Simulated contests: how often the rules of shared/stats/contest.hpp are wrong, and what they decide.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "shared/stats/contest.hpp"

namespace kernsweep::contests {

// How processes of one point differ.
enum class World : std::uint8_t {
  normal,             // standard deviation `spread`
  student,            // `spread` times Student's t with 3 degrees of freedom
  coin_even,          // half of them take `coin` times as long; and normal noise
  coin_rare,          // one in five takes `coin` times as long
  coin_usual,         // four in five do
  drift,              // everything takes 10 % longer at the end than at the beginning; and normal noise
  one_in_each_block,  // one point in each block, drawn at random, takes `coin` times as long
  pinned,             // every second block has a neighbour on its cores: all take `coin` times as long
};
std::string_view name_of(World world);

struct Cell {
  World world = World::normal;
  double coin = 2;            // ratio
  double spread = 0.02;       // relative
  std::size_t processes = 3;  // of each point
  std::size_t rivals = 2;     // of the first way
  double advantage = 1;       // of the first way: each rival takes so many times as long
  std::size_t others = 0;     // further points of the sweep
  // So many points, the ways first, are of that world; all others are `normal`.
  std::size_t of_world = SIZE_MAX;
  // The sweep is looked at after so many processes, ascending, the last `processes`, and ends once it is
  // decided. Empty: it is looked at when it is over.
  std::vector<std::size_t> looks = {};
};

struct Counts {
  std::uint64_t contests = 0;
  std::uint64_t wins = 0;       // a way is said to win
  std::uint64_t right = 0;      // of these, the first one
  std::uint64_t set_holds = 0;  // the first one is in the set
  std::uint64_t set_size = 0;   // summed
  std::uint64_t tied = 0;
  std::uint64_t processes = 0;  // of each point, summed
};

// The same cell and seed give the same counts.
Counts simulate(const Cell& cell, std::uint64_t contests, std::uint64_t seed);

// The upper bound, confidence 95 %, of a probability that was seen `events` times in `trials` (Clopper and
// Pearson 1934). Requires trials > 0.
double upper_bound(std::uint64_t events, std::uint64_t trials);

}  // namespace kernsweep::contests
