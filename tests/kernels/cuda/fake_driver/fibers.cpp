#include "tests/kernels/cuda/fake_driver/fibers.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define KERNSWEEP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KERNSWEEP_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define KERNSWEEP_TSAN 1
#endif
#endif
#if defined(KERNSWEEP_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(KERNSWEEP_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace kernsweep::testing::fake_cuda {

struct Fiber::Stack {
  // Sanitizers clear their state of the whole stack at each switch: a larger stack takes minutes.
  static constexpr std::size_t kBytes = 64 << 10;
  static constexpr std::size_t kGuardBytes = 4096;  // below it, not to be touched

  void* memory = nullptr;
  ucontext_t context{}, resumer{};
  const std::function<void()>* function = nullptr;
  bool over = true;
  // What sanitizers need for a switch of stacks.
  const void* resumer_stack = nullptr;
  std::size_t resumer_stack_bytes = 0;
  void *fake = nullptr, *resumer_fake = nullptr;
  void *tsan = nullptr, *resumer_tsan = nullptr;

  void arrived() {
#if defined(KERNSWEEP_ASAN)
    __sanitizer_finish_switch_fiber(fake, &resumer_stack, &resumer_stack_bytes);
#endif
  }

  void leave() {
#if defined(KERNSWEEP_ASAN)
    __sanitizer_start_switch_fiber(over ? nullptr : &fake, resumer_stack, resumer_stack_bytes);
#endif
#if defined(KERNSWEEP_TSAN)
    __tsan_switch_to_fiber(resumer_tsan, 0);
#endif
    swapcontext(&context, &resumer);
    arrived();
  }

  void enter() {
#if defined(KERNSWEEP_ASAN)
    __sanitizer_start_switch_fiber(&resumer_fake, memory, kBytes);
#endif
#if defined(KERNSWEEP_TSAN)
    resumer_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan, 0);
#endif
    swapcontext(&resumer, &context);
#if defined(KERNSWEEP_ASAN)
    __sanitizer_finish_switch_fiber(resumer_fake, nullptr, nullptr);
#endif
  }

  static Stack* running;

  static void run() {
    Stack& here = *running;
    here.arrived();
    (*here.function)();
    here.over = true;
    here.leave();
  }
};

Fiber::Stack* Fiber::Stack::running = nullptr;

Fiber::Fiber() : stack_(std::make_unique<Stack>()) {
  void* const mapping = mmap(nullptr, Stack::kGuardBytes + Stack::kBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED || mprotect(mapping, Stack::kGuardBytes, PROT_NONE) != 0) {
    std::fprintf(stderr, "no memory for the stack of a thread\n");
    std::abort();
  }
  stack_->memory = static_cast<char*>(mapping) + Stack::kGuardBytes;
}

Fiber::~Fiber() {
  munmap(static_cast<char*>(stack_->memory) - Stack::kGuardBytes, Stack::kGuardBytes + Stack::kBytes);
#if defined(KERNSWEEP_TSAN)
  if (stack_->tsan != nullptr) __tsan_destroy_fiber(stack_->tsan);
#endif
}

void Fiber::start(const std::function<void()>& function) {
  stack_->function = &function;
  stack_->over = false;
  stack_->fake = nullptr;
#if defined(KERNSWEEP_TSAN)
  if (stack_->tsan != nullptr) __tsan_destroy_fiber(stack_->tsan);
  stack_->tsan = __tsan_create_fiber(0);
#endif
  getcontext(&stack_->context);
  stack_->context.uc_stack.ss_sp = stack_->memory;
  stack_->context.uc_stack.ss_size = Stack::kBytes;
  makecontext(&stack_->context, &Stack::run, 0);
}

void Fiber::go_on() {
  Stack* const before = Stack::running;
  Stack::running = stack_.get();
  stack_->enter();
  Stack::running = before;
}

bool Fiber::is_over() const {
  return stack_->over;
}

void Fiber::give_up() {
  Stack::running->leave();
}

}  // namespace kernsweep::testing::fake_cuda
