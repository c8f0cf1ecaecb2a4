// The adapter of nlohmann-json: JSON texts to trees and back.
#include <cmath>
#include <nlohmann/json.hpp>

#include "shared/wire/json_tree.hpp"

namespace kernsweep {
namespace {

using Json = nlohmann::ordered_json;

// Builds the tree while the text is parsed, because the library's own tree keeps the last of two equal
// names and turns integers that are too long into floats.
class Builder : public nlohmann::json_sax<Json> {
 public:
  JsonTree root;
  std::string why;  // empty: nothing is wrong

  bool null() override { return put({}); }
  bool boolean(bool truth) override { return put(Value(truth)); }
  bool number_integer(number_integer_t number) override {
    return put(Value(static_cast<std::int64_t>(number)));
  }
  bool number_unsigned(number_unsigned_t number) override { return put(JsonTree::natural(number)); }
  bool number_float(number_float_t number, const string_t& written) override {
    if (written.find_first_of(".eE") == string_t::npos)
      return wrong("the number " + written + " does not fit into 64 bits");
    return put(Value(number));
  }
  bool string(string_t& text) override { return put(Value(std::move(text))); }
  bool binary(binary_t&) override { return wrong("binary content"); }

  bool start_object(std::size_t) override { return open(JsonTree::object()); }
  bool start_array(std::size_t) override { return open(JsonTree::list()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    name_ = std::move(name);
    return !inside_.back()->find(name_) || wrong("the key '" + name_ + "' appears twice");
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error ..."
    const std::string said = error.what();
    const auto colon = said.find(": ");
    return wrong("no JSON from character " + std::to_string(at) +
                 " on: " + (colon == std::string::npos ? said : said.substr(colon + 2)));
  }

 private:
  static constexpr std::size_t kDepthMax = 16;

  bool wrong(std::string reason) {
    why = std::move(reason);
    return false;
  }
  JsonTree& place(JsonTree tree) {
    if (inside_.empty()) return root = std::move(tree);
    JsonTree& around = *inside_.back();
    return around.is_object() ? around.add(std::exchange(name_, {}), std::move(tree))
                              : around.add(std::move(tree));
  }
  bool put(JsonTree tree) {
    place(std::move(tree));
    return true;
  }
  // An open container is the last member of its parent, and the parent gets no other member before it is
  // closed, so the pointer to it stays valid.
  bool open(JsonTree tree) {
    if (inside_.size() == kDepthMax)
      return wrong("more than " + std::to_string(kDepthMax) + " levels within each other");
    inside_.push_back(&place(std::move(tree)));
    return true;
  }
  bool close() {
    inside_.pop_back();
    return true;
  }

  std::vector<JsonTree*> inside_;
  std::string name_;
};

Json json_of(const JsonTree& tree) {
  if (tree.kind == JsonTree::Kind::scalar) {
    if (tree.large) return *tree.large;
    if (const auto* truth = tree.scalar.boolean()) return *truth;
    if (const auto* whole = tree.scalar.integer()) return *whole;
    if (const auto* real = tree.scalar.real()) return std::isfinite(*real) ? Json(*real) : Json();
    if (const auto* text = tree.scalar.text()) return *text;
    return nullptr;
  }
  Json out = tree.is_object() ? Json::object() : Json::array();
  for (const auto& [name, member] : tree.members) {
    if (tree.is_object()) {
      out[name] = json_of(member);
    } else {
      out.push_back(json_of(member));
    }
  }
  return out;
}

}  // namespace

Result<JsonTree> json_tree_of(std::string_view text) {
  Builder builder;
  const bool read = Json::sax_parse(text, &builder);
  if (!read || !builder.why.empty()) return failure(builder.why.empty() ? "this is not JSON" : builder.why);
  return std::move(builder.root);
}

std::string text_of(const JsonTree& tree, int indent) {
  return json_of(tree).dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kernsweep
