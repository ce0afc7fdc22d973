#include "hw/sim/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

extern "C" void tw_fiber_switch(void** save_to, void* load);
extern "C" void tw_fiber_begin();

namespace tilewright::hw::sim {
namespace {

// Without the sanitizer these are nothing.
void before_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                   [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
#endif
}
void after_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** from_bottom,
                  [[maybe_unused]] std::size_t* from_bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, from_bottom, from_bytes);
#endif
}
// Frames left without being unwound leave their marks, for whoever gets the addresses next.
void forget_marks([[maybe_unused]] const std::byte* stack, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(stack, bytes);
#endif
}

}  // namespace

Stacks::~Stacks() {
  for (const Region& region : regions_) {
    forget_marks(region.data, region.bytes);
    munmap(region.data, region.bytes);
  }
}

bool Stacks::reserve(std::size_t count) {
  if (count <= bottoms_.size()) return true;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t each = kBytes + page, more = count - bottoms_.size();
  void* const data = mmap(nullptr, more * each, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return false;
  auto* const bytes = static_cast<std::byte*>(data);
  regions_.push_back({bytes, more * each});
  for (std::size_t i = 0; i < more; ++i) {
    if (mprotect(bytes + i * each, page, PROT_NONE) != 0) return false;
    bottoms_.push_back(bytes + i * each + page);
  }
  return true;
}

std::byte* Stacks::bottom(std::size_t index) const {
  return bottoms_[index];
}

void Fiber::start(std::byte* stack_bottom, Body body, void* argument) {
  bottom_ = stack_bottom;
  body_ = body;
  argument_ = argument;
  fake_stack_ = nullptr;
  forget_marks(stack_bottom, Stacks::kBytes);
  // What tw_fiber_switch takes up: six registers and an address to return to. On entry of
  // tw_fiber_begin the stack pointer is a multiple of 16, so that its call aligns the callee.
  auto* top = reinterpret_cast<std::uintptr_t*>(stack_bottom + Stacks::kBytes);
  top -= 2;
  *--top = reinterpret_cast<std::uintptr_t>(&tw_fiber_begin);
  *--top = 0;                                         // rbp
  *--top = reinterpret_cast<std::uintptr_t>(this);    // rbx
  *--top = reinterpret_cast<std::uintptr_t>(&enter);  // r12
  for (int i = 0; i < 3; ++i) *--top = 0;             // r13, r14, r15
  stack_pointer_ = top;
}

void Fiber::enter(Fiber* self) {
  after_switch(nullptr, &self->scheduler_bottom_, &self->scheduler_bytes_);
  self->body_(self->argument_);
  invariant_broken("a fiber's body returned");
}

void Fiber::resume() {
  before_switch(&scheduler_fake_stack_, bottom_, Stacks::kBytes);
  tw_fiber_switch(&scheduler_pointer_, stack_pointer_);
  after_switch(scheduler_fake_stack_, nullptr, nullptr);
}

void Fiber::pause() {
  before_switch(&fake_stack_, scheduler_bottom_, scheduler_bytes_);
  tw_fiber_switch(&stack_pointer_, scheduler_pointer_);
  after_switch(fake_stack_, &scheduler_bottom_, &scheduler_bytes_);
}

void Fiber::leave() {
  before_switch(nullptr, scheduler_bottom_, scheduler_bytes_);
  tw_fiber_switch(&stack_pointer_, scheduler_pointer_);
  std::abort();
}

}  // namespace tilewright::hw::sim
