// The buffers of a GEMM: how large, how many sets, and where each operand of each set lies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/protocol/device.h"
#include "tilewright/gemm.h"

namespace tilewright::measure {

struct Shape {
  std::int64_t rows = 0, columns = 0, batch = 1;
};

inline Shape shape_a(const GemmProblem& p) {
  return {p.m, p.k, p.batch};
}
inline Shape shape_b(const GemmProblem& p) {
  return {p.k, p.n, p.batch};
}
inline Shape shape_d(const GemmProblem& p) {
  return {p.m, p.n, p.batch};
}

// Index of element (row, column) of matrix `batch`, in elements.
constexpr std::int64_t index_of(const Operand& operand, std::int64_t batch, std::int64_t row,
                                std::int64_t column) {
  const bool by_rows = operand.order == Order::kRowMajor;
  return batch * operand.batch_stride +
         (by_rows ? row * operand.ld + column : column * operand.ld + row);
}

// Elements from the first to the last one, gaps included; 0 for an empty matrix.
std::int64_t span_elements(const Operand& operand, Shape shape);
// Elements that are there, gaps left out; a matrix that the whole batch shares counts once.
std::int64_t logical_elements(const Operand& operand, Shape shape);

// Bytes of A, B, D, and of C when it is read, gaps left out: what one launch touches.
std::int64_t footprint_bytes(const GemmProblem& problem, bool with_c);

struct Rotation {
  std::int64_t footprint_bytes = 0;
  std::int64_t sets = 1;
  std::int64_t cache_bytes = 0;
  double reuse_distance_over_cache = 0;  // the other sets' bytes: a set's own may still be cached
  std::string note;                      // why there are fewer sets than asked for; else empty
};

struct RotationRequest {
  double factor = 2.0;  // all sets together are at least this many caches
  std::int64_t cache_bytes = 0;
  std::int64_t limit_bytes = 0;  // of memory
  std::string limit_reason;
};

struct FillChoice {
  Fill fill = Fill::kUniform;
  std::vector<std::byte> file;  // for Fill::kFile: not empty
};

// max(2, what `factor` asks for), fewer where memory or the number of launches in a graph end
// first; never fewer than 2.
Rotation plan_rotation(const GemmProblem& problem, const RotationRequest& request);

// `sets` copies of the operands, each in memory of its own. Their values differ by sign alone: A is
// negated in every second set, B in every second pair of sets, so what is right for one set is
// wrong for the next, and a call that reads other operands than those it was given is found out. D
// has kGuardBytes of poison before and after it, part of what is checked.
class OperandSets {
 public:
  static constexpr std::int64_t kGuardBytes = 256;

  struct Seeds {
    std::uint64_t a = 0, b = 0, c = 0;
  };

  // C is only there `with_c`; the values follow from `seed`, different for A, B and C.
  static Result<OperandSets> allocate(Device& device, const GemmProblem& problem, std::int64_t sets,
                                      bool with_c);
  Status fill(const FillChoice& choice, std::uint64_t seed);

  std::int64_t sets() const { return sets_; }
  static bool a_negated(std::int64_t set) { return set % 2 == 1; }
  static bool b_negated(std::int64_t set) { return set / 2 % 2 == 1; }
  // Whether D is that of set 0 with the other sign.
  static bool d_negated(std::int64_t set) { return a_negated(set) != b_negated(set); }
  // alpha = 1, beta = 0.
  GemmArgs args(std::int64_t set) const;
  std::vector<GemmArgs> all_args() const;
  // Bits of information in a byte of A, 0 to 8: data that is all alike draws less power.
  Result<double> entropy_bits() const;
  Status poison_d(std::int64_t set);
  Status download_d(std::int64_t set, std::vector<std::byte>& image) const;  // guards included
  Status download_inputs(std::vector<std::byte>& a, std::vector<std::byte>& b,
                         std::vector<std::byte>& c) const;  // of set 0
  // Alike for two sets exactly where (for all practical purposes) their D hold the same bits.
  Result<std::uint64_t> checksum_d(std::int64_t set) const;
  // Names the first input of `set` that is not what fill() wrote; an empty string when none.
  Result<std::string> changed_input(std::int64_t set) const;

 private:
  struct Slab {
    Buffer buffer;
    DType type = DType::kF32;
    std::int64_t elements = 0;
    std::int64_t bytes = 0;   // of one set
    std::int64_t stride = 0;  // from set to set
    std::int64_t offset = 0;  // of the first element in a set
    std::uint64_t checksum = 0, checksum_negated = 0;
    std::byte* at(std::int64_t set) const { return buffer.data() + set * stride + offset; }
  };
  static Result<Slab> make_slab(Device& device, const Operand& operand, Shape shape,
                                std::int64_t sets, std::int64_t guard_bytes);
  Status fill_slab(Slab& slab, const FillChoice& choice, std::uint64_t seed,
                   bool (*negated)(std::int64_t set));

  Device* device_ = nullptr;
  std::int64_t sets_ = 0;
  Slab a_, b_, c_, d_;
  bool with_c_ = false;
};

}  // namespace tilewright::measure
