// Our own attention without a matrix of scores: for a block of queries, tiles of keys and values one after
// the other, by an online softmax (see tile.hpp). A block of queries and a tile of keys and values should
// fit into the second-level cache; the memory in addition to operands and result does not depend on the
// number of keys.
//
// Threads share the blocks of all heads. Blocks have different amounts of work with `causal`, so thread t
// gets every threads-th of them, in alternating order. If there are fewer than four blocks per thread, and
// they cannot be divided evenly, as when one query is decoded, the keys are divided as well, and the parts
// of each block are joined afterwards. So bits may depend on the number of threads.
//
// Few queries of several heads that share keys are one block; up to 5/8 of a strip are computed row by row,
// where one is as fast as keys and values come from memory. bf16: the queries are widened to f32 once, keys
// and values tile by tile, or as they are loaded; sums are f32, results are rounded.
#pragma once

#include "kernels/cpu/attention/parts.hpp"
#include "kernels/cpu/attention/problem.hpp"
#include "kernels/cpu/attention/tile.hpp"

namespace kernsweep::attention {

class Fused {
 public:
  struct Settings {
    std::int64_t block_q = 128, block_k = 128;
    std::string isa = "best";
    static std::vector<pack::Param<Settings>> params() {
      using pack::param;
      return {param<&Settings::block_q>({.name = "block_q",
                                         .summary = "queries of a task at most; rounded up to the vectors",
                                         .fallback = "128",
                                         .setting = true,
                                         .least = 1,
                                         .most = 65536}),
              param<&Settings::block_k>({.name = "block_k",
                                         .summary = "keys and values of a tile, for the L2 cache",
                                         .fallback = "128",
                                         .setting = true,
                                         .least = 1,
                                         .most = 65536}),
              isa_param<&Settings::isa>()};
    }
  };

  Fused(const Problem& problem, const Settings& settings, pack::Setup& setup);
  static void can_run(const Problem& problem, const Settings& settings);
  void run();
  std::string runtime() const;
  std::vector<ks_declared_metric> metrics() const { return memory_.metrics(); }

 private:
  // For one thread; its arrays are parts of one allocation.
  struct Scratch {
    float* queries;  // [strips][head_dim][lanes] or [lanes][head_dim]: a strip is `lanes` queries
    float* scores;   // of a strip
    float* state;    // of strips, if the keys are not divided
    float* k;        // [block_k][head_dim], if tiles are widened
    float* v;
    std::int32_t* seen;  // [lanes]
  };
  Scratch scratch_of(std::int64_t thread) const;
  std::int64_t scratch_floats() const;
  // Size of the sums of a strip: its queries, and largest and total of each.
  std::int64_t state_floats() const { return (problem_.head_dim + 2) * lanes_; }
  bool widens() const { return problem_.dtype != KS_F32 && !few_; }
  std::int64_t lane_step() const { return few_ ? problem_.head_dim : 1; }
  std::int64_t element_step() const { return few_ ? 1 : lanes_; }
  QueryState state_in(float* states, std::int64_t strip) const;

  template <class T>
  void attend(std::int64_t task, const Scratch& scratch);
  template <class T>
  void pack_queries(const T* from, std::int64_t rows, float* to) const;
  void attend_tile(std::int64_t row, std::int64_t rows, std::int64_t first_key, std::int64_t keys,
                   const void* k, const void* v, const Scratch& scratch, float* states) const;
  // Writes the results of a block whose keys were divided into `parts` states, one after the other.
  template <class T>
  void finish(std::int64_t block, float* states, std::int64_t parts) const;

  Problem problem_;
  Settings settings_;
  const TileKernels* kernels_;
  std::int64_t lanes_;  // queries of a strip
  bool few_ = false;    // queries: they are the rows of one strip
  ks_tensor q_, k_, v_;
  std::unique_ptr<Team> team_;
  std::span<float> y_;
  std::span<std::uint16_t> y_bf16_;
  Workspace memory_;

  std::int64_t unit_heads_ = 1;  // heads of a unit: they share keys, and their queries are its rows
  std::int64_t rows_ = 0;        // of a unit
  std::int64_t block_rows_ = 0, blocks_ = 0;  // of a unit
  std::int64_t strips_ = 0;                   // of a block
  std::int64_t parts_ = 1;                    // of the keys
  std::span<float> scratch_;
  std::span<float> states_;  // [units][blocks][parts][strips], if the keys are divided
};

}  // namespace kernsweep::attention
