// One JSON object, written member by member.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/report/json.hpp"

namespace kernsweep {

class JsonObject {
 public:
  JsonObject& add(std::string_view name, const Value& value) {
    member(name);
    append_json(value, text_);
    return *this;
  }
  JsonObject& count(std::string_view name, std::uint64_t number) {
    return add(name, Value(static_cast<std::int64_t>(number)));
  }
  // `json`: one complete JSON value; it is copied unchanged.
  JsonObject& add_raw(std::string_view name, const std::string& json) {
    member(name);
    text_ += json;
    return *this;
  }
  std::string text() const { return text_ + "}"; }

 private:
  void member(std::string_view name) {
    if (text_.size() > 1) text_ += ", ";
    append_json(Value(name), text_);
    text_ += ": ";
  }
  std::string text_ = "{";
};

// {"m": 1, "n": 2}
inline std::string json_of_members(const NamedValues& members) {
  JsonObject object;
  for (const auto& [name, value] : members) object.add(name, value);
  return object.text();
}
// {"failed", "without", "grade"}: the jobs that were left out
inline std::string json_of_left_out(const BestAnswer& about) {
  JsonObject left_out;
  left_out.count("failed", about.left_out_failed).count("without", about.left_out_without);
  return left_out.count("grade", about.left_out_grade).text();
}
// A list; json(each): one complete JSON value.
template <class All, class Json>
std::string json_list(const All& all, const Json& json) {
  std::string list = "[";
  for (const auto& each : all) list += (list.size() > 1 ? ", " : "") + json(each);
  return list + "]";
}
// A list of values.
template <class Each>
std::string json_list(const std::vector<Each>& values) {
  return json_list(values, [](const Each& each) {
    std::string text;
    append_json(Value(each), text);
    return text;
  });
}

}  // namespace kernsweep
