// Attention: for each batch element and head, y = softmax(Q K^T / sqrt(head_dim)) V, the softmax over the
// keys that a query sees (A. Vaswani and others, "Attention Is All You Need", 2017).
//
//   q, y  [batch, heads, q_len, head_dim]        k, v  [batch, kv_heads, kv_len, head_dim]      row-major
//
// Grouped queries (J. Ainslie and others, "GQA", 2023): heads h of the queries share the head h / (heads /
// kv_heads) of the keys. causal: query i sees key j if j <= i + kv_len - q_len, so that the last query sees
// all keys, as in a decoder whose cache has the keys before the queries. The result of a query that sees no
// key (kv_len 0; causal with more queries than keys) is zeros.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernels/api/pack.hpp"

namespace kernsweep::attention {

struct Problem {
  std::int64_t batch = 1, heads = 0, kv_heads = 0, q_len = 0, kv_len = -1, head_dim = 0;
  bool causal = false;
  ks_dtype dtype = KS_F32;

  static std::vector<pack::Param<Problem>> params() {
    using pack::param;
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    return {
        param<&Problem::batch>({.name = "batch",
                                .summary = "independent sequences",
                                .fallback = "1",
                                .least = 0,
                                .most = most}),
        param<&Problem::heads>(
            {.name = "heads", .summary = "heads of the queries", .least = 1, .most = most}),
        param<&Problem::kv_heads>({.name = "kv_heads",
                                   .summary = "heads of keys and values, a divisor of heads; without it "
                                              "as many as heads",
                                   .fallback = "",
                                   .least = 1,
                                   .most = most}),
        param<&Problem::q_len>(
            {.name = "q_len", .summary = "queries of a sequence", .least = 0, .most = most}),
        param<&Problem::kv_len>({.name = "kv_len",
                                 .summary = "keys and values of a sequence; without it as many as q_len",
                                 .fallback = "",
                                 .least = 0,
                                 .most = most}),
        param<&Problem::head_dim>(
            {.name = "head_dim", .summary = "elements of a query, key or value", .least = 1, .most = most}),
        param<&Problem::causal>({.name = "causal",
                                 .summary = "query i sees only keys up to i + kv_len - q_len",
                                 .fallback = "false"}),
        param<&Problem::dtype>({.name = "dtype",
                                .summary = "elements of all arrays",
                                .fallback = "f32",
                                .choices = "f32|bf16"})};
  }

  std::int64_t key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
  std::int64_t group() const { return heads / key_heads(); }  // heads that share keys
  std::int64_t keys() const { return kv_len >= 0 ? kv_len : q_len; }
  // For the query at this position: it sees the keys before the returned number, 0 to kv_len.
  std::int64_t seen(std::int64_t position) const {
    return causal ? std::max<std::int64_t>(0, position + keys() - q_len + 1) : keys();
  }
  double scale() const { return 1 / std::sqrt(static_cast<double>(head_dim)); }
  std::vector<std::int64_t> q_shape() const { return {batch, heads, q_len, head_dim}; }
  std::vector<std::int64_t> k_shape() const { return {batch, key_heads(), keys(), head_dim}; }

  // Checks relations between parameters; called when they are read. Error: Refused with KS_BAD_PARAMETER.
  void check() const;

  auto inputs() const {
    const auto normal = [this](const char* name, const std::vector<std::int64_t>& shape) {
      return pack::Input{name, dtype, shape, KS_NORMAL, 0, 1};
    };
    return std::vector{normal("q", q_shape()), normal("k", k_shape()), normal("v", k_shape())};
  }

  // Two products of a multiply-add per pair of a query and a key that it sees, and element of a head; the
  // work of the softmax is not counted, so that rates compare with those of products. Each array is read or
  // written once.
  ks_work work() const {
    const double queries = static_cast<double>(q_len), of_keys = static_cast<double>(keys());
    const double seeing = std::min(queries, of_keys);  // with causal: queries that see a key
    const double pairs =
        causal ? seeing * (of_keys - seeing) + seeing * (seeing + 1) / 2 : queries * of_keys;
    const double all_heads = static_cast<double>(batch) * static_cast<double>(heads);
    const double depth = static_cast<double>(head_dim);
    const double rows = 2 * all_heads * queries + 2 * all_heads / static_cast<double>(group()) * of_keys;
    return {.flops = 4 * all_heads * depth * pairs, .bytes = (dtype == KS_F32 ? 4 : 2) * rows * depth};
  }

  ks_tolerance tolerance() const;
};

}  // namespace kernsweep::attention
