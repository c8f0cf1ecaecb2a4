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

// A list of values.
template <class Each>
std::string json_list(const std::vector<Each>& values) {
  std::string list = "[";
  for (const Each& each : values) {
    if (list.size() > 1) list += ", ";
    append_json(Value(each), list);
  }
  return list + "]";
}

}  // namespace kernsweep
