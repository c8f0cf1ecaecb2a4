// fma and read with one instruction set; the threads share no data.
#include <cstring>

#include "kernels/cpu/roof/variants.hpp"

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

}  // namespace

void Vectors::check(const Problem& problem, Instructions instructions) {
  if (arrays_of(problem.op) > 1)
    throw pack::Refused(KS_UNSUPPORTED, "copy and triad are done by the variant stream");
  if (problem.tf32)
    throw pack::Refused(KS_UNSUPPORTED, "processors have no tf32; on a GPU the variant cuda multiplies it");
  std::string missing;
  if (problem.op == Op::fma)
    find_chain(instructions, problem.dtype, missing);
  else
    find_loops(instructions, missing);
  if (!missing.empty()) throw pack::Refused(KS_UNSUPPORTED, missing);
}

Vectors::Vectors(const Problem& problem, Instructions instructions, pack::Setup& setup)
    : problem_(problem), team_(team_of(setup)), result_(setup) {
  check(problem, instructions);
  std::string missing;
  loops_ = find_loops(instructions, missing);
  const int threads = team_->threads();
  if (problem.op != Op::fma) {
    results_.resize(static_cast<std::size_t>(threads));
    array_ = setup.allocate<double>(static_cast<std::size_t>(problem.elements)).data();
    // First written by the thread that will read it, so that its pages are near.
    on_each(*team_, threads, [this](std::int64_t part) {
      for (std::int64_t i = begin_of(part); i < begin_of(part + 1); ++i) array_[i] = 1;
    });
    return;
  }
  chain_ = find_chain(instructions, problem.dtype, missing);
  if ((problem.blocks + threads - 1) / threads > kBlocksMax)
    throw pack::Refused(KS_BAD_PARAMETER, "operations are at most 2^30 per thread");
  ones_ = setup.allocate<char>(static_cast<std::size_t>(64 + threads * kSumsBytes)).data();
  fill_with_ones(problem.dtype, ones_);
}

void Vectors::run() {
  on_each(*team_, team_->threads(), [this](std::int64_t part) {
    if (problem_.op == Op::fma) {
      std::memset(sums_of(part), 0, static_cast<std::size_t>(kSumsBytes));
      chain_->run(rounds_of(part), ones_, sums_of(part));
    } else {
      results_[static_cast<std::size_t>(part)] =
          loops_->read(array_ + begin_of(part), begin_of(part + 1) - begin_of(part), problem_.passes);
    }
  });
}

ks_tensor Vectors::output() const {
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
  return result_.shown(extent);
}

std::int64_t Vectors::begin_of(std::int64_t part) const {
  return share(problem_.elements, kLine, part, team_->threads());
}

std::int64_t Vectors::rounds_of(std::int64_t part) const {
  const std::int64_t blocks = share(problem_.blocks, 1, part + 1, team_->threads()) -
                              share(problem_.blocks, 1, part, team_->threads());
  return blocks * (kBlockOperations / chain_->operations);
}

}  // namespace kernsweep::roof
