#include "tests/ops/gemm_simd_harness.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <stdexcept>

#include "cpu/simd/rows.h"
#include "numeric/bf16.h"
#include "numeric/f16.h"

namespace tilewright::tests {
namespace {

std::int64_t index_of(const Operand& x, std::int64_t entry, std::int64_t row, std::int64_t col) {
  return entry * x.batch_stride +
         (x.order == Order::kRowMajor ? row * x.ld + col : row + col * x.ld);
}

// Up to the last element and not one further.
std::int64_t bytes_for(const Operand& x, std::int64_t rows, std::int64_t cols, std::int64_t batch) {
  if (rows == 0 || cols == 0 || batch == 0) return 0;
  return bytes_of(x.type, index_of(x, batch - 1, rows - 1, cols - 1) + 1);
}

std::uint32_t bits_at(const std::byte* data, DType type, std::int64_t index) {
  std::uint32_t bits = 0;
  const auto size = static_cast<std::size_t>(bytes_of(type, 1));
  std::memcpy(&bits, data + bytes_of(type, index), size);
  return bits;
}

double value_at(const std::byte* data, DType type, std::int64_t index) {
  const std::uint32_t bits = bits_at(data, type, index);
  if (type == DType::kF16) return numeric::f16_to_f32(static_cast<std::uint16_t>(bits));
  if (type == DType::kBF16) return numeric::bf16_to_f32(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(bits);
}

void set_at(std::byte* data, DType type, std::int64_t index, float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (type == DType::kF16) bits = numeric::f16_from_f32(value);
  if (type == DType::kBF16) bits = numeric::bf16_from_f32(value);
  std::memcpy(data + bytes_of(type, index), &bits, static_cast<std::size_t>(bytes_of(type, 1)));
}

Operand operand_of(DType type, Order order, std::int64_t rows, std::int64_t cols,
                   std::int64_t padding) {
  Operand x;
  x.type = type;
  x.order = order;
  x.ld = (order == Order::kRowMajor ? cols : rows) + padding;
  x.batch_stride = x.ld * (order == Order::kRowMajor ? rows : cols) + padding;
  x.alignment_bytes = static_cast<int>(bytes_of(type, 1));
  return x;
}

void fill(std::byte* data, const Operand& x, std::int64_t rows, std::int64_t cols,
          std::int64_t batch, const Value& value) {
  for (std::int64_t e = 0; e < batch; ++e) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        set_at(data, x.type, index_of(x, e, r, c), value(e, r, c));
      }
    }
  }
}

Value random_values(std::uint32_t& state) {
  return [&state](std::int64_t, std::int64_t, std::int64_t) {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<std::int32_t>(state) >> 8) * 0x1p-23f;
  };
}

double half_ulp(DType type) {
  return type == DType::kF16 ? 0x1p-11 : type == DType::kBF16 ? 0x1p-8 : 0x1p-24;
}

double half_of_smallest(DType type) {
  return type == DType::kF16 ? 0x1p-25 : type == DType::kBF16 ? 0x1p-134 : 0x1p-150;
}

}  // namespace

std::vector<DeviceInfo> simd_devices() {
  std::vector<DeviceInfo> devices;
  const DeviceInfo machine = cpu_device();
  for (const CpuIsa isa : {CpuIsa::kBaseline, CpuIsa::kAvx2, CpuIsa::kAvx512}) {
    if (isa > machine.cpu.isa) break;
    devices.push_back(machine);
    devices.back().cpu.isa = isa;
  }
  return devices;
}

DeviceInfo with_small_caches(DeviceInfo device) {
  device.cpu.l1d_bytes = 4 << 10;
  device.cpu.l2_bytes = 16 << 10;
  device.cpu.l3_bytes = 64 << 10;
  return device;
}

std::string isa_name(const DeviceInfo& device) {
  switch (device.cpu.isa) {
    case CpuIsa::kBaseline:
      return "baseline";
    case CpuIsa::kAvx2:
      return "avx2";
    case CpuIsa::kAvx512:
      return "avx512";
  }
  return "?";
}

GuardedBuffer::~GuardedBuffer() {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  if (mapping_ != nullptr) munmap(mapping_, static_cast<std::size_t>(usable_bytes_ + 2 * page));
}

std::byte* GuardedBuffer::place(std::int64_t bytes, bool at_end) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  if (bytes > usable_bytes_ || mapping_ == nullptr) {
    if (mapping_ != nullptr) munmap(mapping_, static_cast<std::size_t>(usable_bytes_ + 2 * page));
    usable_bytes_ = (bytes + page) / page * page;
    void* const mapping = mmap(nullptr, static_cast<std::size_t>(usable_bytes_ + 2 * page),
                               PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) throw std::runtime_error("mmap failed");
    mapping_ = static_cast<std::byte*>(mapping);
    if (mprotect(mapping_ + page, static_cast<std::size_t>(usable_bytes_),
                 PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("mprotect failed");
    }
  }
  std::byte* const data = mapping_ + page + (at_end ? usable_bytes_ - bytes : 0);
  std::memset(data, 0xFF, static_cast<std::size_t>(bytes));
  return data;
}

std::string describe(const SimdCase& test) {
  const auto letter = [](Order order) { return order == Order::kRowMajor ? 'r' : 'c'; };
  return fmt::format(
      "m={} n={} k={} batch={} types {} {} {} orders a={} b={} c={} d={} padding={} alpha={} "
      "beta={} c={} threads={} {} seed={}",
      test.m, test.n, test.k, test.batch, name_of(test.a), name_of(test.b), name_of(test.d),
      letter(test.a_order), letter(test.b_order), letter(test.c_order), letter(test.d_order),
      test.padding, test.alpha, test.beta, static_cast<int>(test.c), test.threads,
      test.at_end ? "at the end" : "at the start", test.seed);
}

void SimdRun::prepare(const SimdCase& test, const Value& a, const Value& b, const Value& c) {
  test_ = test;
  auto& p = problem_;
  p.m = test.m, p.n = test.n, p.k = test.k, p.batch = test.batch;
  p.a = operand_of(test.a, test.a_order, p.m, p.k, test.padding);
  p.b = operand_of(test.b, test.b_order, p.k, p.n, test.padding);
  p.d = operand_of(test.d, test.d_order, p.m, p.n, test.padding);
  p.c =
      test.c == CMatrix::kIsD ? p.d : operand_of(test.d, test.c_order, p.m, p.n, 2 * test.padding);
  a_data_ = a_.place(bytes_for(p.a, p.m, p.k, p.batch), test.at_end);
  b_data_ = b_.place(bytes_for(p.b, p.k, p.n, p.batch), test.at_end);
  d_data_ = d_.place(bytes_for(p.d, p.m, p.n, p.batch), test.at_end);
  c_data_ =
      test.c == CMatrix::kIsD ? d_data_ : c_.place(bytes_for(p.c, p.m, p.n, p.batch), test.at_end);
  std::uint32_t state = test.seed;
  const Value random = random_values(state);
  fill(a_data_, p.a, p.m, p.k, p.batch, a ? a : random);
  fill(b_data_, p.b, p.k, p.n, p.batch, b ? b : random);
  if (test.c != CMatrix::kNull) fill(c_data_, p.c, p.m, p.n, p.batch, c ? c : random);
  c_before_.assign(c_data_, c_data_ + bytes_for(p.c, p.m, p.n, p.batch));
  args_ = GemmArgs{};
  args_.a = a_data_, args_.b = b_data_, args_.d = d_data_;
  args_.c = test.c == CMatrix::kNull ? nullptr : c_data_;
  args_.alpha = test.alpha, args_.beta = test.beta;
}

Status SimdRun::launch(const GemmRow& row, const DeviceInfo& device) {
  return row.launch(GemmLaunch{problem_, args_, device, {}, {}, test_.threads});
}

double SimdRun::d(std::int64_t entry, std::int64_t row, std::int64_t col) const {
  return value_at(d_data_, problem_.d.type, index_of(problem_.d, entry, row, col));
}

std::vector<std::uint32_t> SimdRun::d_bits() const {
  std::vector<std::uint32_t> bits;
  for (std::int64_t e = 0; e < problem_.batch; ++e) {
    for (std::int64_t r = 0; r < problem_.m; ++r) {
      for (std::int64_t c = 0; c < problem_.n; ++c) {
        bits.push_back(bits_at(d_data_, problem_.d.type, index_of(problem_.d, e, r, c)));
      }
    }
  }
  return bits;
}

std::string SimdRun::check() const {
  const auto& p = problem_;
  std::vector<bool> owned(static_cast<std::size_t>(bytes_for(p.d, p.m, p.n, p.batch)), false);
  for (std::int64_t e = 0; e < p.batch; ++e) {
    const Factors factors = factors_of(e);
    for (std::int64_t r = 0; r < p.m; ++r) {
      for (std::int64_t c = 0; c < p.n; ++c) {
        const std::string wrong = check_element(factors, e, r, c);
        if (!wrong.empty()) return wrong;
        const std::int64_t size = bytes_of(p.d.type, 1);
        const std::int64_t first = index_of(p.d, e, r, c) * size;
        for (std::int64_t i = first; i < first + size; ++i) {
          owned[static_cast<std::size_t>(i)] = true;
        }
      }
    }
  }
  for (std::size_t i = 0; i < owned.size(); ++i) {
    if (!owned[i] && d_data_[i] != std::byte{0xFF}) {
      return fmt::format("byte {} of D lies between rows and was written", i);
    }
  }
  return {};
}

SimdRun::Factors SimdRun::factors_of(std::int64_t entry) const {
  const auto& p = problem_;
  Factors factors;
  if (args_.alpha == 0) return factors;
  for (std::int64_t r = 0; r < p.m; ++r) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      factors.a.push_back(value_at(a_data_, p.a.type, index_of(p.a, entry, r, k)));
    }
  }
  for (std::int64_t c = 0; c < p.n; ++c) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      factors.b.push_back(value_at(b_data_, p.b.type, index_of(p.b, entry, k, c)));
    }
  }
  return factors;
}

std::string SimdRun::check_element(const Factors& factors, std::int64_t entry, std::int64_t row,
                                   std::int64_t col) const {
  const auto& p = problem_;
  double sum = 0, magnitude = 0;
  for (std::int64_t k = 0; k < p.k && args_.alpha != 0; ++k) {
    const double product = factors.a[static_cast<std::size_t>(row * p.k + k)] *
                           factors.b[static_cast<std::size_t>(col * p.k + k)];
    sum += product;
    magnitude += std::abs(product);
  }
  double added = 0;
  if (args_.beta != 0) {
    added = args_.beta * value_at(c_before_.data(), p.c.type, index_of(p.c, entry, row, col));
  }
  const double right = args_.alpha * sum + added;
  const double bound = half_ulp(p.d.type) * std::abs(right) + half_of_smallest(p.d.type) +
                       static_cast<double>(p.k + 4) * 0x1p-23 *
                           (std::abs(args_.alpha) * magnitude + std::abs(added));
  const double got = d(entry, row, col);
  if (std::abs(got - right) <= bound) return {};
  return fmt::format("d[{}][{}][{}] = {}, right is {} within {}", entry, row, col, got, right,
                     bound);
}

std::string run_simd(SimdRun& run, const SimdCase& test, const GemmRow& row,
                     const DeviceInfo& device) {
  run.prepare(test);
  const Status status = run.launch(row, device);
  const std::string wrong = status.ok() ? run.check() : status.message();
  if (wrong.empty()) return {};
  return fmt::format("{} {}: {}: {}", row.name, isa_name(device), describe(test), wrong);
}

void for_each_simd(const GemmProblem& problem,
                   const std::function<void(const GemmRow&, const DeviceInfo&)>& body) {
  for (const DeviceInfo& device : simd_devices()) {
    for (const GemmRow& row : gemm_simd_rows()) {
      if (row.reject(problem, device).empty()) body(row, device);
    }
  }
}

std::int64_t other_threads_ns() {
  const auto read = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return read(CLOCK_PROCESS_CPUTIME_ID) - read(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace tilewright::tests
