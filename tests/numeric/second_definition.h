// Small float formats once more, written differently from src/numeric: values by ldexp in double,
// rounding by looking for the nearest value in the list of all values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilewright::second {

enum class Top { kInfinityAndNaN, kOneNaN, kFinite };  // what the highest exponent holds

class Format {
 public:
  Format(int exponent_bits, int mantissa_bits, Top top)
      : exponent_bits_(exponent_bits), mantissa_bits_(mantissa_bits), top_(top) {
    // One value past the largest finite one, as though the exponents went on: overflow begins at
    // the middle between the two.
    for (std::uint32_t code = 0; code <= largest_finite() + 1; ++code) {
      magnitudes_.push_back(unlimited(code));
    }
  }

  int width() const { return 1 + exponent_bits_ + mantissa_bits_; }
  std::uint32_t sign_bit() const { return 1u << (exponent_bits_ + mantissa_bits_); }
  std::uint32_t largest_finite() const {
    switch (top_) {
      case Top::kInfinityAndNaN:
        return sign_bit() - (1u << mantissa_bits_) - 1;
      case Top::kOneNaN:
        return sign_bit() - 2;
      case Top::kFinite:
        break;
    }
    return sign_bit() - 1;
  }

  double decode(std::uint32_t code) const {
    const std::uint32_t magnitude = code & (sign_bit() - 1);
    double value = unlimited(magnitude);
    if (magnitude > largest_finite()) {
      const bool infinite = top_ == Top::kInfinityAndNaN && magnitude == largest_finite() + 1;
      value = infinite ? std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
    }
    return std::copysign(value, (code & sign_bit()) != 0 ? -1.0 : 1.0);
  }

  // `value` is no NaN.
  std::uint32_t encode(double value) const {
    const double size = std::fabs(value);
    const auto above = std::lower_bound(magnitudes_.begin(), magnitudes_.end(), size);
    auto code = static_cast<std::uint32_t>(above - magnitudes_.begin());
    if (above == magnitudes_.end()) code = largest_finite() + 1;
    if (above != magnitudes_.end() && *above != size) {
      const long double to_upper = static_cast<long double>(*above) - size;
      const long double to_lower = static_cast<long double>(size) - magnitudes_[code - 1];
      if (to_lower < to_upper || (to_lower == to_upper && code % 2 == 1)) --code;
    }
    if (top_ != Top::kInfinityAndNaN) code = std::min(code, largest_finite());
    return code | (std::signbit(value) ? sign_bit() : 0);
  }

  // The middle of the code's magnitude and the next, for 0 <= code <= largest_finite().
  double midpoint(std::uint32_t code) const {
    return (magnitudes_[code] + magnitudes_[code + 1]) / 2;
  }

 private:
  double unlimited(std::uint32_t code) const {
    const int bias = (1 << (exponent_bits_ - 1)) - 1;
    const auto exponent = static_cast<int>(code >> mantissa_bits_);
    const auto mantissa = static_cast<double>(code & ((1u << mantissa_bits_) - 1));
    const int scale = std::max(exponent, 1) - bias;
    return std::ldexp((exponent > 0 ? 1.0 : 0.0) + std::ldexp(mantissa, -mantissa_bits_), scale);
  }

  int exponent_bits_, mantissa_bits_;
  Top top_;
  std::vector<double> magnitudes_;
};

}  // namespace tilewright::second
