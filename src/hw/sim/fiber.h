// Fibers: threads that are switched by hand, in some 10 ns. x86-64, System V.
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright::hw::sim {

// A pool of stacks of one size with a page at the lower end that may not be touched. Only pages
// that are used cost memory.
class Stacks {
 public:
  static constexpr std::size_t kBytes = 256 << 10;

  Stacks() = default;
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  // The lowest usable byte of stack `index`; false from reserve() when memory is refused.
  bool reserve(std::size_t count);
  std::byte* bottom(std::size_t index) const;

 private:
  struct Region {
    std::byte* data;
    std::size_t bytes;
  };
  std::vector<Region> regions_;
  std::vector<std::byte*> bottoms_;
};

class Fiber {
 public:
  using Body = void (*)(void* argument);

  // Ready to run `body(argument)` from its beginning, which must never return: its last act is
  // leave(). Whatever ran on the stack before is forgotten without being unwound.
  void start(std::byte* stack_bottom, Body body, void* argument);
  // From the scheduler into the fiber, until it calls pause() or leave().
  void resume();
  // From inside the fiber back to the scheduler.
  void pause();
  [[noreturn]] void leave();

 private:
  static void enter(Fiber* self);
  void* stack_pointer_ = nullptr;
  void* scheduler_pointer_ = nullptr;
  std::byte* bottom_ = nullptr;
  Body body_ = nullptr;
  void* argument_ = nullptr;
  // What AddressSanitizer wants to know of both sides.
  void* fake_stack_ = nullptr;
  void* scheduler_fake_stack_ = nullptr;
  const void* scheduler_bottom_ = nullptr;
  std::size_t scheduler_bytes_ = 0;
};

}  // namespace tilewright::hw::sim
