// What a tensor-core instruction computes. All products of one instruction are summed in double,
// which is exact or nearly so, added to the accumulator and rounded once to nearest. Cards sum with
// fewer bits and cut them off; the conformance run states by how much they may differ.
#pragma once

#include <cstdint>
#include <span>

namespace tilewright::hw::sim {

enum class ProductType : std::uint8_t { kF16, kBF16, kTF32, kE4M3, kE5M2, kS8 };

constexpr int element_bytes(ProductType type) {
  switch (type) {
    case ProductType::kF16:
    case ProductType::kBF16:
      return 2;
    case ProductType::kTF32:
      return 4;
    default:
      return 1;
  }
}

// m a multiple of 2 and n of 8, as every instruction has them; k at most 32.
struct ProductShape {
  int m, n, k;
};

// d [m][n] += a [m][k] * b [n][k]; elements of a and b as their bits, in a word each.
void add_products(ProductType type, ProductShape shape, std::span<float> d,
                  std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
// The same for int8, with 32 bits that wrap around.
void add_integer_products(ProductShape shape, std::span<std::int32_t> d,
                          std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace tilewright::hw::sim
