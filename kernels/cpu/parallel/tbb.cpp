#include "kernels/cpu/parallel/tbb.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <exception>
#include <string>

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {

// `limit` replaces TBB's own limit, the number of processors in the affinity mask: a point may request more
// threads than cores, to measure the cost of that.
struct Team::Body {
  explicit Body(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads) {
    arena.initialize();
  }
  tbb::global_control limit;
  tbb::task_arena arena;
};

Team::Team(int threads, std::unique_ptr<Body> body) : threads_(threads), body_(std::move(body)) {}
Team::~Team() = default;

std::unique_ptr<Team> Team::make(int threads, ks_status& status, ks_why why) {
  status = KS_OK;
  try {
    auto body = threads > 1 ? std::make_unique<Body>(threads) : nullptr;
    return std::unique_ptr<Team>(new Team(threads > 1 ? threads : 1, std::move(body)));
  } catch (const std::exception& error) {
    status = refuse(
        KS_FAILED, why,
        fmt::format("oneTBB gives no {} threads ({}); ask for fewer, or raise the limit of processes "
                    "(ulimit -u)",
                    threads, error.what()));
    return nullptr;
  }
}

ks_status Team::each(std::int64_t parts, const std::function<void(std::int64_t part)>& body) {
  if (body_ == nullptr) {
    for (std::int64_t part = 0; part < parts; ++part) body(part);
    return KS_OK;
  }
  try {
    body_->arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::int64_t>(0, parts),
          [&](const tbb::blocked_range<std::int64_t>& range) {
            for (std::int64_t part = range.begin(); part < range.end(); ++part) body(part);
          },
          tbb::static_partitioner());
    });
  } catch (const std::exception&) {
    return KS_FAILED;
  }
  return KS_OK;
}

const char* tbb_runtime() {
  static const std::string text = [] {
    const int version = TBB_runtime_interface_version();  // 12080: oneTBB 2021.8
    return fmt::format("oneTBB 2021.{} (interface {})", (version / 10) % 100, version);
  }();
  return text.c_str();
}

}  // namespace kernsweep
