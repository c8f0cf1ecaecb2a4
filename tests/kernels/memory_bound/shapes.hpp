// Points of every family of the pack memory_bound that are odd for its loops: extents around the 4, 8 and
// 16 lanes of a vector, the 16 elements of a line and the blocks of the loops, ones, primes, and 0.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {

struct Point {
  std::string family;
  Settings set;
};

inline const ks_family& family_named(const std::string& name) {
  return family_of(open_pack("memory_bound"), name);
}

inline std::string text_of(const Point& point) {
  std::string out = point.family;
  for (const auto& [name, value] : point.set) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      out += " " + name + "=" + std::to_string(*number);
    if (const auto* text = std::get_if<std::string>(&value)) out += " " + name + "=" + *text;
  }
  return out;
}

inline std::vector<Point> memory_bound_points() {
  std::vector<Point> out;
  const int shapes[][2] = {{0, 5},    {1, 1},   {1, 2},    {7, 3},     {5, 15},   {4, 16},
                           {3, 17},   {13, 31}, {2, 64},   {9, 65},    {3, 127},  {2, 511},
                           {3, 512},  {2, 513}, {3, 1023}, {5, 1024},  {3, 1037}, {2, 2048},
                           {1, 4099}, {101, 7}, {257, 1},  {1, 70001}, {67, 193}};
  for (const auto& [rows, cols] : shapes)
    for (const char* family : {"softmax", "layernorm"})
      out.push_back({family, settings({{"rows", rows}, {"cols", cols}})});
  for (const char* op : {"add", "mul", "relu", "exp", "sigmoid", "silu", "gelu_tanh"})
    for (const int n : {0, 1, 3, 15, 16, 17, 31, 64, 97, 1023, 1024, 2051})
      out.push_back({"elementwise", settings({{"op", op}, {"n", n}})});
  const int reduced[][2] = {{1, 1},      {1, 7},     {7, 1},    {3, 17},     {17, 3},
                            {5, 64},     {31, 33},   {4, 512},  {513, 65},   {67, 1030},
                            {2, 131075}, {65541, 3}, {3, 8209}, {1031, 1027}};
  for (const char* op : {"sum", "mean", "max", "l2"})
    for (const char* axis : {"row", "column", "all"})
      for (const auto& [rows, cols] : reduced)
        out.push_back(
            {"reduction", settings({{"op", op}, {"axis", axis}, {"rows", rows}, {"cols", cols}})});
  out.push_back({"reduction", settings({{"axis", "row"}, {"rows", 0}, {"cols", 5}})});
  out.push_back({"reduction", settings({{"axis", "column"}, {"rows", 5}, {"cols", 0}})});
  out.push_back({"reduction", settings({{"axis", "row"}, {"rows", 0}, {"cols", 0}})});
  const int matrices[][3] = {{0, 3, 5},   {2, 0, 5},  {2, 3, 0},     {1, 1, 1},
                             {3, 1, 17},  {3, 17, 1}, {1, 16, 16},   {2, 48, 32},
                             {1, 31, 33}, {5, 7, 3},  {1, 64, 2100}, {2, 80, 4109}};
  for (const auto& [batch, rows, cols] : matrices)
    out.push_back({"transpose", settings({{"batch", batch}, {"rows", rows}, {"cols", cols}})});
  const int tables[][3] = {{1, 1, 0},   {1, 1, 1},    {7, 3, 20},      {5, 16, 9},  {31, 17, 64},
                           {97, 64, 3}, {13, 513, 8}, {101, 1040, 31}, {3, 1027, 5}};
  for (const char* index : {"s32", "s64"})
    for (const auto& [rows, cols, count] : tables)
      out.push_back(
          {"gather", settings({{"rows", rows}, {"cols", cols}, {"lookups", count}, {"index", index}})});
  return out;
}

}  // namespace kernsweep::testing
