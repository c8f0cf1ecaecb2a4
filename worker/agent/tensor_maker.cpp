#include "worker/agent/tensor_maker.hpp"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <variant>

#include "shared/tensors/tensor_answers.hpp"

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

bool complete(const wire::TensorRequests& wanted, const wire::TensorReplies& replies) {
  if (replies.tensors_size() != wanted.tensors_size()) return false;
  for (int i = 0; i < wanted.tensors_size(); ++i) {
    if (static_cast<std::uint32_t>(replies.tensors(i).copies_size()) != wanted.tensors(i).copies())
      return false;
  }
  return true;
}

}  // namespace

struct TensorMaker::State {
  State(WakeUp wake, std::uint64_t budget_bytes, int threads)
      : arena(budget_bytes, threads), announced(std::move(wake)) {}

  // Only the maker's thread:
  TensorArena arena;
  std::map<SlotId, TensorPins> pinned;

  const WakeUp announced;
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
    unpin(arena, pinned[slot]);
    pinned.erase(slot);
  }

  // The new pins come before the old ones fall: what the next job shares with this one stays.
  void answer_in_place(const Wanted& task, wire::TensorReplies& replies) {
    replies.Clear();
    TensorPins now_pinned = answer(arena, task.requests, task.node, replies);
    unpin_all(task.slot);
    pinned[task.slot] = std::move(now_pinned);
  }

  void perform(const Forgotten& task) { unpin_all(task.slot); }

  void perform(const Offered& task) { keep(arena, task.offer); }

  void perform(const Wanted& task) {
    Made made_now{task.slot, {}};
    answer_in_place(task, made_now.replies);
    // What the slot had before may be why there was no room: once more without it. Then without references:
    // who finds another tensor in the place of one computes it (Reference::adopt).
    if (!complete(task.requests, made_now.replies)) answer_in_place(task, made_now.replies);
    if (!complete(task.requests, made_now.replies)) {
      for (auto& [slot, pins] : pinned) unpin_reference(arena, pins);
      answer_in_place(task, made_now.replies);
    }
    const std::lock_guard lock(mutex);
    made.push_back(std::move(made_now));
    announced.wake();
  }
};

TensorMaker::TensorMaker(WakeUp made, std::uint64_t budget_bytes, int threads)
    : state_(std::make_unique<State>(std::move(made), budget_bytes, threads)) {
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
  if (!state_->announced.take_up()) return {};
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->made, {});
}

int TensorMaker::descriptor() const {
  return state_->announced.descriptor();
}

}  // namespace kernsweep
