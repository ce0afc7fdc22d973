// Atomics and flags, simulated. Clusters run on several OS threads, so those on global memory are
// the host's own; nothing is learnt of other threads through them but the value.
#pragma once

#include <atomic>
#include <cstdint>

#include "hw/attributes.h"
#include "hw/global.h"
#include "hw/shared.h"

namespace tilewright::hw::sim {

template <class T>
std::atomic_ref<T> global_atomic(Global<T> target, Site at) {
  Machine::now().check_global(target.data, sizeof(T), sizeof(T), true, at);
  Machine::now().poll(at);  // it may be asked in a loop, and what it waits for must go on
  return std::atomic_ref<T>(*target.data);
}
// Fibers of one block take turns, so reading and writing is one step; the shadow must not see two
// atomics as a race.
template <class T, class Update>
T update_shared(Shared<T> target, Update update, Site at) {
  Machine& machine = Machine::now();
  T* const value = reinterpret_cast<T*>(
      machine.shared_for_update(*machine.self().block, target.offset, sizeof(T), at));
  const T old = *value;
  *value = update(old);
  return old;
}

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE unsigned atomic_add(Global<unsigned> target, unsigned value,
                              sim::Site at = sim::Site::current()) {
  return sim::global_atomic(target, at).fetch_add(value);
}
TW_DEVICE float atomic_add(Global<float> target, float value, sim::Site at = sim::Site::current()) {
  return sim::global_atomic(target, at).fetch_add(value);
}
TW_DEVICE unsigned atomic_exchange(Global<unsigned> target, unsigned value,
                                   sim::Site at = sim::Site::current()) {
  return sim::global_atomic(target, at).exchange(value);
}
TW_DEVICE unsigned atomic_max(Global<unsigned> target, unsigned value,
                              sim::Site at = sim::Site::current()) {
  const auto atomic = sim::global_atomic(target, at);
  unsigned old = atomic.load();
  while (old < value && !atomic.compare_exchange_weak(old, value)) {
  }
  return old;
}
TW_DEVICE unsigned atomic_compare_exchange(Global<unsigned> target, unsigned expected,
                                           unsigned desired, sim::Site at = sim::Site::current()) {
  sim::global_atomic(target, at).compare_exchange_strong(expected, desired);
  return expected;
}

TW_DEVICE unsigned atomic_add(Shared<unsigned> target, unsigned value,
                              sim::Site at = sim::Site::current()) {
  return sim::update_shared(
      target, [=](unsigned old) { return old + value; }, at);
}
TW_DEVICE float atomic_add(Shared<float> target, float value, sim::Site at = sim::Site::current()) {
  return sim::update_shared(
      target, [=](float old) { return old + value; }, at);
}
TW_DEVICE unsigned atomic_exchange(Shared<unsigned> target, unsigned value,
                                   sim::Site at = sim::Site::current()) {
  return sim::update_shared(
      target, [=](unsigned) { return value; }, at);
}
TW_DEVICE unsigned atomic_max(Shared<unsigned> target, unsigned value,
                              sim::Site at = sim::Site::current()) {
  return sim::update_shared(
      target, [=](unsigned old) { return old < value ? value : old; }, at);
}
TW_DEVICE unsigned atomic_compare_exchange(Shared<unsigned> target, unsigned expected,
                                           unsigned desired, sim::Site at = sim::Site::current()) {
  return sim::update_shared(
      target, [=](unsigned old) { return old == expected ? desired : old; }, at);
}

TW_DEVICE unsigned load_acquire(Global<const unsigned> source,
                                sim::Site at = sim::Site::current()) {
  sim::Machine::now().check_global(source.data, 4, 4, false, at);
  sim::Machine::now().poll(at);
  return std::atomic_ref<unsigned>(*const_cast<unsigned*>(source.data)).load();
}
TW_DEVICE void store_release(Global<unsigned> target, unsigned value,
                             sim::Site at = sim::Site::current()) {
  sim::global_atomic(target, at).store(value);
}

// They order global memory, which the simulator does not follow.
TW_DEVICE void thread_fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
TW_DEVICE void thread_fence_block() {}

}  // namespace tilewright::hw::inline TW_TARGET
