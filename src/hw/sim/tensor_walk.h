// What one TMA instruction touches: which bytes of shared memory belong to which bytes of the
// tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/sim/async.h"
#include "hw/tensor_map_spec.h"

namespace tilewright::hw::sim {

// The pieces of the box whose first element has coordinates `at` (dimension 0 first), at
// `shared_address` of the 32-bit window; the pieces' own offsets count from `window_start`. What
// lies outside the tensor has no global address and the fill that the map asks for. Stores judge by
// whole 16 bytes of the contiguous dimension.
std::vector<Piece> walk_box(const TensorMapSpec& spec, const int* at, std::uint32_t shared_address,
                            std::uint32_t window_start, bool stores);

}  // namespace tilewright::hw::sim
