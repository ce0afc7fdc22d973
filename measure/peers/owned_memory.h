// Memory that a prepared implementation owns for its workspace.
#pragma once

#include <cstddef>
#include <memory>

#include "tilewright/device.h"
#include "tilewright/status.h"

namespace tilewright::measure {

using OwnedMemory = std::unique_ptr<void, void (*)(void*)>;

// Aligned to 256 bytes; on the GPU where the device is one. Null for 0 bytes.
Result<OwnedMemory> allocate_workspace(const DeviceInfo& device, std::size_t bytes);

// The GPU's part, defined for builds with and without CUDA.
Result<OwnedMemory> allocate_on_gpu(const DeviceInfo& device, std::size_t bytes);

}  // namespace tilewright::measure
