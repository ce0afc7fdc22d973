// A tensor map in the simulator: the description itself, in the card's 128 bytes' stead.
#pragma once

#include "hw/attributes.h"
#include "hw/tensor_map_spec.h"

namespace tilewright::hw::inline TW_TARGET {

struct alignas(64) TensorMap {
  TensorMapSpec spec;
};

inline Result<TensorMap> encode_tensor_map(const TensorMapSpec& spec) {
  if (Status status = check(spec); !status.ok()) return status;
  return TensorMap{spec};
}

}  // namespace tilewright::hw::inline TW_TARGET
