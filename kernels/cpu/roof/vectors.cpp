// fma and read with one instruction set; the threads share no data.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/libraries/variant.hpp"
#include "kernels/cpu/parallel/tbb.hpp"
#include "kernels/cpu/roof/instructions.hpp"
#include "kernels/cpu/roof/roof.hpp"

namespace kernsweep::roof {
namespace {

constexpr std::int64_t kLine = 8;  // elements of f64
// An f32 sum must count every round exactly: 2^30 operations are at most 2^30 / 96 < 2^24 rounds.
constexpr std::int64_t kBlocksMax = ((std::int64_t{1} << 30) + kBlockOperations - 1) / kBlockOperations;

void fill_with_ones(ks_dtype dtype, void* ones) {
  const double f64 = 1;
  const float f32 = 1;
  const std::uint16_t bf16 = 0x3f80;
  const std::uint8_t s8 = 1;
  const void* const one = dtype == KS_F64    ? static_cast<const void*>(&f64)
                          : dtype == KS_F32  ? static_cast<const void*>(&f32)
                          : dtype == KS_BF16 ? static_cast<const void*>(&bf16)
                                             : static_cast<const void*>(&s8);
  const std::size_t size = dtype == KS_F64 ? 8 : dtype == KS_F32 ? 4 : dtype == KS_BF16 ? 2 : 1;
  for (std::size_t at = 0; at < 64; at += size) std::memcpy(static_cast<char*>(ones) + at, one, size);
}

double sum_at(ks_dtype dtype, const void* sums, int lane) {
  if (dtype == KS_F64) return static_cast<const double*>(sums)[lane];
  if (dtype == KS_S8) return static_cast<const std::int32_t*>(sums)[lane];
  return static_cast<double>(static_cast<const float*>(sums)[lane]);
}

template <Instructions instructions>
class Vectors {
 public:
  static ks_status can_run(const ks_params* params, ks_why why) {
    Vectors chosen;
    return chosen.choose(params, why);
  }

  static ks_status prepare(const ks_params* params, const ks_context& context, const ks_tensor*,
                           std::unique_ptr<Vectors>& made, ks_why why) {
    auto kernel = std::make_unique<Vectors>();
    ks_status status = kernel->choose(params, why);
    if (status != KS_OK) return status;
    kernel->team_ = Team::make(context.threads, status, why);
    if (kernel->team_ == nullptr) return status;
    const Problem& problem = kernel->problem_;
    if (problem.op == Op::fma && (problem.blocks + context.threads - 1) / context.threads > kBlocksMax)
      return refuse(KS_BAD_PARAMETER, why, "operations are at most 2^30 per thread");
    kernel->results_.resize(static_cast<std::size_t>(context.threads));
    const std::int64_t bytes =
        problem.op == Op::fma ? 64 + context.threads * kSumsBytes : problem.elements * 8;
    kernel->memory_ = static_cast<char*>(context.allocate(context.host, static_cast<std::size_t>(bytes)));
    if (kernel->memory_ == nullptr && bytes > 0)
      return refuse(KS_OUT_OF_MEMORY, why, "no memory for the array to read");
    if (problem.op == Op::fma) {
      fill_with_ones(problem.dtype, kernel->memory_);
    } else {
      status = kernel->touch_first();
    }
    if (status == KS_OK) made = std::move(kernel);
    return status;
  }

  ks_status run() {
    return team_->each(team_->threads(), [this](std::int64_t part) {
      if (problem_.op == Op::fma) {
        multiply_add(part);
      } else {
        results_[static_cast<std::size_t>(part)] =
            loops_->read(array() + begin_of(part), begin_of(part + 1) - begin_of(part), problem_.passes);
      }
    });
  }

  ks_status output(ks_tensor& out) {
    Extent extent;
    for (std::int64_t part = 0; part < team_->threads(); ++part) {
      if (problem_.op != Op::fma) {
        const std::int64_t count = (begin_of(part + 1) - begin_of(part)) * problem_.passes;
        if (count > 0) extent.add(results_[static_cast<std::size_t>(part)] / static_cast<double>(count));
      } else if (const std::int64_t rounds = rounds_of(part); rounds > 0) {
        for (int lane = 0; lane < chain_->lanes; ++lane)
          extent.add(sum_at(problem_.dtype, sums_of(part), lane) /
                     static_cast<double>(rounds * chain_->step));
      }
    }
    values_[0] = extent.smallest;
    values_[1] = extent.largest;
    view_of(values_, out);
    return KS_OK;
  }

  const char* runtime() const { return tbb_runtime(); }

  static ks_status available(ks_why why) {
    std::string missing;
    return find_loops(instructions, missing) != nullptr ? KS_OK : refuse(KS_UNSUPPORTED, why, missing);
  }

 private:
  ks_status choose(const ks_params* params, ks_why why) {
    if (const ks_status status = parse(params, problem_, why); status != KS_OK) return status;
    if (arrays_of(problem_.op) > 1)
      return refuse(KS_UNSUPPORTED, why, "copy and triad are done by the variant stream");
    if (problem_.tf32)
      return refuse(KS_UNSUPPORTED, why,
                    "processors have no tf32; on a GPU the variant cuda multiplies it");
    std::string missing;
    loops_ = find_loops(instructions, missing);
    if (problem_.op == Op::fma) chain_ = find_chain(instructions, problem_.dtype, missing);
    return missing.empty() ? KS_OK : refuse(KS_UNSUPPORTED, why, missing);
  }

  double* array() const { return reinterpret_cast<double*>(memory_); }
  void* sums_of(std::int64_t part) const { return memory_ + 64 + part * kSumsBytes; }
  std::int64_t begin_of(std::int64_t part) const {
    return share(problem_.elements, kLine, part, team_->threads());
  }
  std::int64_t rounds_of(std::int64_t part) const {
    const std::int64_t blocks = share(problem_.blocks, 1, part + 1, team_->threads()) -
                                share(problem_.blocks, 1, part, team_->threads());
    return blocks * (kBlockOperations / chain_->operations);
  }

  void multiply_add(std::int64_t part) const {
    std::memset(sums_of(part), 0, static_cast<std::size_t>(kSumsBytes));
    chain_->run(rounds_of(part), memory_, sums_of(part));
  }

  // First written by the thread that will read it, so that its pages are near.
  ks_status touch_first() {
    return team_->each(team_->threads(), [this](std::int64_t part) {
      for (std::int64_t i = begin_of(part); i < begin_of(part + 1); ++i) array()[i] = 1;
    });
  }

  Problem problem_;
  const Loops* loops_ = nullptr;
  const Chain* chain_ = nullptr;
  std::unique_ptr<Team> team_;
  char* memory_ = nullptr;  // the array; or 64 bytes of ones and each thread's sums
  std::vector<double> results_;
  double values_[2] = {};
};

template <Instructions instructions>
constexpr ks_variant variant_of(const char* summary) {
  return make_variant<Vectors<instructions>>(instructions == Instructions::avx512 ? "avx512"
                                             : instructions == Instructions::avx2 ? "avx2"
                                                                                  : "plain",
                                             summary, nullptr, 0, &Vectors<instructions>::available);
}

}  // namespace

const ks_variant kAvx512 = variant_of<Instructions::avx512>(
    "fma and read in 64-byte vectors; bf16 and s8 where the processor has instructions for them");
const ks_variant kAvx2 = variant_of<Instructions::avx2>("fma and read in 32-byte vectors");
const ks_variant kPlain =
    variant_of<Instructions::plain>("fma and read in 16-byte vectors, which every processor has");

}  // namespace kernsweep::roof
