// The reference, and our own variants.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/libraries/isa.hpp"
#include "kernels/cpu/spmm/variants.hpp"

namespace kernsweep::spmm {
namespace {

constexpr std::int64_t kBlockOfUnstructured = 4;  // of BSR, if the pattern has no blocks

std::int64_t kept_of(const Csr& a) {
  return static_cast<std::int64_t>(a.values.size());
}

std::string own_runtime(const Loops& loops, const Team& team) {
  return fmt::format("isa={} threads={} {}", loops.isa, team.threads(), tbb_runtime());
}

}  // namespace

Naive::Naive(const Problem& problem, pack::Setup& setup)
    : problem_(problem),
      a_(sparse_operand(problem, setup)),
      b_(dense_operand(setup)),
      y_(setup.output<double>({problem.m, problem.n})) {
  setup.report_work(work_of(problem, kept_of(a_), a_.bytes()));
}

void Naive::run() {
  const auto n = static_cast<std::size_t>(problem_.n);
  std::fill(y_.begin(), y_.end(), 0.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem_.m); ++i)
    for (auto p = static_cast<std::size_t>(a_.begins[i]); p < static_cast<std::size_t>(a_.begins[i + 1]);
         ++p)
      for (std::size_t j = 0; j < n; ++j)
        y_[i * n + j] +=
            static_cast<double>(a_.values[p]) * b_[static_cast<std::size_t>(a_.columns[p]) * n + j];
}

std::vector<pack::Param<OwnSettings>> OwnSettings::params() {
  return {isa_param<&OwnSettings::isa>()};
}

void OwnSettings::check() const {
  required(find_loops(isa), isa);
}

OwnCsr::OwnCsr(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      loops_(*find_loops(settings.isa)),
      a_(sparse_operand(problem, setup)),
      team_(team_of(setup)),
      shares_(even_shares(a_.begins, team_->threads())),
      b_(dense_operand(setup)),
      y_(setup.output<float>({problem.m, problem.n})) {
  setup.report_work(work_of(problem, kept_of(a_), a_.bytes()));
}

void OwnCsr::run() {
  if (a_.values.empty()) return std::fill(y_.begin(), y_.end(), 0.0F);
  on_each(*team_, team_->threads(), [this](std::int64_t share) {
    const auto at = static_cast<std::size_t>(share);
    loops_.csr({a_.begins.data(), a_.columns.data(), a_.values.data(), b_.data(), y_.data(), problem_.n,
                shares_[at], shares_[at + 1]});
  });
}

std::string OwnCsr::runtime() const {
  return own_runtime(loops_, *team_);
}

std::vector<pack::Param<OwnBsr::Settings>> OwnBsr::Settings::params() {
  return {isa_param<&Settings::isa>(), pack::param<&Settings::format_block>(
                                           {.name = "format_block",
                                            .summary = "rows and columns of a block of the format; 0: as "
                                                       "the pattern has them, 4 where it has none",
                                            .fallback = "0",
                                            .setting = true,
                                            .least = 0,
                                            .most = 128})};
}

void OwnBsr::Settings::check() const {
  required(find_loops(isa), isa);
}

OwnBsr::OwnBsr(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      loops_(*find_loops(settings.isa)),
      team_(team_of(setup)),
      b_(dense_operand(setup)) {
  const Csr given = sparse_operand(problem, setup);
  const std::int64_t of_pattern = problem.block > 1 ? problem.block : kBlockOfUnstructured;
  a_ = bsr_of(given, problem.k, settings.format_block > 0 ? settings.format_block : of_pattern);
  shares_ = even_shares(a_.begins, team_->threads());
  y_ = setup.output<float>({problem.m, problem.n});
  kept_ = kept_of(given);
  setup.report_work(work_of(problem, kept_, a_.bytes()));
}

void OwnBsr::run() {
  if (a_.values.empty()) return std::fill(y_.begin(), y_.end(), 0.0F);
  on_each(*team_, team_->threads(), [this](std::int64_t share) {
    const auto at = static_cast<std::size_t>(share);
    loops_.bsr({a_.begins.data(), a_.columns.data(), a_.values.data(), b_.data(), y_.data(), a_.block,
                problem_.m, problem_.n, problem_.k, shares_[at], shares_[at + 1]});
  });
}

std::string OwnBsr::runtime() const {
  const auto stored = static_cast<double>(a_.values.size());
  return fmt::format("{} block={} filled={:.3f}", own_runtime(loops_, *team_), a_.block,
                     stored > 0 ? static_cast<double>(kept_) / stored : 1.0);
}

}  // namespace kernsweep::spmm
