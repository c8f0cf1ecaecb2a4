#include "worker/slot/watch/effective_clock.hpp"

#include <algorithm>
#include <vector>

namespace kernsweep {
namespace {

// Each round makes 64 additions.
[[maybe_unused]] constexpr std::uint64_t kRounds = kClockAdditions / 64;

#if defined(__x86_64__)
constexpr bool kChainKnown = true;
void add_in_a_chain() {
  std::uint64_t sum = 0;
  const std::uint64_t one = 1;
  for (std::uint64_t round = 0; round < kRounds; ++round)
    asm volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
}
#elif defined(__aarch64__)
constexpr bool kChainKnown = true;
void add_in_a_chain() {
  std::uint64_t sum = 0;
  const std::uint64_t one = 1;
  for (std::uint64_t round = 0; round < kRounds; ++round)
    asm volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(one));
}
#else
constexpr bool kChainKnown = false;
void add_in_a_chain() {}
#endif

double one_try() {
  const Instant start = monotonic_now();
  add_in_a_chain();
  return clock_ghz_of(kClockAdditions, monotonic_now() - start);
}

}  // namespace

double clock_ghz_of(std::uint64_t additions, Duration took) {
  return took > Duration::zero() ? static_cast<double>(additions) / static_cast<double>(took.count()) : 0;
}

double effective_clock_ghz(double expected_ghz) {
  constexpr double kLooksSlow = 0.97;
  if (!kChainKnown) return 0;
  const double first = one_try();
  return first < kLooksSlow * expected_ghz ? std::max(first, one_try()) : first;
}

void ClockStability::add(double ghz) {
  last_.push_back(ghz);
  if (last_.size() > kProbes) last_.pop_front();
}

bool ClockStability::stable() const {
  if (last_.size() < kProbes) return false;
  const auto [low, high] = std::minmax_element(last_.begin(), last_.end());
  return *high - *low <= kSpread * *high;
}

double ClockStability::reference_ghz() const {
  std::vector<double> known(last_.begin(), last_.end());
  std::erase_if(known, [](double ghz) { return ghz <= 0; });
  if (known.empty()) return 0;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

}  // namespace kernsweep
