// Tensor files made by hand, byte by byte, so that tests can make them wrong.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kernsweep::testing_tensors {

inline std::string little_endian(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
  return out;
}

inline std::string npy(std::string_view dictionary, std::string_view data, int major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  out += little_endian(dictionary.size(), major == 1 ? 2 : 4);
  return out.append(dictionary).append(data);
}

inline std::string safetensors(std::string_view json, std::string_view data) {
  return little_endian(json.size(), 8).append(json).append(data);
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace kernsweep::testing_tensors
