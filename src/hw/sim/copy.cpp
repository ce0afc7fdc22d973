#include "hw/sim/copy.h"

#include <fmt/format.h>

namespace tilewright::hw::sim {

void copy_async(std::uint32_t target, const void* source, int source_bytes, Site at) {
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  self.last = at;
  if (source_bytes < 0 || source_bytes > 16) {
    machine.fail(at,
                 fmt::format("cp.async is to read {} bytes; 0 to 16 can be read", source_bytes));
  }
  machine.check_shared(*self.block, target, 16, 16, "overwrites", at);
  if (reinterpret_cast<std::uintptr_t>(source) % 16 != 0) {
    machine.fail(at, "cp.async reads from an address that is no multiple of 16");
  }
  std::vector<Piece> pieces;
  const auto read = static_cast<std::uint32_t>(source_bytes);
  if (read > 0) {
    machine.check_global(source, source_bytes, 16, false, at);
    pieces.push_back({target, read, static_cast<std::byte*>(const_cast<void*>(source))});
  }
  if (read < 16) pieces.push_back({target + read, 16 - read, nullptr});
  const auto copy =
      std::make_shared<AsyncWrite>(machine, *self.block, std::move(pieces), Proxy::kGeneric, at);
  const SimCopies when = machine.grid().sim->copies;
  if (when == SimCopies::kEarly || (when == SimCopies::kRandom && machine.draw(2) == 0)) {
    copy->land();
  }
  self.copies.open.push_back(copy);
}

}  // namespace tilewright::hw::sim
