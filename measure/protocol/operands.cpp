#include "measure/protocol/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::measure {
namespace {

// More would be tiny problems whose samples are then long for no gain.
constexpr std::int64_t kMostSets = 8192;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

constexpr std::int64_t kEntropyBytes = std::int64_t{1} << 20;

// `bytes` again and again; with the sign of every element of `flipped_size` bytes flipped (0:
// none).
std::vector<std::byte> repeated(const std::vector<std::byte>& bytes, std::int64_t size,
                                std::int64_t flipped_size) {
  std::vector<std::byte> out(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = bytes[i % bytes.size()];
  if (flipped_size > 0) {
    // The sign is the top bit of the last byte in f32, f16 and bf16 alike.
    for (auto i = static_cast<std::size_t>(flipped_size) - 1; i < out.size();
         i += static_cast<std::size_t>(flipped_size)) {
      out[i] ^= std::byte{0x80};
    }
  }
  return out;
}

bool is_empty(Shape shape) {
  return shape.rows == 0 || shape.columns == 0 || shape.batch == 0;
}

}  // namespace

std::int64_t span_elements(const Operand& operand, Shape shape) {
  if (is_empty(shape)) return 0;
  return index_of(operand, shape.batch - 1, shape.rows - 1, shape.columns - 1) + 1;
}

std::int64_t logical_elements(const Operand& operand, Shape shape) {
  const std::int64_t matrices = operand.batch_stride == 0 ? 1 : shape.batch;
  return is_empty(shape) ? 0 : shape.rows * shape.columns * matrices;
}

std::int64_t footprint_bytes(const GemmProblem& problem, bool with_c) {
  const auto bytes = [](const Operand& operand, Shape shape) {
    return bytes_of(operand.type, logical_elements(operand, shape));
  };
  return bytes(problem.a, shape_a(problem)) + bytes(problem.b, shape_b(problem)) +
         (with_c ? bytes(problem.d, shape_d(problem)) : 0) + bytes(problem.d, shape_d(problem));
}

Rotation plan_rotation(const GemmProblem& problem, const RotationRequest& request) {
  Rotation plan;
  plan.footprint_bytes = footprint_bytes(problem, false);
  plan.cache_bytes = request.cache_bytes;
  const auto footprint = static_cast<double>(std::max<std::int64_t>(plan.footprint_bytes, 1));
  const auto cache = static_cast<double>(request.cache_bytes);
  const double needed = std::max(2.0, std::ceil(request.factor * cache / footprint));

  // What a set takes of memory is more than its footprint: gaps between rows, guards around D.
  const auto memory = [](const Operand& operand, Shape shape) {
    return round_up(bytes_of(operand.type, span_elements(operand, shape)), kAllocationAlignment);
  };
  const std::int64_t set_bytes = memory(problem.a, shape_a(problem)) +
                                 memory(problem.b, shape_b(problem)) +
                                 memory(problem.d, shape_d(problem)) + 4 * OperandSets::kGuardBytes;
  const std::int64_t fit = std::max<std::int64_t>(request.limit_bytes / set_bytes, 2);
  plan.sets = static_cast<std::int64_t>(
      std::min({needed, static_cast<double>(fit), static_cast<double>(kMostSets)}));
  if (static_cast<double>(plan.sets) < needed) {
    plan.note = fmt::format("{} of {:.0f} buffer sets are rotated: {}", plan.sets, needed,
                            plan.sets == kMostSets
                                ? fmt::format("no more than {} are used", kMostSets)
                                : fmt::format("{} bytes are used at most, {}", request.limit_bytes,
                                              request.limit_reason));
  }
  if (cache > 0) {
    plan.reuse_distance_over_cache =
        static_cast<double>(plan.sets - 1) * static_cast<double>(plan.footprint_bytes) / cache;
    if (plan.reuse_distance_over_cache < 1) {
      plan.note += fmt::format(
          "{}operands may still be in the cache: only {:.2g} of its size is touched between two "
          "uses",
          plan.note.empty() ? "" : "; ", plan.reuse_distance_over_cache);
    }
  }
  return plan;
}

Result<OperandSets::Slab> OperandSets::make_slab(Device& device, const Operand& operand,
                                                 Shape shape, std::int64_t sets,
                                                 std::int64_t guard_bytes) {
  Slab slab;
  slab.type = operand.type;
  slab.elements = span_elements(operand, shape);
  slab.bytes = bytes_of(operand.type, slab.elements);
  // A pointer has the alignment that the problem promises, and below 16 bytes no more than that:
  // a kernel that counts on more is found out here.
  const std::int64_t shift = operand.alignment_bytes < 16 ? operand.alignment_bytes : 0;
  const std::int64_t unit = std::max<std::int64_t>(operand.alignment_bytes, kAllocationAlignment);
  slab.offset = guard_bytes == 0 ? shift : round_up(guard_bytes, unit) + shift;
  slab.stride = round_up(slab.offset + slab.bytes + guard_bytes, unit);
  Result<Buffer> buffer = Buffer::allocate(device, slab.stride * sets + unit);
  if (!buffer) return buffer.status();
  slab.buffer = std::move(*buffer);
  const auto base = reinterpret_cast<std::uintptr_t>(slab.buffer.data());
  slab.offset += round_up(static_cast<std::int64_t>(base), unit) - static_cast<std::int64_t>(base);
  return slab;
}

Result<OperandSets> OperandSets::allocate(Device& device, const GemmProblem& problem,
                                          std::int64_t sets, bool with_c) {
  OperandSets made;
  made.device_ = &device;
  made.sets_ = sets;
  made.with_c_ = with_c;
  const auto add = [&](Slab& slab, const Operand& operand, Shape shape, std::int64_t guard_bytes) {
    Result<Slab> one = make_slab(device, operand, shape, sets, guard_bytes);
    if (one) slab = std::move(*one);
    return one.status();
  };
  Status status = add(made.a_, problem.a, shape_a(problem), 0);
  if (status) status = add(made.b_, problem.b, shape_b(problem), 0);
  Operand c = problem.c;
  c.type = problem.d.type;
  if (status && with_c) status = add(made.c_, c, shape_d(problem), 0);
  if (status) status = add(made.d_, problem.d, shape_d(problem), kGuardBytes);
  if (!status) {
    return Status(status.code(), fmt::format("{} buffer sets of {} bytes each: {}", sets,
                                             footprint_bytes(problem, with_c), status.message()));
  }
  return made;
}

Status OperandSets::fill_slab(Slab& slab, const FillChoice& choice, std::uint64_t seed,
                              bool (*negated)(std::int64_t set)) {
  if (slab.elements == 0) return {};
  const auto generate = [&](std::int64_t set) {
    if (choice.fill != Fill::kFile) {
      return device_->fill(slab.at(set), slab.type, slab.elements,
                           {choice.fill, seed, negated(set)});
    }
    const std::vector<std::byte> bytes =
        repeated(choice.file, slab.bytes, negated(set) ? bytes_of(slab.type, 1) : 0);
    return device_->upload(slab.at(set), bytes.data(), slab.bytes);
  };
  // The first set of each sign is made, the others are copies.
  std::int64_t first_of_sign[2] = {-1, -1};
  for (std::int64_t set = 0; set < sets_; ++set) {
    std::int64_t& first = first_of_sign[negated(set) ? 1 : 0];
    Status status =
        first < 0 ? generate(set) : device_->copy(slab.at(set), slab.at(first), slab.bytes);
    if (first < 0) first = set;
    if (!status) return status;
  }
  for (const bool sign : {false, true}) {
    if (first_of_sign[sign] < 0) continue;
    Result<std::uint64_t> sum = device_->checksum(slab.at(first_of_sign[sign]), slab.bytes);
    if (!sum) return sum.status();
    (sign ? slab.checksum_negated : slab.checksum) = *sum;
  }
  return {};
}

Status OperandSets::fill(const FillChoice& choice, std::uint64_t seed) {
  Status status = fill_slab(a_, choice, mix(seed ^ 0xa), a_negated);
  if (status) status = fill_slab(b_, choice, mix(seed ^ 0xb), b_negated);
  if (status && with_c_) status = fill_slab(c_, choice, mix(seed ^ 0xc), d_negated);
  for (std::int64_t set = 0; status && set < sets_; ++set) status = poison_d(set);
  return status ? device_->synchronize() : status;
}

GemmArgs OperandSets::args(std::int64_t set) const {
  GemmArgs args;
  args.a = a_.at(set);
  args.b = b_.at(set);
  args.c = with_c_ ? c_.at(set) : nullptr;
  args.d = d_.at(set);
  return args;
}

std::vector<GemmArgs> OperandSets::all_args() const {
  std::vector<GemmArgs> all;
  for (std::int64_t set = 0; set < sets_; ++set) all.push_back(args(set));
  return all;
}

Result<double> OperandSets::entropy_bits() const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(a_.bytes, kEntropyBytes)));
  if (bytes.empty()) return 0.0;
  if (Status status =
          device_->download(bytes.data(), a_.at(0), static_cast<std::int64_t>(bytes.size()));
      !status) {
    return status;
  }
  std::array<double, 256> counts{};
  for (const std::byte byte : bytes) ++counts[std::to_integer<std::size_t>(byte)];
  double bits = 0;
  for (const double count : counts) {
    const double share = count / static_cast<double>(bytes.size());
    if (share > 0) bits -= share * std::log2(share);
  }
  return bits;
}

Status OperandSets::poison_d(std::int64_t set) {
  return device_->poison(d_.at(set) - kGuardBytes, d_.bytes + 2 * kGuardBytes);
}

Status OperandSets::download_d(std::int64_t set, std::vector<std::byte>& image) const {
  image.resize(static_cast<std::size_t>(d_.bytes + 2 * kGuardBytes));
  return device_->download(image.data(), d_.at(set) - kGuardBytes,
                           static_cast<std::int64_t>(image.size()));
}

Status OperandSets::download_inputs(std::vector<std::byte>& a, std::vector<std::byte>& b,
                                    std::vector<std::byte>& c) const {
  const auto one = [this](const Slab& slab, std::vector<std::byte>& bytes) {
    bytes.resize(static_cast<std::size_t>(slab.bytes));
    return slab.bytes == 0 ? Status{} : device_->download(bytes.data(), slab.at(0), slab.bytes);
  };
  Status status = one(a_, a);
  if (status) status = one(b_, b);
  if (status) status = one(c_, c);
  return status;
}

Result<std::uint64_t> OperandSets::checksum_d(std::int64_t set) const {
  return device_->checksum(d_.at(set), d_.bytes);
}

Result<std::string> OperandSets::changed_input(std::int64_t set) const {
  const std::pair<const Slab*, const char*> inputs[] = {{&a_, "A"}, {&b_, "B"}, {&c_, "C"}};
  for (const auto& [slab, name] : inputs) {
    if (slab->elements == 0) continue;
    Result<std::uint64_t> sum = device_->checksum(slab->at(set), slab->bytes);
    if (!sum) return sum.status();
    const bool negated = *name == 'A'   ? a_negated(set)
                         : *name == 'B' ? b_negated(set)
                                        : d_negated(set);
    if (*sum != (negated ? slab->checksum_negated : slab->checksum)) return std::string(name);
  }
  return std::string();
}

}  // namespace tilewright::measure
