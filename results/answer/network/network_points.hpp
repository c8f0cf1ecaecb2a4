// The sums of results/answer/network/total.hpp: the point of each layer, its time, and how sure that is.
// Private to results/.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "results/answer/best/best_groups.hpp"
#include "results/answer/network/total.hpp"

namespace kernsweep {

struct NetworkLayer {
  double count = 0;
  const Group* group = nullptr;  // after its contest
  // The best point of each choice: by the codes of the values that it holds fixed.
  std::map<std::vector<std::uint32_t>, std::uint32_t> choice;
};

class NetworkPoints {
 public:
  // `groups` and `rules` must outlive it.
  NetworkPoints(const BestGroups& groups, const EvidenceRules& rules) : groups_(groups), rules_(rules) {}

  std::vector<NetworkLayer> layers;
  std::vector<std::uint32_t> single;  // the point of the best choice in each layer; kNone: it has none

  // Fills in `single` and, from `layers` (at least one), all of `network` but its name and the descriptions
  // of points; the values of its choices are the codes.
  void decide(TotalNetwork& network);

 private:
  using Picks = std::vector<std::uint32_t>;  // a candidate for each layer

  double seconds(const Picks& picks) const;
  TotalTime time_of(const Picks& picks) const;
  // The ratio of `second` over `first`.
  TotalRatio ratio_of(const Picks& first, const Picks& second) const;

  const BestGroups& groups_;
  const EvidenceRules& rules_;
};

}  // namespace kernsweep
