// Our own direct convolution: register tiles of output channels by pixels, vectorised by the compiler (see
// tile.hpp), with the rows of the result divided among threads.
//
// Weights are packed in `prepare`, as an inference engine does once per model. Everything else is part of
// each run: with padding, the images are first copied into a buffer with zeros around them (otherwise they
// are read in place). This costs little, and the sum needs no checks at edges.
//
// All rows of a result are computed for one block of channels before the next block: its weights stay in
// the second-level cache while the images stream through. Threads get neighbouring rows.
//
// f32 only. With groups the lanes beyond a group's channels compute nothing of use: a depth-wise
// convolution uses one lane.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/conv2d/epilogue_pass.hpp"
#include "kernels/cpu/conv2d/tile.hpp"
#include "kernels/cpu/conv2d/variants.hpp"
#include "kernels/cpu/parallel/pack_team.hpp"

namespace kernsweep::conv2d {
namespace {

class Vectorised {
 public:
  struct Settings {
    std::string isa = "best";
    EpilogueBy epilogue_by = EpilogueBy::fused;
    static auto params() {
      return std::vector{isa_param<&Settings::isa>(), pack::param<&Settings::epilogue_by>(kEpilogueBy)};
    }
  };

  static void can_run(const Problem& problem, const Settings& settings) {
    if (problem.tf32 || problem.dtype != Dtype::f32)
      throw pack::Refused(KS_UNSUPPORTED,
                          fmt::format("dtype {}: this variant computes f32 only; onednn may do more",
                                      problem.dtype_name()));
    kernels_of(settings);
  }

  Vectorised(const Problem& problem, const Settings& settings, pack::Setup& setup)
      : problem_(problem),
        kernels_(&(can_run(problem, settings), kernels_of(settings))),
        team_(team_of(setup)),
        input_(setup.input<float>(0).data()),
        bias_(problem.epilogue.has_bias ? setup.input<float>(2).data() : nullptr),
        fused_(settings.epilogue_by == EpilogueBy::fused && !problem.epilogue.is_none()),
        blocks_((problem.group_out() + kernels_->lanes - 1) / kernels_->lanes),
        output_(allocated(problem.output_elements(), setup)),
        padded_(
            allocated(problem.padding > 0 ? problem.batch * problem.c_in * height() * width() : 0, setup)),
        weights_(allocated(problem.groups * blocks_ * problem.depth() * kernels_->lanes, setup)),
        packed_bias_(
            allocated(fused_ && bias_ != nullptr ? problem.groups * blocks_ * kernels_->lanes : 0, setup)) {
    pack(setup.input<float>(1).data());
  }

  void run() {
    if (padded_ != nullptr) {
      if (problem_.channels_last)
        on_each(*team_, problem_.batch * problem_.h, [this](std::int64_t part) { copy_row(part); });
      else
        on_each(*team_, problem_.batch * problem_.c_in, [this](std::int64_t part) { copy_plane(part); });
    }
    const std::int64_t rows = problem_.batch * problem_.h_out;
    on_each(*team_, problem_.groups * blocks_ * rows,
            [this, rows](std::int64_t part) { compute_row(part / rows, part % rows); });
    if (!fused_) finish_convolution(problem_, bias_, output_, *team_);
  }

  ks_tensor output() const { return problem_.shown_result(output_, KS_F32); }

  std::string runtime() const {
    return fmt::format("isa={} {} threads={}", kernels_->isa, tbb_runtime(), team_->threads());
  }

 private:
  // Refused: the processor lacks the set.
  static const TileKernels& kernels_of(const Settings& settings) {
    return required(find_tile_kernels(settings.isa.c_str()), settings.isa);
  }
  static float* allocated(std::int64_t count, pack::Setup& setup) {
    return setup.allocate<float>(static_cast<std::size_t>(count)).data();
  }

  // Extents of the images with their padding.
  std::int64_t height() const { return problem_.h + 2 * problem_.padding; }
  std::int64_t width() const { return problem_.w + 2 * problem_.padding; }

  // The loops of the sum from the outside in. In nchw channels are outermost, because they are far apart: a
  // row of pixels is used for all its products before the next is loaded. Loops with one turn move out.
  struct Nest {
    TileLoop loops[3];
  };
  Nest nest() const {
    const ImageStrides from = problem_.strides(problem_.c_in, height(), width());
    const TileLoop channels = {problem_.group_in(), from.c};
    const TileLoop rows = {problem_.kh, problem_.dilation * from.h};
    const TileLoop columns = {problem_.kw, problem_.dilation * from.w};
    Nest nest = problem_.channels_last ? Nest{{rows, columns, channels}} : Nest{{channels, rows, columns}};
    std::stable_partition(std::begin(nest.loops), std::end(nest.loops),
                          [](const TileLoop& loop) { return loop.extent == 1; });
    return nest;
  }

  // Packs weights o i h w to [group][block][order of the sum][lanes], with zeros in unused lanes, and the
  // bias in the same way.
  void pack(const float* given) {
    const std::int64_t lanes = kernels_->lanes;
    const std::int64_t area = problem_.kh * problem_.kw;
    for (std::int64_t o = 0; o < problem_.c_out; ++o) {
      const std::int64_t group = o / problem_.group_out();
      const std::int64_t in_group = o % problem_.group_out();
      float* to =
          weights_ + (group * blocks_ + in_group / lanes) * problem_.depth() * lanes + in_group % lanes;
      if (packed_bias_ != nullptr)
        packed_bias_[(group * blocks_ + in_group / lanes) * lanes + in_group % lanes] = bias_[o];
      for (std::int64_t c = 0; c < problem_.group_in(); ++c) {
        for (std::int64_t k = 0; k < area; ++k) {
          const std::int64_t order = problem_.channels_last ? k * problem_.group_in() + c : c * area + k;
          to[order * lanes] = given[(o * problem_.group_in() + c) * area + k];
        }
      }
    }
  }

  void copy_row(std::int64_t part) {
    const std::int64_t row = problem_.w * problem_.c_in;
    const std::int64_t n = part / problem_.h;
    const std::int64_t y = part % problem_.h + problem_.padding;
    float* to = padded_ + ((n * height() + y) * width() + problem_.padding) * problem_.c_in;
    std::memcpy(to, input_ + part * row, static_cast<std::size_t>(row) * sizeof(float));
  }

  void copy_plane(std::int64_t plane) {
    for (std::int64_t y = 0; y < problem_.h; ++y) {
      float* to = padded_ + (plane * height() + y + problem_.padding) * width() + problem_.padding;
      std::memcpy(to, input_ + (plane * problem_.h + y) * problem_.w,
                  static_cast<std::size_t>(problem_.w) * sizeof(float));
    }
  }

  // `block` numbers the blocks of all groups, `row` the rows of all results.
  void compute_row(std::int64_t block, std::int64_t row) {
    const ImageStrides from = problem_.strides(problem_.c_in, height(), width());
    const std::int64_t n = row / problem_.h_out;
    const std::int64_t i = row % problem_.h_out;
    const std::int64_t group = block / blocks_;
    const float* images = padded_ != nullptr ? padded_ : input_;
    const float* begin =
        images + n * from.n + group * problem_.group_in() * from.c + i * problem_.stride * from.h;
    alignas(64) float results[kTilePositionsMax * kTileLanesMax];
    Tile tile = {.position_step = problem_.stride * from.w,
                 .weights = weights_ + block * problem_.depth() * kernels_->lanes,
                 .results = results,
                 .bias = packed_bias_ == nullptr ? nullptr : packed_bias_ + block * kernels_->lanes,
                 .relu = fused_ && problem_.epilogue.activation == Activation::relu};
    const Nest sum = nest();
    std::copy(std::begin(sum.loops), std::end(sum.loops), tile.loops);
    // Tiles of one row differ by at most one pixel, because a narrow last tile wastes loads.
    const std::int64_t tiles = (problem_.w_out + kernels_->positions_max - 1) / kernels_->positions_max;
    for (std::int64_t t = 0; t < tiles; ++t) {
      const std::int64_t first = problem_.w_out * t / tiles;
      const std::int64_t last = problem_.w_out * (t + 1) / tiles;
      tile.input = begin + first * tile.position_step;
      kernels_->for_positions[last - first](tile);
      store(results, group, block % blocks_, n, i, first, last);
    }
  }

  void store(const float* results, std::int64_t group, std::int64_t block, std::int64_t n, std::int64_t i,
             std::int64_t first, std::int64_t last) {
    const std::int64_t lanes = kernels_->lanes;
    const std::int64_t channels = std::min(lanes, problem_.group_out() - block * lanes);
    const ImageStrides to = problem_.output_strides();
    float* begin = output_ + n * to.n + (group * problem_.group_out() + block * lanes) * to.c + i * to.h +
                   first * to.w;
    if (problem_.channels_last) {
      for (std::int64_t j = 0; j < last - first; ++j)
        std::copy_n(results + j * lanes, channels, begin + j * to.w);
      return;
    }
    for (std::int64_t o = 0; o < channels; ++o) {
      for (std::int64_t j = 0; j < last - first; ++j) begin[o * to.c + j] = results[j * lanes + o];
    }
  }

  Problem problem_;
  const TileKernels* kernels_;
  std::unique_ptr<Team> team_;
  const float* input_;
  const float* bias_;
  bool fused_;
  std::int64_t blocks_;  // of `lanes` output channels, in one group
  float* output_;
  float* padded_;  // null without padding
  float* weights_;
  float* packed_bias_;  // packed like the weights; null if nothing is fused
};

}  // namespace

pack::Variant vectorised() {
  return pack::variant<Vectorised>(
             "vectorised", "direct, register tiles of channels by pixels, weights packed beforehand")
      .of<Problem>();
}

}  // namespace kernsweep::conv2d
