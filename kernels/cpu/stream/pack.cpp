// STREAM's loops as the compiler vectorises them, on as many threads as the point requests.
//
// Thread t always has the same part of the arrays, and has written that part of the output first, so with
// several memory controllers the output is near the thread. The host decides where inputs are.
#include <algorithm>
#include <cstddef>

#include "kernels/cpu/parallel/pack_team.hpp"
#include "kernels/cpu/stream/stream.hpp"

namespace kernsweep::stream {
namespace {

class Loop {
 public:
  static void can_run(const Problem& problem) {
    if (problem.non_temporal && !has_non_temporal_stores())
      throw pack::Refused(
          KS_UNSUPPORTED,
          "non_temporal: this processor architecture has no such stores here; set non_temporal: false");
  }

  Loop(const Problem& problem, pack::Setup& setup)
      : problem_(problem),
        team_(team_of(setup)),
        x_(setup.tensor(0).data),
        y_(setup.tensor(setup.inputs() - 1).data),
        z_(setup.output_of(problem.dtype, {problem.n})) {
    can_run(problem);
    on_each(*team_, team_->threads(), [this](std::int64_t part) {
      const std::int64_t size = problem_.element_bytes();
      std::fill(z_.begin() + begin_of(part) * size, z_.begin() + begin_of(part + 1) * size, std::byte{});
    });
  }

  void run() {
    on_each(*team_, team_->threads(), [this](std::int64_t part) {
      compute(problem_, x_, y_, z_.data(), begin_of(part), begin_of(part + 1));
    });
  }

  std::string runtime() const { return tbb_runtime(); }

 private:
  // Parts are multiples of a page (4096 bytes), so that no page or line is written by two threads.
  std::int64_t begin_of(std::int64_t part) const {
    const std::int64_t page = 4096 / problem_.element_bytes();
    const std::int64_t pages = (problem_.n + page - 1) / page;
    return std::min(problem_.n, pages * part / team_->threads() * page);
  }

  Problem problem_;
  std::unique_ptr<Team> team_;
  const void* x_;
  const void* y_;  // x again for one input
  std::span<std::byte> z_;
};

}  // namespace
}  // namespace kernsweep::stream

KERNSWEEP_PACK("stream", KERNSWEEP_PACK_VERSION,
               kernsweep::stream::family_of(kernsweep::pack::variant<kernsweep::stream::Loop>(
                   "loop", "compiler-vectorised, static share of the arrays per thread")))
