#include "language/file/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "language/file/document.hpp"
#include "language/file/setting.hpp"
#include "shared/base/try.hpp"
#include "shared/text/choices.hpp"
#include "shared/text/metric_name.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

constexpr std::array kKinds = {ClaimKind::faster,     ClaimKind::less_memory, ClaimKind::at_least,
                               ClaimKind::at_most,    ClaimKind::error_below, ClaimKind::equal_bits,
                               ClaimKind::limited_by, ClaimKind::ends_as};

std::string kinds_listed() {
  std::vector<std::string_view> names;
  for (const ClaimKind kind : kKinds) names.push_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<double> positive_number(const Node& node, const std::string& what) {
  const auto number =
      node.is_scalar() && !node.quoted ? value_of_scalar(node.scalar).number() : std::nullopt;
  if (!number || !std::isfinite(*number) || *number <= 0)
    return wrong(node, fmt::format("{} takes a number above 0, not {}", what, describe(node)));
  return *number;
}

class ClaimReader {
 public:
  explicit ClaimReader(const Node& node) {
    out_.node = node;
    if (node.source && node.source->has_lines) out_.claim.line = node.place.line;
  }

  Result<ReadClaim> read() {
    const Node& node = out_.node;
    if (!node.is_mapping()) return wrong(node, "a claim is a mapping, not " + describe(node));
    Status (ClaimReader::*const steps[])() = {&ClaimReader::check_names, &ClaimReader::read_name,
                                              &ClaimReader::read_kind,   &ClaimReader::read_than,
                                              &ClaimReader::read_by,     &ClaimReader::read_where};
    for (const auto step : steps) KS_RETURN_IF_ERROR((this->*step)());
    return std::move(out_);
  }

 private:
  Status check_names() { return check_keys(out_.node, key_named(language(), "claims")->keys, "a claim"); }

  Status read_name() {
    const Node* name = out_.node.find("name");
    if (name == nullptr) return wrong(out_.node, "a claim needs `name`; add for example `name: blas pays`");
    if (!name->is_scalar() || name->is_null() || name->scalar.empty())
      return wrong(*name, "name takes text, not " + describe(*name));
    out_.claim.name = name->scalar;
    return Done{};
  }

  Status read_kind() {
    Claim& claim = out_.claim;
    for (const ClaimKind kind : kKinds) {
      const Node* node = out_.node.find(name_of(kind));
      if (node == nullptr) continue;
      if (node_ != nullptr)
        return wrong(*node,
                     fmt::format("a claim says one thing, not both '{}' and '{}'; make it two claims",
                                 name_of(claim.kind), name_of(kind)));
      node_ = node;
      claim.kind = kind;
    }
    if (node_ == nullptr)
      return wrong(out_.node, fmt::format("the claim '{}' says nothing; it needs one of {}", claim.name,
                                          kinds_listed()));
    const std::string what(name_of(claim.kind));
    if (has_two_sides(out_.claim.kind)) return read_side(*node_, what, claim.side);
    if (claim.kind == ClaimKind::equal_bits) return read_axes(*node_);
    if (claim.kind == ClaimKind::limited_by || claim.kind == ClaimKind::ends_as)
      return read_word(*node_, what);
    if (claim.kind != ClaimKind::error_below) return read_limit(*node_, what);
    KS_ASSIGN_OR_RETURN(const auto bound, positive_number(*node_, what));
    claim.bound = bound;
    return Done{};
  }

  static Status add_value(const Node& node, const std::string& axis, ClaimChoice& choice) {
    if (!node.is_scalar())
      return wrong(node,
                   fmt::format("'{}' takes a value or a list of values, not {}", axis, describe(node)));
    choice.values.push_back({node.scalar, node.quoted});
    return Done{};
  }

  static Status read_side(const Node& node, const std::string& what, std::vector<ClaimChoice>& side) {
    if (!node.is_mapping() || node.entries.empty())
      return wrong(node, fmt::format("{} takes a mapping from axes to values, as {{variant: blas}}, not {}",
                                     what, node.is_mapping() ? "an empty one" : describe(node)));
    for (const auto& [axis, value] : node.entries) {
      ClaimChoice choice{axis.scalar, {}};
      if (value.is_sequence() && value.items.empty())
        return wrong(value, fmt::format("'{}' has no value", axis.scalar));
      for (const Node& item : value.is_sequence() ? value.items : std::vector<Node>{value})
        KS_RETURN_IF_ERROR(add_value(item, axis.scalar, choice));
      side.push_back(std::move(choice));
    }
    return Done{};
  }

  // `threads`, `[threads, variant]` or `{threads: [1, 2]}`.
  Status read_axes(const Node& node) {
    if (node.is_mapping()) return read_side(node, "equal_bits", out_.claim.side);
    const std::vector<Node> one = {node};
    for (const Node& item : node.is_sequence() ? node.items : one) {
      if (!item.is_scalar() || item.is_null() || item.scalar.empty())
        return wrong(item,
                     "equal_bits takes an axis, a list of axes, or a mapping from axes to values, not " +
                         describe(item));
      out_.claim.side.push_back({item.scalar, {}});
    }
    if (out_.claim.side.empty()) return wrong(node, "equal_bits names no axis");
    return Done{};
  }

  Status read_limit(const Node& node, const std::string& what) {
    if (!node.is_mapping() || node.entries.size() != 1)
      return wrong(node, fmt::format("{} takes one metric and its number, as {{gflops: 100}}, not {}", what,
                                     node.is_mapping() ? fmt::format("{} of them", node.entries.size())
                                                       : describe(node)));
    const auto& [name, value] = node.entries.front();
    const auto metrics = claim_metric_names();
    const bool known = std::ranges::find(metrics, name.scalar) != metrics.end();
    // Metrics of variants have names that are not known before the variants have run.
    if (!known && (!is_metric_name(name.scalar) || nearest(name.scalar, metrics)))
      return wrong(
          name, fmt::format("there is no metric '{}'{}", name.scalar, did_you_mean(name.scalar, metrics)));
    KS_ASSIGN_OR_RETURN(const auto bound, positive_number(value, name.scalar));
    out_.claim.metric = name.scalar;
    out_.claim.bound = bound;
    return Done{};
  }

  Status read_word(const Node& node, const std::string& what) {
    const auto words = split_choices(key_named(key_named(language(), "claims")->keys, what)->choices);
    if (!node.is_scalar() || std::ranges::find(words, node.scalar) == words.end())
      return wrong(node,
                   fmt::format("{} is one of {}, not {}", what, fmt::join(words, ", "), describe(node)));
    out_.claim.word = node.scalar;
    return Done{};
  }

  Status read_than() {
    const Node* than = out_.node.find("than");
    const std::string_view kind = name_of(out_.claim.kind);
    if (!has_two_sides(out_.claim.kind))
      return than == nullptr
                 ? Status(Done{})
                 : wrong(*than, fmt::format("`than` belongs to faster and less_memory, not to {}", kind));
    if (than == nullptr)
      return wrong(out_.node, fmt::format("{} needs `than`: what it is compared with", kind));
    KS_RETURN_IF_ERROR(read_side(*than, "than", out_.claim.than));
    for (const ClaimChoice& mine : out_.claim.side)
      for (const ClaimChoice& theirs : out_.claim.than)
        if (mine.axis == theirs.axis && std::ranges::none_of(mine.values, [&](const WrittenValue& value) {
              return std::ranges::find(theirs.values, value) != theirs.values.end();
            }))
          return Done{};
    return wrong(*than, fmt::format("a point could be on both sides; name an axis in `{}` and in `than` "
                                    "with values that differ",
                                    kind));
  }

  Status read_by() {
    const Node* by = out_.node.find("by");
    if (by == nullptr) return Done{};
    if (!has_two_sides(out_.claim.kind))
      return wrong(
          *by, fmt::format("`by` belongs to faster and less_memory, not to {}", name_of(out_.claim.kind)));
    ClaimRange& range = out_.claim.by;
    range.low_itself = true;
    if (!by->is_sequence()) {
      KS_ASSIGN_OR_RETURN(const auto low, positive_number(*by, "by"));
      range.low = low;
      return Done{};
    }
    if (by->items.size() != 2)
      return wrong(*by, fmt::format("by takes a number, or two: [least, most], not {}", by->items.size()));
    const auto low = positive_number(by->items[0], "by"), high = positive_number(by->items[1], "by");
    KS_RETURN_IF_ERROR(low);
    KS_RETURN_IF_ERROR(high);
    if (*low > *high)
      return wrong(*by, fmt::format("by: {} is more than {}; write [least, most]", by->items[0].scalar,
                                    by->items[1].scalar));
    range.low = *low;
    range.high = *high;
    return Done{};
  }

  Status read_where() {
    const Node* where = out_.node.find("where");
    if (where == nullptr) return Done{};
    KS_ASSIGN_OR_RETURN(auto expression, read_expression(*where, "where"));
    out_.claim.where = where->scalar;
    out_.where = std::move(expression);
    out_.where_node = *where;
    return Done{};
  }

  ReadClaim out_;
  const Node* node_ = nullptr;  // the value of the key of its kind
};

}  // namespace

Result<std::vector<ReadClaim>> read_claims(const Node& list) {
  if (!list.is_sequence()) return wrong(list, "claims takes a list of mappings, not " + describe(list));
  if (list.items.size() > kClaimsMax) return wrong(list, fmt::format("more than {} claims", kClaimsMax));
  std::vector<ReadClaim> out;
  std::map<std::string, int> line_of;
  for (const Node& item : list.items) {
    KS_ASSIGN_OR_RETURN(auto claim, ClaimReader(item).read());
    const auto [same, fresh] = line_of.emplace(claim.claim.name, item.place.line);
    if (!fresh)
      return wrong(*item.find("name"),
                   fmt::format("there is a claim called '{}' in line {} already; rename "
                               "one",
                               claim.claim.name, same->second));
    out.push_back(std::move(claim));
  }
  return out;
}

Result<std::vector<ReadClaim>> claims_of_text(std::string_view text, const std::string& path) {
  KS_ASSIGN_OR_RETURN(const auto root,
                      parse_yaml(text, std::make_shared<const TextSource>(TextSource{path, true})));
  const Node* list = root.is_mapping() ? root.find("claims") : nullptr;
  return list == nullptr ? std::vector<ReadClaim>() : read_claims(*list);
}

std::vector<std::string> claim_places(bool bits) {
  if (bits) return {"cache", "process", "host", "software"};
  return {"cache"};
}

}  // namespace kernsweep
