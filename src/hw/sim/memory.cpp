// Which bytes a thread may touch.
#include <fmt/format.h>

#include "hw/sim/machine.h"

namespace tilewright::hw::sim {

void Machine::check_shared(const Block& block, std::uint32_t offset, std::uint32_t bytes,
                           std::uint32_t alignment, const char* does, Site at) {
  if (offset % alignment != 0) {
    fail(at, fmt::format("{} {} bytes at shared byte {}, which is no multiple of {}", does, bytes,
                         offset, alignment));
  }
  if (offset > block.memory.size() || bytes > block.memory.size() - offset) {
    fail(at, fmt::format("{} shared bytes {}..{}, outside the {} that the launch gave block {}",
                         does, static_cast<std::int32_t>(offset),
                         static_cast<std::int64_t>(static_cast<std::int32_t>(offset)) + bytes - 1,
                         block.memory.size(), block.index));
  }
}

std::byte* Machine::shared_for_read(Block& block, std::uint32_t offset, std::uint32_t bytes,
                                    Site at) {
  check_shared(block, offset, bytes, bytes, "reads", at);
  fail_if(at, block.shadow.read(self().actor(), {offset, bytes}, at));
  return block.memory.data() + offset;
}

std::byte* Machine::shared_for_write(Block& block, std::uint32_t offset, std::uint32_t bytes,
                                     Site at) {
  check_shared(block, offset, bytes, bytes, "overwrites", at);
  fail_if(at, block.shadow.write(self().actor(), {offset, bytes}, at));
  return block.memory.data() + offset;
}

std::byte* Machine::shared_for_update(Block& block, std::uint32_t offset, std::uint32_t bytes,
                                      Site at) {
  check_shared(block, offset, bytes, bytes, "updates", at);
  fail_if(at, block.shadow.update(self().actor(), {offset, bytes}, at));
  return block.memory.data() + offset;
}

void Machine::check_global(const void* data, std::int64_t bytes, std::int64_t alignment,
                           bool writes, Site at) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const char* const does = writes ? "writes" : "reads";
  if (address % static_cast<std::uintptr_t>(alignment) != 0) {
    fail(at, fmt::format("{} {} bytes of global memory at an address that is no multiple of {}",
                         does, bytes, alignment));
  }
  const MemoryRange* nearest = nullptr;
  std::int64_t distance = 0;
  for (const MemoryRange& range : grid_->memory) {
    const auto start = reinterpret_cast<std::uintptr_t>(range.data);
    const auto offset = static_cast<std::int64_t>(address - start);
    if (offset >= 0 && offset + bytes <= range.bytes) {
      if (!writes || range.writable) return;
      nearest = &range;
      distance = 0;
      break;
    }
    const std::int64_t outside = offset < 0 ? -offset : offset - range.bytes + bytes;
    if (nearest == nullptr || outside < distance) {
      nearest = &range;
      distance = outside;
    }
  }
  if (nearest == nullptr) {
    fail(at, fmt::format("{} {} bytes of global memory; the launch was given none", does, bytes));
  }
  const auto offset =
      static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(nearest->data));
  fail(at,
       fmt::format("{} {} bytes at byte {} of {}, which has {} bytes{}", does, bytes, offset,
                   nearest->name, nearest->bytes, distance == 0 ? " and is only to be read" : ""));
}

}  // namespace tilewright::hw::sim
