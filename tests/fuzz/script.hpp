// A fuzzer's bytes as a script: each question takes some of them; after the last one all answers are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kernsweep::fuzz {

class Script {
 public:
  Script(const std::uint8_t* bytes, std::size_t size) : rest_(reinterpret_cast<const char*>(bytes), size) {}

  bool over() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  // 0 or 1, and so on, up to 255.
  std::uint32_t below(std::uint32_t end) { return byte() % end; }
  bool one_in(std::uint32_t n) { return below(n) == n - 1; }
  std::uint32_t word() {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | byte();
    return word;
  }
  // Its length comes first.
  std::string text() {
    const std::size_t length = byte();
    const std::string text(rest_.substr(0, length));
    rest_.remove_prefix(text.size());
    return text;
  }
  std::string all() {
    const std::string text(rest_);
    rest_ = {};
    return text;
  }

 private:
  std::string_view rest_;
};

}  // namespace kernsweep::fuzz
