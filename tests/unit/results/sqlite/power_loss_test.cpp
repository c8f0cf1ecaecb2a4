// A thousand losses of power: what commit() has confirmed is there afterwards, the file opens, and no batch
// is there in part. KERNSWEEP_SEED=n runs one life, KERNSWEEP_SEEDS=n changes how many.
#include <cstdlib>
#include <set>

#include "results/sqlite/sqlite.hpp"
#include "tests/unit/results/made.hpp"
#include "tests/unit/results/sqlite/power_loss_vfs.hpp"

namespace kernsweep {
namespace {

using sqlite::Connection;
using sqlite::Row;
using test::Folder;
using test::good;
using test::Job;
using test::PowerLossVfs;
using test::sweep_named;

constexpr int kLossesOfLife = 2;

// Failures after a loss, the worst first.
enum class Failure : std::uint8_t { none = 1, does_not_open, damaged, half, missing, does_not_go_on };

double median_of(std::uint64_t job) {
  return 1e-3 + 1e-6 * static_cast<double>(job);
}

// One database, from one seed.
class Life {
 public:
  Life(std::uint64_t seed, Durability durability, PowerLossVfs::Sync sync, const std::string& begun)
      : durability_(durability), random_(seed), disk_(seed, sync) {
    // Every eighth begins without a file.
    if (seed % 8 != 0) std::filesystem::copy_file(begun, path_);
  }

  // Measures until power is lost, and looks at what is left.
  Failure lose_power() {
    disk_.lose_after(1 + random_() % 160);
    while (!disk_.is_lost() && work()) {
    }
    disk_.restart();
    return judge();
  }

  std::string words;  // of the last objection
  std::uint64_t released() const { return released_.size(); }
  const PowerLossVfs& disk() const { return disk_; }

 private:
  bool chance(int of) { return random_() % static_cast<std::uint64_t>(of) == 0; }

  // A coordinator from its start to its end, if power lasts. False: the database was refused.
  bool work() {
    auto store = Store::open_for_writing(path_, {durability_});
    if (!store) return false;
    const auto begun = store->begin_sweep(sweep_named("s", {"variant", "n"}));
    if (!begun) return false;
    has_begun_ = true;
    do {
      if (!batch(*store, begun->id)) return false;
      // A user opens it with SQLite's shell, which copies the log.
      if (chance(8))
        (void)good(Connection::open(path_, Connection::Mode::create))
            .execute("pragma wal_checkpoint(truncate)");
    } while (!disk_.is_lost() && !chance(6));
    return true;
  }

  bool batch(Store& store, SweepId sweep) {
    std::set<std::uint64_t> jobs;
    for (std::uint64_t count = 1 + random_() % 12; count > 0; --count) {
      Job job(sweep, next_, {"blas", static_cast<std::int64_t>(next_)}, median_of(next_));
      job.record.runtime = chance(3) ? std::string_view("threads 1") : std::string_view("threads 2");
      jobs.insert(next_++);
      in_doubt_ = jobs;
      if (!store.record(job.ready())) return false;
    }
    if (!store.commit()) return false;
    in_doubt_.clear();
    released_.insert(jobs.begin(), jobs.end());
    return true;
  }

  Failure fail(Failure what, std::string why) {
    words = std::move(why);
    return what;
  }

  Failure judge() {
    if (!std::filesystem::exists(path_) && !has_begun_) return Failure::none;
    auto store = Store::open_for_writing(path_, {durability_});
    if (!store) return fail(Failure::does_not_open, store.error().message);
    if (const Failure found = look(); found != Failure::none) return found;
    const auto begun = store->begin_sweep(sweep_named("s", {"variant", "n"}));
    if (!begun) return fail(Failure::does_not_go_on, begun.error().message);
    if (!batch(*store, begun->id)) return fail(Failure::does_not_go_on, "a batch is refused");
    return Failure::none;
  }

  Failure look() {
    Connection database = good(Connection::open(path_, Connection::Mode::read));
    auto check = database.prepare("pragma integrity_check");
    if (!check || check->step() != sqlite::Step::row) return fail(Failure::damaged, "cannot be checked");
    if (check->text(0) != "ok") return fail(Failure::damaged, std::string(check->text(0)));
    std::set<std::uint64_t> there;
    std::uint64_t half = 0;
    const auto looked = database.each_row(
        {"o.job", "o.median_s", "a.median_s", "length(s.seconds)", "t.content"},
        "from outcome o left join attempt_row a using (result) left join sample s using (result) left join "
        "text t on t.id = a.runtime",
        [&](const Row& row) {
          const auto job = static_cast<std::uint64_t>(row.integer(0));
          there.insert(job);
          const bool whole = row.real(1) == median_of(job) && row.real(2) == median_of(job) &&
                             row.integer(3) == 16 && row.text(4).starts_with("threads ");
          half += whole ? 0 : 1;
        });
    if (!looked) return fail(Failure::damaged, looked.error().message);
    if (half > 0) return fail(Failure::half, std::to_string(half) + " rows are there in part");
    const auto in_doubt = static_cast<std::size_t>(
        std::ranges::count_if(in_doubt_, [&](std::uint64_t job) { return there.contains(job); }));
    if (in_doubt != 0 && in_doubt != in_doubt_.size())
      return fail(Failure::half,
                  std::to_string(in_doubt) + " rows of a batch of " + std::to_string(in_doubt_.size()));
    if (in_doubt != 0) released_.insert(in_doubt_.begin(), in_doubt_.end());
    in_doubt_.clear();
    if (there != released_)
      return fail(Failure::missing, std::to_string(there.size()) + " rows, but " +
                                        std::to_string(released_.size()) + " were released");
    return Failure::none;
  }

  const Durability durability_;
  Folder folder_;
  const std::string path_ = folder_.file("r.db");
  std::mt19937_64 random_;
  PowerLossVfs disk_;
  std::uint64_t next_ = 0;
  bool has_begun_ = false;
  std::set<std::uint64_t> released_, in_doubt_;
};

struct PowerLoss : testing::Test {
  Folder folder;
  std::string begun = folder.file("begun.db");
  inline static std::string former_folder;

  // In memory where there is room for that: a disk would only make it slow.
  static void SetUpTestSuite() {
    if (const char* former = std::getenv("TMPDIR")) former_folder = former;
    if (std::filesystem::exists("/dev/shm")) setenv("TMPDIR", "/dev/shm", 1);
  }
  static void TearDownTestSuite() {
    former_folder.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", former_folder.c_str(), 1);
  }

  void SetUp() override {
    Store store = good(Store::open_for_writing(begun));
    (void)good(store.begin_sweep(sweep_named("s", {"variant", "n"})));
  }

  // How often each objection is made.
  std::map<Failure, int> failures(int lives, Durability durability, PowerLossVfs::Sync sync) {
    std::map<Failure, int> made;
    for (int seed = 1; seed <= lives; ++seed) {
      Life life(static_cast<std::uint64_t>(seed), durability, sync, begun);
      for (int loss = 0; loss < kLossesOfLife; ++loss) {
        const Failure failure = life.lose_power();
        ++made[failure];
        if (failure != Failure::none) break;
      }
    }
    return made;
  }
};

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST_F(PowerLoss, LosesNothingThatWasReleasedAndLeavesNothingHalf) {
  std::uint64_t first = 1, count = number_from("KERNSWEEP_SEEDS", 200);
  if (std::getenv("KERNSWEEP_SEED")) first = number_from("KERNSWEEP_SEED", 1), count = 1;
  std::uint64_t losses = 0, rows = 0, dropped = 0, torn = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Life life(seed, Durability::power_loss, PowerLossVfs::Sync::honest, begun);
    for (int loss = 0; loss < kLossesOfLife; ++loss, ++losses)
      ASSERT_EQ(life.lose_power(), Failure::none)
          << life.words << "; loss " << loss + 1 << ", run it alone with KERNSWEEP_SEED=" << seed;
    rows += life.released();
    dropped += life.disk().writes_dropped();
    torn += life.disk().writes_torn();
  }
  std::printf("%llu losses of power, %llu rows released; %llu writes lost and %llu torn\n",
              static_cast<unsigned long long>(losses), static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(dropped), static_cast<unsigned long long>(torn));
  if (count >= 100) {
    EXPECT_GT(dropped, count);
    EXPECT_GT(torn, count);
  }
}

// These two show that the lives above could have failed.

TEST_F(PowerLoss, LosesRowsThatWereOnlyToSurviveACrashOfTheProcess) {
  const auto made = failures(50, Durability::process_crash, PowerLossVfs::Sync::honest);
  EXPECT_GE(made.count(Failure::missing), 1U);
  for (const auto& [failure, times] : made)
    EXPECT_THAT(failure, testing::AnyOf(Failure::none, Failure::missing)) << times << " times";
}

TEST_F(PowerLoss, OnADiskThatDoesNotSyncDestroysFiles) {
  const auto made = failures(50, Durability::power_loss, PowerLossVfs::Sync::ignored);
  EXPECT_GE(made.count(Failure::missing), 1U);
  EXPECT_GE(made.count(Failure::does_not_open) + made.count(Failure::damaged), 1U);
}

}  // namespace
}  // namespace kernsweep
