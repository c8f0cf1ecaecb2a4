#include "worker/agent/tensor_maker.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <variant>

#include "shared/tensors/arena.hpp"
#include "shared/utf8.hpp"

namespace kernsweep {
namespace {

struct Wanted {
  SlotId slot;
  wire::TensorRequests requests;
  std::optional<int> node;
};
struct Offered {
  SlotId slot;
  wire::ReferenceOffer offer;
};
struct Forgotten {
  SlotId slot;
};
using Task = std::variant<Wanted, Offered, Forgotten>;

Result<TensorSpec> spec_of(const std::string& bytes) {
  wire::TensorSpec told;
  if (!told.ParseFromString(bytes))
    return failure("a slot asked for an operand in a form that cannot be read");
  const auto dtype = dtype_numbered(told.dtype());
  const auto distribution = distribution_numbered(told.distribution());
  if (!dtype || (!distribution && told.file().empty()))
    return failure("a slot asked for an operand of unknown dtype or distribution");
  TensorSpec spec;
  spec.dtype = *dtype;
  spec.shape.assign(told.shape().begin(), told.shape().end());
  spec.distribution = distribution.value_or(Distribution::uniform);
  spec.a = told.a();
  spec.b = told.b();
  spec.fan_in = told.fan_in();
  spec.fan_out = told.fan_out();
  spec.density = told.density();
  spec.seed = told.seed();
  if (!told.file().empty()) spec.file = TensorFile{told.file(), told.file_member(), {}};
  return spec;
}

void place_of(const Placed& placed, std::string summary, wire::TensorPlace& out) {
  out.set_path(placed.path);
  out.set_bytes(placed.bytes);
  out.set_content_hash(placed.content_hash.hex());
  out.set_identity(std::string(placed.identity.view()));
  out.set_summary(std::move(summary));
}

}  // namespace

struct TensorMaker::State {
  State(std::uint64_t budget_bytes, int threads)
      : arena(budget_bytes, threads), announced(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~State() { close(announced); }

  // Only the maker's thread:
  TensorArena arena;
  std::map<SlotId, std::vector<Digest>> pinned;

  const int announced;
  std::mutex mutex;
  std::condition_variable work;
  std::deque<Task> tasks;  // under mutex
  std::vector<Made> made;  // under mutex
  bool ending = false;     // under mutex
  std::thread thread;

  void post(Task task) {
    const std::lock_guard lock(mutex);
    tasks.push_back(std::move(task));
    work.notify_one();
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      work.wait(lock, [this] { return ending || !tasks.empty(); });
      if (ending) return;
      const Task task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      std::visit([this](const auto& each) { perform(each); }, task);
      lock.lock();
    }
  }

  void unpin_all(SlotId slot) {
    for (const Digest& identity : pinned[slot]) arena.unpin(identity);
    pinned.erase(slot);
  }

  void perform(const Forgotten& task) { unpin_all(task.slot); }

  void perform(const Offered& task) {
    const auto identity = digest_from_bytes(task.offer.identity());
    // A reference that cannot be kept is computed again by whoever needs it.
    if (identity) (void)arena.adopt(*identity, task.offer.place().path(), task.offer.place().bytes());
  }

  void perform(const Wanted& task) {
    Made answer{task.slot, {}};
    std::vector<Digest> now_pinned;
    for (const auto& request : task.requests.tensors()) {
      auto spec = spec_of(request.spec());
      auto placed = spec ? arena.obtain(*spec, task.node) : tl::unexpected(spec.error());
      if (!placed) {
        answer.replies.set_error(as_utf8("operand '" + request.name() + "': " + placed.error().message));
        break;
      }
      // The new pins come before the old ones fall: what the next job shares with this one stays.
      arena.pin(placed->identity);
      now_pinned.push_back(placed->identity);
      wire::TensorPlace& place = *answer.replies.add_tensors();
      place_of(*placed, spec->summary(), place);
      if (!spec->file) place.set_generator(std::string(kGenerator));
    }
    if (const auto reference = digest_from_bytes(task.requests.reference())) {
      if (const auto found = arena.find(*reference))
        place_of(*found, "reference", *answer.replies.mutable_reference());
    }
    unpin_all(task.slot);
    pinned[task.slot] = std::move(now_pinned);
    const std::lock_guard lock(mutex);
    made.push_back(std::move(answer));
    const std::uint64_t one = 1;
    const auto written = write(announced, &one, sizeof one);
    (void)written;  // the counter cannot overflow by ones
  }
};

TensorMaker::TensorMaker(std::uint64_t budget_bytes, int threads)
    : state_(std::make_unique<State>(budget_bytes, threads)) {
  state_->thread = std::thread([this] { state_->serve(); });
}

TensorMaker::~TensorMaker() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
    state_->work.notify_one();
  }
  state_->thread.join();
}

void TensorMaker::want(SlotId slot, const wire::TensorRequests& requests, std::optional<int> node) {
  state_->post(Wanted{slot, requests, node});
}
void TensorMaker::adopt(SlotId slot, const wire::ReferenceOffer& offer) {
  state_->post(Offered{slot, offer});
}
void TensorMaker::forget(SlotId slot) {
  state_->post(Forgotten{slot});
}

std::vector<TensorMaker::Made> TensorMaker::take() {
  std::uint64_t count = 0;
  const auto got = read(state_->announced, &count, sizeof count);
  if (got <= 0) return {};
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->made, {});
}

int TensorMaker::descriptor() const {
  return state_->announced;
}

}  // namespace kernsweep
