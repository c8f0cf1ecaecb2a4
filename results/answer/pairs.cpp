#include "results/answer/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "results/read/code_table.hpp"
#include "results/text/units.hpp"

namespace kernsweep {

namespace {

std::set<std::uint32_t> codes_of(const SideRows& rows, std::size_t column) {
  std::set<std::uint32_t> found;
  for (std::size_t p = 0; p < rows.points.size(); ++p) found.insert(rows.codes[p * rows.width + column]);
  return found;
}

// What equal numbers have in common: the digits, whole ones without a point. Nothing: it is no number, nor
// text that spells one as numbers are printed.
std::optional<std::string> number_in(const Value& value) {
  constexpr double kWholeMax = 1LL << 53;  // up to here a real holds each whole number
  const auto of_real = [](double real) {
    return std::floor(real) == real && std::abs(real) < kWholeMax
               ? std::to_string(static_cast<std::int64_t>(real))
               : Value(real).to_text();
  };
  if (const std::int64_t* const whole = value.integer()) return std::to_string(*whole);
  if (const auto number = value.number()) return of_real(*number);
  const std::string* const text = value.text();
  if (text == nullptr) return std::nullopt;
  std::int64_t whole = 0;
  std::from_chars(text->data(), text->data() + text->size(), whole);
  if (std::to_string(whole) == *text) return *text;
  double real = 0;
  std::from_chars(text->data(), text->data() + text->size(), real);
  if (Value(real).to_text() == *text) return of_real(real);
  return std::nullopt;
}

// Gives equal values of both sides one code. Adds a sentence where text is paired with numbers.
void equate(const SideWords& words, std::size_t column, SideRows& a, SideRows& b,
            std::vector<std::string>& notes) {
  const auto& values = words.values[column].values();
  const auto of_a = codes_of(a, column), of_b = codes_of(b, column);
  std::map<std::string, std::uint32_t> in_a;
  for (const std::uint32_t code : of_a)
    if (const auto number = number_in(values[code]))
      if (!in_a.try_emplace(*number, code).second) return;  // A has 2 and "2": two values
  std::map<std::uint32_t, std::uint32_t> code_in_a;
  std::set<std::uint32_t> taken;
  bool text_with_number = false;
  for (const std::uint32_t code : of_b) {
    const auto number = number_in(values[code]);
    const auto found = number ? in_a.find(*number) : in_a.end();
    if (found == in_a.end()) continue;
    if (!taken.insert(found->second).second) return;
    code_in_a[code] = found->second;
    text_with_number =
        text_with_number || (values[code].text() == nullptr) != (values[found->second].text() == nullptr);
  }
  for (std::size_t p = 0; p < b.points.size(); ++p) {
    std::uint32_t& code = b.codes[p * b.width + column];
    if (const auto at = code_in_a.find(code); at != code_in_a.end()) code = at->second;
  }
  if (text_with_number)
    notes.push_back(fmt::format("{} is text on one side and a number on the other: equal ones are paired",
                                words.names[column]));
}

bool is_null(const SideWords& words, std::size_t column, const std::set<std::uint32_t>& codes) {
  return codes.size() == 1 && words.values[column].values()[*codes.begin()].is_null();
}

// Fills in which parameters pairs agree in.
void find_identity(const SideWords& words, const SideRows& a, const SideRows& b,
                   const std::optional<std::string>& axis, Pairing& pairing) {
  pairing.identity.assign(words.names.size(), 1);
  for (std::size_t c = 0; c < pairing.identity.size(); ++c) {
    const auto of_a = codes_of(a, c), of_b = codes_of(b, c);
    const bool lacks_a = is_null(words, c, of_a), lacks_b = is_null(words, c, of_b);
    if (axis && (words.names[c] == *axis || lacks_a != lacks_b)) pairing.identity[c] = 0;
    const std::set<std::uint32_t>& other = lacks_a ? of_b : of_a;
    if (axis || lacks_a == lacks_b || other.size() != 1) continue;
    pairing.identity[c] = 0;
    pairing.notes.push_back(fmt::format(
        "{} is {} in all points of {} and not set in {}: it is left out of the pairing", words.names[c],
        words.values[c].values()[*other.begin()].to_text(), lacks_a ? "B" : "A", lacks_a ? "A" : "B"));
  }
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

Result<Pairing> pair_points(const SideWords& words, SideRows& a, SideRows& b,
                            const std::optional<std::string>& axis) {
  Pairing pairing;
  for (std::size_t c = 0; c < words.names.size(); ++c) equate(words, c, a, b, pairing.notes);
  find_identity(words, a, b, axis, pairing);
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
    const auto of_a = codes_of(a, c), of_b = codes_of(b, c);
    const auto in_a = [&](std::uint32_t code) { return of_a.contains(code); };
    if (std::ranges::none_of(of_b, in_a)) names.push_back(words.names[c]);
  }
  return names;
}

}  // namespace kernsweep
