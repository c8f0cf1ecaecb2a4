#include "results/answer/compare/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/read/point_table.hpp"
#include "results/text/units.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {

namespace {

std::set<std::uint32_t> codes_of(const SideRows& rows, std::size_t column) {
  std::set<std::uint32_t> found;
  for (std::size_t p = 0; p < rows.points.size(); ++p) found.insert(rows.codes[p * rows.width + column]);
  return found;
}

// What equal numbers have in common: the digits, whole ones without a point. Nothing: it is no number, nor
// text that spells one: as numbers are printed, or in a column of words of numbers (`words`) as one likes.
// Of truths (`truth`) texts are true and false.
std::optional<std::string> number_in(const Value& value, bool words, bool truth) {
  const std::string* const text = value.text();
  const Value read = text != nullptr ? value_of_scalar(*text) : value;
  if (const bool* const truth_of_text = read.boolean(); truth && truth_of_text != nullptr)
    return *truth_of_text ? "1" : "0";
  if (text != nullptr && !words && read.to_text() != *text) return std::nullopt;
  if (const std::int64_t* const whole = read.integer()) return std::to_string(*whole);
  const auto number = read.number();
  if (!number) return std::nullopt;
  return std::floor(*number) == *number && std::abs(*number) < kWholeDoubleMax
             ? std::to_string(static_cast<std::int64_t>(*number))
             : Value(*number).to_text();
}

// Gives equal values of both sides one code.
class Equated {
 public:
  Equated(const SideWords& words, std::size_t column, SideRows& a, SideRows& b)
      : words_(words),
        column_(column),
        a_(a),
        b_(b),
        of_a_(codes_of(a, column)),
        of_b_(codes_of(b, column)) {}

  // Adds a sentence where values of two kinds are paired.
  void equate(std::vector<std::string>& notes) {
    const bool truth_a = holds_truths(a_, of_a_), truth_b = holds_truths(b_, of_b_);
    std::map<std::string, std::vector<std::uint32_t>> in_a, in_b;
    for (const std::uint32_t code : of_a_)
      if (const auto number = number_in(value(code), is_number_word(stands_for(a_)), truth_b))
        in_a[*number].push_back(code);
    for (const std::uint32_t code : of_b_)
      if (const auto number = number_in(value(code), is_number_word(stands_for(b_)), truth_a))
        in_b[*number].push_back(code);
    for (const auto& [number, codes] : in_b)
      if (const auto found = in_a.find(number); found != in_a.end()) pair(found->second, codes);
    for (std::size_t p = 0; p < b_.points.size(); ++p) {
      std::uint32_t& code = b_.codes[p * b_.width + column_];
      if (const auto at = code_in_a_.find(code); at != code_in_a_.end()) code = at->second;
    }
    add_note(notes);
  }

 private:
  const Value& value(std::uint32_t code) const { return words_.values[column_].values()[code]; }
  // The two sides of a claim are of one sweep, and do not say it.
  StandsFor stands_for(const SideRows& rows) const {
    return column_ < rows.stands_for.size() ? rows.stands_for[column_] : StandsFor::itself;
  }
  bool are_both_number_words() const {
    return is_number_word(stands_for(a_)) && is_number_word(stands_for(b_));
  }
  bool is_text(std::uint32_t code) const { return value(code).text() != nullptr; }

  // Whether it is an axis of true and false, or may be one in a file that does not say it.
  bool holds_truths(const SideRows& rows, const std::set<std::uint32_t>& codes) const {
    return stands_for(rows) == StandsFor::truth || std::ranges::all_of(codes, [&](std::uint32_t code) {
             return value(code).is_null() || value(code) == Value(0) || value(code) == Value(1);
           });
  }

  // Of one number. Where a side writes it in two ways, 2 and 2.0, only equal words are paired.
  void pair(const std::vector<std::uint32_t>& mine, const std::vector<std::uint32_t>& theirs) {
    std::set<std::uint32_t> taken;
    for (const std::uint32_t code : theirs)
      if (of_a_.contains(code)) taken.insert(code);  // equal as it is
    for (const std::uint32_t code : theirs) {
      if (of_a_.contains(code)) continue;
      for (const std::uint32_t other : mine) {
        const bool alone = mine.size() == 1 && theirs.size() == 1;
        const bool texts = is_text(code) && is_text(other) && !are_both_number_words();
        if (taken.contains(other) || of_b_.contains(other) || texts ||
            (!alone && value(code).to_text() != value(other).to_text()))
          continue;
        taken.insert(other);
        code_in_a_[code] = other;
        break;
      }
    }
  }

  void add_note(std::vector<std::string>& notes) const {
    std::string kinds, pairs;
    const bool truth_a = stands_for(a_) == StandsFor::truth;
    const bool truth_b = stands_for(b_) == StandsFor::truth;
    if (truth_a != truth_b && std::ranges::any_of(of_b_, [&](std::uint32_t code) {
          return of_a_.contains(code) && value(code).integer() != nullptr;
        }))
      kinds = "true or false on one side and a number on the other: true is paired with 1, false with 0";
    for (const auto& [code, other] : code_in_a_) {
      const bool is_spelled = is_text(code) && is_text(other);
      if (is_text(code) == is_text(other) && !is_spelled) continue;
      if (kinds.empty() && truth_a != truth_b) {
        kinds = "true and false on one side and text on the other: equal ones are paired";
        break;
      }
      if (kinds.empty())
        kinds = is_spelled ? "written in two ways: equal numbers are paired"
                           : "text on one side and a number on the other: equal ones are paired";
      const std::string x = value(other).to_text(), y = value(code).to_text();
      if (x != y && pairs.empty()) pairs = fmt::format(", {} of A with {} of B", x, y);
    }
    if (!kinds.empty()) notes.push_back(fmt::format("{} is {}{}", words_.names[column_], kinds, pairs));
  }

  const SideWords& words_;
  std::size_t column_;
  SideRows &a_, &b_;
  std::set<std::uint32_t> of_a_, of_b_;
  std::map<std::uint32_t, std::uint32_t> code_in_a_;  // of codes of B
};

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

// What points agree in that may be paired, for each point of a side.
std::vector<std::uint32_t> keys_of(const Pairing& pairing, const SideRows& rows) {
  std::vector<std::uint32_t> keys;
  for (std::size_t p = 0; p < rows.points.size(); ++p) {
    for (std::size_t c = 0; c < rows.width; ++c)
      keys.push_back(pairing.identity[c] ? rows.codes[p * rows.width + c] : 0);
    keys.push_back(pairing.cache_is_identity ? rows.points[p].cache : 0);
  }
  return keys;
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
  for (std::size_t c = 0; c < words.names.size(); ++c) Equated(words, c, a, b).equate(pairing.notes);
  find_identity(words, a, b, axis, pairing);
  pairing.cache_is_identity = axis != "cache";
  const std::vector<std::uint32_t> keys_a = keys_of(pairing, a), keys_b = keys_of(pairing, b);
  RowNumbers groups(a.width + 1, a.width + 1);
  const auto group_a = groups.numbers(keys_a), group_b = groups.numbers(keys_b);
  const RowGroups of_a(group_a, groups.size()), of_b(group_b, groups.size());
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
  const auto of_a = SideRows::of(a.points[point_a], a.measurements);
  const auto of_b = SideRows::of(b.points[point_b], b.measurements);
  const auto add = [&](const SideRows& rows, std::uint32_t point, std::span<const Digest> others,
                       ProcessTimes& out, std::uint64_t& first) {
    const SidePoint& place = rows.points[point];
    const auto times = SideRows::of(place, rows.times);
    const auto results = SideRows::of(place, rows.results);
    const auto measurements = SideRows::of(place, rows.measurements);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (leave_out_shared && std::ranges::find(others, measurements[i]) != others.end()) continue;
      out.medians.push_back(times[i]);
      out.costs.push_back(SideRows::of(place, rows.costs)[i]);
      out.blocks.push_back(SideRows::of(place, rows.blocks)[i]);
      if (first == 0) first = results[i];
    }
    return times.size() - out.medians.size();
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
