// A tensor map as the card reads it. The driver's encoder is asked for at run time, so that nothing
// links against the driver.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <string>

#include "hw/attributes.h"
#include "hw/tensor_map_spec.h"

namespace tilewright::hw::inline TW_TARGET {

struct TensorMap {
  CUtensorMap map;
};

inline CUtensorMapDataType driver_type(TensorType type) {
  switch (type) {
    case TensorType::kU8:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case TensorType::kU16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case TensorType::kU32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case TensorType::kS32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case TensorType::kU64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case TensorType::kF16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case TensorType::kBF16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case TensorType::kF32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case TensorType::kTF32:
      return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

inline CUtensorMapSwizzle driver_swizzle(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::kNone:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
    case TensorSwizzle::k32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case TensorSwizzle::k64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case TensorSwizzle::k128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
  }
  return CU_TENSOR_MAP_SWIZZLE_NONE;
}

// cuTensorMapEncodeTiled, or null where the driver has none.
inline auto tensor_map_encoder() {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    constexpr unsigned kSinceCuda = 12000;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &function, kSinceCuda, cudaEnableDefault, &found);
    return error == cudaSuccess ? reinterpret_cast<Encode>(function) : nullptr;
  }();
  return encode;
}

inline Result<TensorMap> encode_tensor_map(const TensorMapSpec& spec) {
  if (Status status = check(spec); !status.ok()) return status;
  const auto encode = tensor_map_encoder();
  if (encode == nullptr) {
    return Status(StatusCode::kNoDevice, "the driver has no tensor maps; 12.0 or newer is needed");
  }
  cuuint64_t extents[kMostTensorRank], strides[kMostTensorRank];
  cuuint32_t box[kMostTensorRank], steps[kMostTensorRank];
  for (int i = 0; i < spec.rank; ++i) {
    extents[i] = static_cast<cuuint64_t>(spec.extents[i]);
    box[i] = static_cast<cuuint32_t>(spec.box[i]);
    steps[i] = static_cast<cuuint32_t>(spec.element_strides[i]);
    if (i > 0) strides[i - 1] = static_cast<cuuint64_t>(spec.strides_bytes[i - 1]);
  }
  TensorMap map;
  const CUresult result = encode(&map.map, driver_type(spec.type),
                                 static_cast<cuuint32_t>(spec.rank), const_cast<void*>(spec.base),
                                 extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 driver_swizzle(spec.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                 spec.nan_fill ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                               : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return map;
  return Status(StatusCode::kDeviceError,
                "cuTensorMapEncodeTiled refuses: CUresult " + std::to_string(result));
}

}  // namespace tilewright::hw::inline TW_TARGET
