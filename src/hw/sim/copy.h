// Copies of 16 bytes, simulated: at once through registers, some time for cp.async.
#pragma once

#include <cstring>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/global.h"
#include "hw/shared.h"
#include "hw/sim/synchronisation.h"

namespace tilewright::hw::sim {

void copy_async(std::uint32_t target, const void* source, int source_bytes, Site at);

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE Vec16 load_16_or_zero(Global<const T> source, int bytes,
                                sim::Site at = sim::Site::current()) {
  Vec16 v = {};
  if (bytes > 0) {
    const std::int64_t alignment = bytes == 16 ? 16 : 2;
    sim::Machine::now().check_global(source.data, bytes, alignment, false, at);
    std::memcpy(&v, source.data, static_cast<std::size_t>(bytes));
  }
  return v;
}
template <class T>
TW_DEVICE void store_16(Global<T> target, const Vec16& v, sim::Site at = sim::Site::current()) {
  sim::Machine::now().check_global(target.data, 16, 16, true, at);
  std::memcpy(target.data, &v, 16);
}
template <class T>
TW_DEVICE void store_16(Shared<T> target, const Vec16& v, sim::Site at = sim::Site::current()) {
  sim::Machine& machine = sim::Machine::now();
  std::memcpy(machine.shared_for_write(*machine.self().block, target.offset, 16, at), &v, 16);
}
template <class T>
TW_DEVICE Vec16 load_16(Shared<T> source, sim::Site at = sim::Site::current()) {
  sim::Machine& machine = sim::Machine::now();
  Vec16 v;
  std::memcpy(&v, machine.shared_for_read(*machine.self().block, source.offset, 16, at), 16);
  return v;
}
TW_DEVICE void load_eight(float (&values)[8], Shared<float> source,
                          sim::Site at = sim::Site::current()) {
  const Vec16 low = load_16(source, at), high = load_16(source + 4, at);
  std::memcpy(values, &low, 16);
  std::memcpy(values + 4, &high, 16);
}
TW_DEVICE void store_8(Global<float> target, float low, float high,
                       sim::Site at = sim::Site::current()) {
  sim::Machine::now().check_global(target.data, 8, 8, true, at);
  target.data[0] = low;
  target.data[1] = high;
}

template <class T>
TW_DEVICE void cp_async_16(Shared<T> target, Global<const T> source, int source_bytes,
                           sim::Site at = sim::Site::current()) {
  sim::copy_async(target.offset, source.data, source_bytes, at);
}
template <class T>
TW_DEVICE void cp_async_16_if(Shared<T> target, Global<const T> source, bool read,
                              sim::Site at = sim::Site::current()) {
  sim::copy_async(target.offset, source.data, read ? 16 : 0, at);
}
TW_DEVICE void cp_async_commit(sim::Site at = sim::Site::current()) {
  sim::commit_copies(at);
}
template <int kPending>
TW_DEVICE void cp_async_wait(sim::Site at = sim::Site::current()) {
  sim::wait_copies(kPending, at);
}

}  // namespace tilewright::hw::inline TW_TARGET
