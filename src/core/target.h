// What the text of a kernel is compiled for.
#pragma once

#include <cstdint>

namespace tilewright {

enum class Target : std::uint8_t { kCuda, kSim };

}  // namespace tilewright
