#include "tilewright/conformance.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "kernels/conformance/case_info.h"
#include "numeric/bf16.h"
#include "numeric/e4m3.h"
#include "numeric/f16.h"

namespace tilewright {
namespace {

using kernels::ConformanceRow;
using kernels::Given;

template <Target kTarget>
std::vector<ConformanceRow> rows_of_target(int compute_capability) {
  std::vector<ConformanceRow> rows = kernels::conformance_rows<kTarget>();
  if (compute_capability == 90) {
    for (ConformanceRow& row : kernels::conformance_rows_sm90<kTarget>()) rows.push_back(row);
  }
  return rows;
}

std::vector<ConformanceRow> rows_of(const DeviceInfo& device) {
  switch (device.backend) {
    case Backend::kCuda:
      return rows_of_target<Target::kCuda>(device.compute_capability());
    case Backend::kSim:
      return rows_of_target<Target::kSim>(device.compute_capability());
    case Backend::kCpu:
      break;
  }
  return {};
}

// splitmix64 of Steele, Lea and Flood.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }  // in [-1, 1)
  int small() { return static_cast<int>(next() % 9) - 4; }

 private:
  std::uint64_t state_;
};

std::uint32_t element(Given given, Random& random) {
  const auto f16 = [](double value) { return numeric::f16_from_f64(value); };
  switch (given) {
    case Given::kBits:
      return static_cast<std::uint32_t>(random.next());
    case Given::kFloats:
    case Given::kUnitTF32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(random.unit()));
    case Given::kSmallTF32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(random.small()));
    case Given::kSmallF16:
      return f16(random.small());
    case Given::kUnitF16:
      return f16(random.unit());
    case Given::kSmallBF16:
      return numeric::bf16_from_f64(random.small());
    case Given::kUnitBF16:
      return numeric::bf16_from_f64(random.unit());
    case Given::kSmallE4M3:
      return numeric::e4m3_from_f64(random.small());
    case Given::kUnitE4M3:
      return numeric::e4m3_from_f64(random.unit());
    case Given::kSmallE5M2:  // the upper half of a binary16, in which small numbers are whole
      return f16(random.small()) >> 8;
    case Given::kUnitE5M2:
      return f16(random.unit()) >> 8 & 0xff;
    case Given::kSmallS8:
      return static_cast<std::uint8_t>(random.small());
  }
  return 0;
}

int elements_a_word(Given given) {
  switch (given) {
    case Given::kSmallF16:
    case Given::kUnitF16:
    case Given::kSmallBF16:
    case Given::kUnitBF16:
      return 2;
    case Given::kSmallE4M3:
    case Given::kUnitE4M3:
    case Given::kSmallE5M2:
    case Given::kUnitE5M2:
    case Given::kSmallS8:
      return 4;
    default:
      return 1;
  }
}

std::vector<std::uint32_t> given_words(Given given, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> words(kernels::kGivenWords);
  const int each = elements_a_word(given);
  for (std::uint32_t& word : words) {
    word = 0;
    for (int i = 0; i < each; ++i) word |= element(given, random) << i * (32 / each);
  }
  return words;
}

}  // namespace

std::vector<ConformanceCase> conformance_cases(const DeviceInfo& device) {
  std::vector<ConformanceCase> cases;
  for (const ConformanceRow& row : rows_of(device)) {
    cases.push_back({row.id, row.info.functions, row.info.bound});
  }
  return cases;
}

Result<std::vector<std::uint32_t>> run_conformance_case(const std::string& id,
                                                        const DeviceInfo& device,
                                                        std::uint64_t seed) {
  for (const ConformanceRow& row : rows_of(device)) {
    if (row.id != id) continue;
    std::vector<std::uint32_t> out(static_cast<std::size_t>(row.info.outputs), 0);
    const std::vector<std::uint32_t> given = given_words(row.info.given, seed);
    if (Status status = row.run(device, given, out); !status.ok()) return status;
    return out;
  }
  return Status::invalid(fmt::format("there is no conformance case '{}' for {}", id, device.name));
}

ConformanceDifference compare_conformance(const ConformanceCase& of,
                                          const std::vector<std::uint32_t>& one,
                                          const std::vector<std::uint32_t>& other) {
  ConformanceDifference found;
  if (one.size() != other.size()) {
    found.failure = fmt::format("{} words and {}", one.size(), other.size());
    return found;
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    ++found.words;
    const double difference = of.bound == 0
                                  ? 0
                                  : std::fabs(static_cast<double>(std::bit_cast<float>(one[i])) -
                                              static_cast<double>(std::bit_cast<float>(other[i])));
    const bool within = of.bound > 0 && difference <= of.bound;  // false for NaN
    if (within) {
      found.largest = std::max(found.largest, difference);
    } else if (found.failure.empty()) {
      found.failure = fmt::format("word {} is {:08x} and {:08x}", i, one[i], other[i]);
    }
  }
  found.passed = found.failure.empty();
  return found;
}

std::uint64_t conformance_digest(const std::vector<std::uint32_t>& words) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const std::uint32_t word : words) {
    for (int byte = 0; byte < 4; ++byte) {
      digest = (digest ^ (word >> byte * 8 & 0xff)) * 0x100000001b3u;
    }
  }
  return digest;
}

}  // namespace tilewright
