#include "results/answer/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "results/read/code_table.hpp"
#include "results/text/units.hpp"

namespace kernsweep {

namespace {

bool all_null(const SideWords& words, const SideRows& rows, std::size_t column) {
  const auto& values = words.values[column].values();
  for (std::size_t p = 0; p < rows.points.size(); ++p)
    if (!values[rows.codes[p * rows.width + column]].is_null()) return false;
  return true;
}

std::vector<char> identity_of(const SideWords& words, const SideRows& a, const SideRows& b,
                              const std::optional<std::string>& axis) {
  std::vector<char> identity(words.names.size(), 1);
  if (!axis) return identity;
  for (std::size_t c = 0; c < identity.size(); ++c)
    if (words.names[c] == *axis || all_null(words, a, c) != all_null(words, b, c)) identity[c] = 0;
  return identity;
}

// Numbers for the groups of points that may be paired; the same ones for both sides.
class Groups {
 public:
  explicit Groups(const Pairing& pairing) : pairing_(pairing) {}

  std::uint32_t of(const SideRows& rows, std::size_t point) {
    key_.clear();
    for (std::size_t c = 0; c < rows.width; ++c)
      if (pairing_.identity[c]) key_.push_back(rows.codes[point * rows.width + c]);
    if (pairing_.cache_is_identity) key_.push_back(rows.points[point].cache);
    std::uint64_t hash = 0;
    for (const std::uint32_t code : key_) hash = (hash ^ code) * 0x9E3779B97F4A7C15U;
    const std::uint32_t number = table_.number(CodeTable::hash_of(hash), [&](std::uint32_t known) {
      return std::equal(key_.begin(), key_.end(),
                        keys_.begin() + static_cast<std::ptrdiff_t>(known * key_.size()));
    });
    if (std::size_t{number} + 1 == table_.size() && number * key_.size() == keys_.size())
      keys_.insert(keys_.end(), key_.begin(), key_.end());
    return number;
  }
  std::uint32_t size() const { return table_.size(); }

 private:
  const Pairing& pairing_;
  CodeTable table_;
  std::vector<std::uint32_t> key_, keys_;
};

// The points of each group: those of group g stand at order[begins[g]] to order[begins[g + 1]].
struct Sorted {
  std::vector<std::size_t> begins;
  std::vector<std::uint32_t> order;
  std::span<const std::uint32_t> of(std::uint32_t group) const {
    return std::span(order).subspan(begins[group], begins[group + 1] - begins[group]);
  }
};

Sorted sorted(const std::vector<std::uint32_t>& group_of, std::uint32_t groups) {
  Sorted all{std::vector<std::size_t>(groups + 1, 0), std::vector<std::uint32_t>(group_of.size())};
  for (const std::uint32_t group : group_of) ++all.begins[group + 1];
  for (std::size_t g = 1; g < all.begins.size(); ++g) all.begins[g] += all.begins[g - 1];
  std::vector<std::size_t> next = all.begins;
  for (std::uint32_t p = 0; p < group_of.size(); ++p) all.order[next[group_of[p]]++] = p;
  return all;
}

bool one_host(const SideRows& rows, std::span<const std::uint32_t> points) {
  return std::ranges::all_of(
      points, [&](std::uint32_t p) { return rows.points[p].host == rows.points[points[0]].host; });
}

// The same point under this class of software, on the same side.
bool is_also_of(const SideRows& rows, std::span<const std::uint32_t> group, const SidePoint& point,
                std::uint32_t software_class) {
  return rows.spots < rows.points.size() && std::ranges::any_of(group, [&](std::uint32_t other) {
           return rows.points[other].spot == point.spot &&
                  rows.points[other].software_class == software_class;
         });
}

}  // namespace

Result<Pairing> pair_points(const SideWords& words, const SideRows& a, const SideRows& b,
                            const std::optional<std::string>& axis) {
  Pairing pairing;
  pairing.identity = identity_of(words, a, b, axis);
  pairing.cache_is_identity = axis != "cache";
  Groups groups(pairing);
  std::vector<std::uint32_t> group_a, group_b;
  for (std::size_t p = 0; p < a.points.size(); ++p) group_a.push_back(groups.of(a, p));
  for (std::size_t p = 0; p < b.points.size(); ++p) group_b.push_back(groups.of(b, p));
  const Sorted of_a = sorted(group_a, groups.size()), of_b = sorted(group_b, groups.size());
  std::vector<char> paired_b(b.points.size(), 0);
  for (std::uint32_t p = 0; p < a.points.size(); ++p) {
    const auto mine = of_a.of(group_a[p]), theirs = of_b.of(group_a[p]);
    const auto on_my_host = [&](std::uint32_t q) { return b.points[q].host == a.points[p].host; };
    const bool any_host = !theirs.empty() && one_host(a, mine) && one_host(b, theirs);
    const std::size_t before = pairing.pairs.size();
    for (const std::uint32_t q : theirs) {
      if (!any_host && !on_my_host(q)) continue;
      const SidePoint &of_mine = a.points[p], &of_theirs = b.points[q];
      if (of_mine.software_class != of_theirs.software_class &&
          is_also_of(a, mine, of_mine, of_theirs.software_class) &&
          is_also_of(b, theirs, of_theirs, of_mine.software_class))
        continue;
      if (pairing.pairs.size() == kPairsMax)
        return failure(fmt::format("these are more than {} pairs; compare fewer points with --where",
                                   text_of_count(kPairsMax)));
      pairing.pairs.push_back({p, q});
      paired_b[q] = 1;
    }
    if (pairing.pairs.size() == before) ++pairing.alone_a;
  }
  pairing.alone_b = static_cast<std::uint64_t>(std::ranges::count(paired_b, 0));
  return pairing;
}

OwnTimes own_times(const SideRows& a, std::uint32_t point_a, const SideRows& b, std::uint32_t point_b,
                   bool leave_out_shared) {
  OwnTimes own;
  const auto of_a = a.measurements_of(a.points[point_a]), of_b = b.measurements_of(b.points[point_b]);
  const auto add = [&](const SideRows& rows, std::uint32_t point, std::span<const Digest> others,
                       std::vector<double>& out, std::uint64_t& first) {
    const SidePoint& place = rows.points[point];
    const auto times = rows.times_of(place);
    const auto results = rows.results_of(place);
    const auto measurements = rows.measurements_of(place);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (leave_out_shared && std::ranges::find(others, measurements[i]) != others.end()) continue;
      out.push_back(times[i]);
      if (first == 0) first = results[i];
    }
    return times.size() - out.size();
  };
  own.shared = add(a, point_a, of_b, own.a, own.result_a);
  add(b, point_b, of_a, own.b, own.result_b);
  return own;
}

std::vector<std::string> never_equal(const SideWords& words, const SideRows& a, const SideRows& b,
                                     const Pairing& pairing) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < words.names.size(); ++c) {
    if (!pairing.identity[c]) continue;
    std::set<std::uint32_t> seen;
    for (std::size_t p = 0; p < a.points.size(); ++p) seen.insert(a.codes[p * a.width + c]);
    bool common = false;
    for (std::size_t p = 0; p < b.points.size() && !common; ++p)
      common = seen.contains(b.codes[p * b.width + c]);
    if (!common) names.push_back(words.names[c]);
  }
  return names;
}

}  // namespace kernsweep
