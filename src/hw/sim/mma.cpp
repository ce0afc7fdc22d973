#include "hw/sim/mma.h"

#include <array>
#include <cstring>

#include "hw/sim/fragments.h"

namespace tilewright::hw::sim {
namespace {

struct Operands {
  void* d;
  const std::uint32_t* a;
  std::uint32_t b[2];
};

std::uint32_t element_of(std::uint32_t word, int part, int bytes) {
  return bytes == 4 ? word : word >> part * bytes * 8 & ((1u << bytes * 8) - 1);
}

void multiply(ProductType type, std::span<Operands*> lanes) {
  const int bytes = element_bytes(type), k = 32 / bytes;
  constexpr int kMostK = 32;
  std::array<std::uint32_t, 16 * kMostK> a;
  std::array<std::uint32_t, 8 * kMostK> b;
  std::array<float, 16 * 8> sums;
  std::array<std::int32_t, 16 * 8> integers;
  const auto index = [](int row, int columns, int column) {
    return static_cast<std::size_t>(row * columns + column);
  };
  for (int lane = 0; lane < 32; ++lane) {
    const Operands& own = *lanes[static_cast<std::size_t>(lane)];
    for (int part = 0; part < 4 / bytes; ++part) {
      for (int word = 0; word < 4; ++word) {
        const Position at = mma_a(lane, word, part, bytes);
        a[index(at.row, k, at.column)] = element_of(own.a[word], part, bytes);
      }
      for (int word = 0; word < 2; ++word) {
        const Position at = mma_b(lane, word, part, bytes);
        b[index(at.column, k, at.row)] = element_of(own.b[word], part, bytes);
      }
    }
  }
  // Both ways between the lanes' registers and one matrix; `sums` and `integers` are alike but in
  // type.
  const auto each_sum = [&](auto move) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        const Position at = mma_d(lane, i);
        const std::size_t to = index(at.row, 8, at.column);
        void* const kept = type == ProductType::kS8 ? static_cast<void*>(&integers[to]) : &sums[to];
        move(static_cast<std::uint32_t*>(lanes[static_cast<std::size_t>(lane)]->d) + i, kept);
      }
    }
  };
  each_sum([](const void* registers, void* kept) { std::memcpy(kept, registers, 4); });
  const ProductShape shape = {16, 8, k};
  const auto used = static_cast<std::size_t>(k);
  if (type == ProductType::kS8) {
    add_integer_products(shape, integers, std::span(a).first(16 * used),
                         std::span(b).first(8 * used));
  } else {
    add_products(type, shape, sums, std::span(a).first(16 * used), std::span(b).first(8 * used));
  }
  each_sum([](void* registers, const void* kept) { std::memcpy(registers, kept, 4); });
}

}  // namespace

void mma(ProductType type, const char* instruction, void* d, const std::uint32_t (&a)[4],
         std::uint32_t b0, std::uint32_t b1, Site at) {
  Operands mine{d, a, {b0, b1}};
  Machine::now().meet_warp(instruction, at, mine,
                           [&](std::span<Operands*> lanes) { multiply(type, lanes); });
}

}  // namespace tilewright::hw::sim
