// The adapter of yaml-cpp: turns its events into a tree of Nodes and its exceptions into errors.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <yaml-cpp/yaml.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "language/file/yaml_tree.hpp"

namespace kernsweep {
namespace {

// Thrown to leave yaml-cpp's parser from one of its events.
struct Refused {
  Place place;
  std::string message;
};

// JSON writes a character above U+FFFF as two escapes (RFC 8259, 7), YAML as one: \ud83d\ude00 is
// \U0001f600.
class PairsOfEscapes {
 public:
  // The text with one escape for each pair in its strings. `text` begins with a bracket or a quote, so that
  // each string is in quotes.
  std::string joined(std::string_view text) {
    std::string out;
    char quote = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char c = text[at];
      if (quote == 0) {
        if (c == '"' || c == '\'') quote = c;
      } else if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"') {
        const auto high = half_at(text, at), low = half_at(text, at + 6);
        if (high && low && *high < 0xDC00 && *low >= 0xDC00) {
          joined_.push_back(out.size());
          out += fmt::format("\\U{:08x}", 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00));
          at += 11;
          continue;
        }
        if (high) halves_.push_back(out.size());
        out += c;
        if (++at == text.size()) break;  // an escaped character does not end a string
      }
      out += text[at];
    }
    return out;
  }
  // The position of the first escape that is half of a character.
  std::optional<std::size_t> first_half() const {
    return halves_.empty() ? std::nullopt : std::optional(halves_.front());
  }
  // How many characters the line was longer before `end`, counted from `start`.
  int shortened(std::size_t start, std::size_t end) const {
    const auto from = std::ranges::lower_bound(joined_, start);
    return 2 * static_cast<int>(std::lower_bound(from, joined_.end(), end) - from);
  }

 private:
  static std::optional<unsigned> half_at(std::string_view text, std::size_t at) {
    if (at + 6 > text.size() || text.substr(at, 2) != "\\u") return std::nullopt;
    unsigned unit = 0;
    const auto read = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
    const bool half = read.ptr == text.data() + at + 6 && unit >= 0xD800 && unit < 0xE000;
    return half ? std::optional(unit) : std::nullopt;
  }

  std::vector<std::size_t> joined_, halves_;
};

// yaml-cpp counts columns in bytes, messages count characters.
class Lines {
 public:
  Lines(std::string_view text, const PairsOfEscapes& pairs) : text_(text), pairs_(pairs) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }
  Place place_of(const YAML::Mark& mark) const {
    if (mark.line < 0) return {1, 1};
    if (static_cast<std::size_t>(mark.line) >= starts_.size()) return {1, 1};
    const std::size_t start = starts_[static_cast<std::size_t>(mark.line)];
    int column = 1;
    for (int i = 0; i < mark.column && start + static_cast<std::size_t>(i) < text_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text_[start + static_cast<std::size_t>(i)]);
      if ((byte & 0xC0u) != 0x80u) ++column;
    }
    return {mark.line + 1, column + pairs_.shortened(start, start + static_cast<std::size_t>(mark.column))};
  }
  // The place of the byte at `at`.
  Place place_at(std::size_t at) const {
    const auto after = std::ranges::upper_bound(starts_, at);
    YAML::Mark mark;
    mark.line = static_cast<int>(after - starts_.begin()) - 1;
    mark.column = static_cast<int>(at - *(after - 1));
    return place_of(mark);
  }
  // At the end of the text yaml-cpp reports column 0; only its position is correct there.
  Place place_of_error(const YAML::Mark& mark) const {
    if (mark.pos < static_cast<int>(text_.size())) return place_of(mark);
    const auto last = starts_.size() - 1;
    YAML::Mark end;
    end.line = static_cast<int>(last);
    end.column = static_cast<int>(text_.size() - starts_[last]);
    return place_of(end);
  }
  std::string_view text_at(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(mark.line);
    if (mark.line < 0 || line >= starts_.size()) return {};
    const std::size_t at = starts_[line] + static_cast<std::size_t>(mark.column);
    return at < text_.size() ? text_.substr(at) : std::string_view();
  }

 private:
  std::string_view text_;
  const PairsOfEscapes& pairs_;
  std::vector<std::size_t> starts_;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Lines& lines, TextSourcePtr source) : lines_(lines), source_(std::move(source)) {}

  bool any() const { return !open_.empty() || finished_; }
  // yaml-cpp's message, or a clearer one if the cause is obvious.
  std::string meaning_of(const std::string& message) const {
    if (open_.empty()) return message;
    const int line = open_.back().node.place.line;
    if (message == YAML::ErrorMsg::END_OF_SEQ_FLOW)
      return fmt::format("a list that begins with '[' in line {} has no ']'", line);
    if (message == YAML::ErrorMsg::END_OF_MAP_FLOW)
      return fmt::format("a mapping that begins with '{{' in line {} has no '}}'", line);
    return message;
  }
  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (finished_) throw Refused{lines_.place_of(mark), "a second document; one file is one sweep"};
  }
  void OnDocumentEnd() override { finished_ = true; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // yaml-cpp also reads Null and NULL as null; here they are text.
    const std::string_view at = lines_.text_at(mark);
    const bool word = at.starts_with("Null") || at.starts_with("NULL");
    add(scalar_node(mark, word ? at.substr(0, 4) : at.starts_with("null") ? "null" : "", false), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Refused{lines_.place_of(mark), "this alias refers to a value that contains it; remove it"};
    }
    count_nodes(found->second, lines_.place_of(mark));
    add(Node(found->second), 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    add(scalar_node(mark, value, tag != "?" && !tag.empty()), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    Node node;
    YAML::anchor_t anchor = 0;
    std::optional<Node> key;        // of a mapping: its value comes next
    std::set<std::string> keys;     // of a mapping: those read so far
    std::vector<NodeEntry> merged;  // of a mapping: the entries from `<<`
  };

  Node new_node(const YAML::Mark& mark, Node::Kind kind) {
    if (++nodes_ > kNodesMax) too_many(lines_.place_of(mark));
    Node node;
    node.kind = kind;
    node.place = lines_.place_of(mark);
    node.source = source_;
    return node;
  }

  Node scalar_node(const YAML::Mark& mark, std::string_view text, bool quoted) {
    Node node = new_node(mark, Node::Kind::scalar);
    node.scalar = text;
    node.quoted = quoted;
    return node;
  }

  [[noreturn]] void too_many(Place place) const {
    throw Refused{
        place,
        fmt::format("more than {} values in one file (aliases count each time they are used); put long "
                    "lists into a table or write a range",
                    kNodesMax)};
  }

  void count_nodes(const Node& node, Place place) {
    if (++nodes_ > kNodesMax) too_many(place);
    for (const auto& item : node.items) count_nodes(item, place);
    for (const auto& entry : node.entries) {
      count_nodes(entry.key, place);
      count_nodes(entry.value, place);
    }
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str") return;
    throw Refused{lines_.place_of(mark),
                  "tags (!!int and the like) are not used; an axis gives its values a kind"};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() >= static_cast<std::size_t>(kDepthMax)) {
      throw Refused{lines_.place_of(mark), fmt::format("nested deeper than {} levels", kDepthMax)};
    }
    open_.push_back(Level{new_node(mark, kind), anchor, std::nullopt, {}, {}});
  }

  void close() {
    Level level = std::move(open_.back());
    open_.pop_back();
    for (auto& entry : level.merged) {
      if (level.keys.insert(entry.key.scalar).second) level.node.entries.push_back(std::move(entry));
    }
    add(std::move(level.node), level.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count_nodes(node, node.place);  // the copy kept for aliases
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = open_.back();
    if (level.node.is_sequence()) {
      level.node.items.push_back(std::move(node));
    } else if (!level.key) {
      take_key(level, std::move(node));
    } else if (level.key->scalar == "<<" && !level.key->quoted) {
      merge(level, node);
      level.key.reset();
    } else {
      level.node.entries.push_back(NodeEntry{std::move(*level.key), std::move(node)});
      level.key.reset();
    }
  }

  static void take_key(Level& level, Node node) {
    if (!node.is_scalar()) throw Refused{node.place, "a key must be plain text, not " + describe(node)};
    if (!level.keys.insert(node.scalar).second) {
      const Node* first = level.node.find(node.scalar);
      const std::string earlier =
          first == nullptr ? "" : fmt::format(" (first in line {})", first->place.line);
      throw Refused{node.place, fmt::format("key '{}' appears twice{}; remove one", node.scalar, earlier)};
    }
    level.key = std::move(node);
  }

  // The merge key of YAML 1.1: a mapping or a list of mappings. Keys of the mapping itself have precedence,
  // then earlier mappings.
  static void merge(Level& level, const Node& node) {
    const std::vector<Node> one = {node};
    for (const Node& source : node.is_sequence() ? node.items : one) {
      if (!source.is_mapping()) throw Refused{node.place, "'<<' takes a mapping or a list of mappings"};
      for (const auto& entry : source.entries) level.merged.push_back(entry);
    }
  }

  const Lines& lines_;
  TextSourcePtr source_;
  std::vector<Level> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  Node root_;
  std::size_t nodes_ = 0;
  bool finished_ = false;
};

tl::unexpected<Error> wrong_at(const TextSourcePtr& source, Place place, const std::string& message) {
  Node node;
  node.source = source;
  node.place = place;
  return wrong(node, message);
}

std::optional<TextFlaw> flaw_of_sweep(std::string_view text) {
  if (auto flaw = flaw_of_text(text)) return flaw;
  Place place{1, 1};
  for (const char c : text) {
    if (c == '\t')
      return TextFlaw{place, "a tab; indent and separate with spaces (in a text, write \"\\t\")"};
    if (c == '\n') {
      ++place.line;
      place.column = 0;
    }
    if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) ++place.column;
  }
  return std::nullopt;
}

}  // namespace

Result<Node> parse_yaml(std::string_view given, const TextSourcePtr& source) {
  if (given.size() > kSweepBytesMax) {
    return wrong_at(source, {1, 1},
                    fmt::format("{} bytes; a sweep file has at most {}", given.size(), kSweepBytesMax));
  }
  if (given.starts_with("\xEF\xBB\xBF")) given.remove_prefix(3);
  std::string text(given);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    for (char& c : text)
      c = c == '\t' ? ' ' : c;  // JSON may be indented with tabs; its strings cannot hold one
  }
  if (const auto flaw = flaw_of_sweep(text)) return wrong_at(source, flaw->place, flaw->message);
  PairsOfEscapes pairs;
  if (first != std::string::npos && std::string_view("{[\"").find(text[first]) != std::string_view::npos)
    text = pairs.joined(text);

  const Lines lines(text, pairs);
  if (const auto half = pairs.first_half()) {
    return wrong_at(source, lines.place_at(*half),
                    fmt::format("{} is half of a character; JSON writes such a character as two escapes, "
                                "\\ud83d\\ude00, or write the character",
                                text.substr(*half, 6)));
  }
  TreeBuilder builder(lines, source);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return wrong_at(source, refused.place, refused.message);
  } catch (const YAML::Exception& e) {
    return wrong_at(source, lines.place_of_error(e.mark), "not YAML: " + builder.meaning_of(e.msg));
  }
  if (!builder.any()) {
    return wrong_at(source, {1, 1},
                    source->has_lines
                        ? "the file is empty; the smallest sweep has four lines: sweep, name, "
                          "kernel, axes; see docs/reference/sweep-language.md"
                        : "nothing in it");
  }
  return builder.take();
}

}  // namespace kernsweep
