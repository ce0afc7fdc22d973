// Every CUDA kernel of the registry in the simulator, on small problems that reach its branches,
// under both copy timings and in between, against the CPU's oracle; and without each of its
// synchronisations in turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "hw/sim/grid_run.h"
#include "plan/gemm_registry.h"
#include "tilewright/codecs.h"
#include "tilewright/gemm.h"

namespace tilewright {
namespace {

struct Shape {
  std::int64_t m, n, k, batch = 1;
  float alpha = 1, beta = 0;
};

// Tiles are 128 x 128 x 16, 32 or 64, the ring has four stages, clusters are 256 rows high.
const std::vector<Shape> kShapes = {
    {1, 1, 1},
    {130, 70, 67},
    {5, 140, 330, 2, 0.5f, -2.0f},
    {300, 136, 96},
    {64, 8, 712, 1, 1.0f, 0.25f},
    {33, 17, 0, 1, 1.0f, 1.0f},
    {40, 24, 72, 3, 0.0f, 1.0f},
};

// Rows 16-byte aligned, so that every kernel may take it; k past the end is not there to be read.
std::int64_t aligned(std::int64_t extent) {
  return (std::max<std::int64_t>(extent, 1) + 7) / 8 * 8;
}

struct Buffers {
  std::vector<std::byte> bytes;
  std::byte* data() {
    return bytes.data() + (256 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 256) % 256;
  }
  explicit Buffers(std::int64_t size) : bytes(static_cast<std::size_t>(size) + 256) {}
};

void fill(DType type, std::byte* to, std::int64_t elements, unsigned seed) {
  std::vector<float> values(static_cast<std::size_t>(elements));
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(seed >> 8) % 2001 - 1000) / 1000;
  }
  ASSERT_TRUE(encode(type, values.data(), elements, to).ok());
}

struct Product {
  GemmProblem problem;
  Shape shape;

  Product(const Shape& s, DType in, DType out, Order order_b) : shape(s) {
    problem = default_gemm(s.m, s.n, s.k, in, out);
    problem.batch = s.batch;
    problem.a.ld = aligned(s.k);
    problem.b.order = order_b;
    problem.b.ld = aligned(order_b == Order::kRowMajor ? s.n : s.k);
    problem.c.ld = problem.d.ld = aligned(s.n);
    problem.a.batch_stride = s.m * problem.a.ld;
    problem.b.batch_stride = (order_b == Order::kRowMajor ? s.k : s.n) * problem.b.ld;
    problem.c.batch_stride = problem.d.batch_stride = s.m * problem.d.ld;
  }

  // D as floats; NaN where nothing was written.
  Result<std::vector<float>> on(const DeviceInfo& device, std::string_view kernel) const {
    const GemmProblem& p = problem;
    const Result<GemmPlan> plan = plan_gemm(p, device, {.kernel = std::string(kernel)});
    if (!plan) return plan.status();
    const auto count = [&](const Operand& o) {
      return std::max<std::int64_t>(1, p.batch * o.batch_stride);
    };
    Buffers a(bytes_of(p.a.type, count(p.a))), b(bytes_of(p.b.type, count(p.b)));
    Buffers c(bytes_of(p.c.type, count(p.c))), d(bytes_of(p.d.type, count(p.d)));
    fill(p.a.type, a.data(), count(p.a), 1);
    fill(p.b.type, b.data(), count(p.b), 2);
    fill(p.c.type, c.data(), count(p.c), 3);
    std::memset(d.bytes.data(), 0xff, d.bytes.size());
    const Status status = plan->run({.a = a.data(),
                                     .b = b.data(),
                                     .c = c.data(),
                                     .d = d.data(),
                                     .alpha = shape.alpha,
                                     .beta = shape.beta});
    if (!status.ok()) return status;
    std::vector<float> values(static_cast<std::size_t>(count(p.d)));
    if (Status read = decode(p.d.type, d.data(), count(p.d), values.data()); !read.ok())
      return read;
    return values;
  }

  // The first element that is not what the oracle says, in words; empty when all are. What lies
  // between rows stays NaN.
  std::string difference(const std::vector<float>& got, const std::vector<float>& expected) const {
    const float eps = problem.d.type == DType::kF32   ? 1e-5f
                      : problem.d.type == DType::kF16 ? 1e-3f
                                                      : 8e-3f;
    const float slack = 2e-6f * static_cast<float>(shape.k + 4);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool both_nan = std::isnan(got[i]) && std::isnan(expected[i]);
      if (!both_nan && !(std::fabs(got[i] - expected[i]) <= eps * std::fabs(expected[i]) + slack)) {
        return std::to_string(i) + " is " + std::to_string(got[i]) + " and not " +
               std::to_string(expected[i]);
      }
    }
    return {};
  }
};

struct Schedule {
  std::uint64_t seed;
  SimCopies copies;
};
constexpr Schedule kSchedules[] = {{1, SimCopies::kEarly},
                                   {2, SimCopies::kLate},
                                   {3, SimCopies::kRandom},
                                   {4, SimCopies::kLate},
                                   {5, SimCopies::kEarly}};

DeviceInfo simulated(const Schedule& schedule, std::string drop_site = {}) {
  DeviceInfo device = *sim_device("h200");
  device.sim.seed = schedule.seed;
  device.sim.copies = schedule.copies;
  device.sim.drop_site = std::move(drop_site);
  return device;
}

std::vector<std::string> cuda_kernels() {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : list_gemm()) {
    if (kernel.backend == Backend::kCuda) names.emplace_back(kernel.name);
  }
  return names;
}

class SimulatedGemm : public testing::TestWithParam<std::string> {};

TEST_P(SimulatedGemm, IsRightUnderEverySchedule) {
  int runs = 0;
  for (const DType in : {DType::kF16, DType::kBF16, DType::kF32}) {
    for (const DType out : {in, DType::kF32}) {
      for (const Order order_b : {Order::kRowMajor, Order::kColMajor}) {
        for (const Shape& shape : kShapes) {
          // The oracle's own kernel reads every element 32 times: whole blocks of it in one type.
          const bool slow = GetParam() == "gemm-cuda-reference" && shape.m * shape.n > 600;
          if (slow && (in != DType::kF16 || out != DType::kF32 || order_b == Order::kColMajor)) {
            continue;
          }
          const Product run(shape, in, out, order_b);
          const auto expected = run.on(cpu_device(), "gemm-cpu-reference");
          ASSERT_TRUE(expected.ok()) << expected.status().message();
          // Every schedule for one shape, one of them in turn for the others.
          const bool all = shape.m == 130;
          for (std::size_t i = 0; i < (all ? std::size(kSchedules) : 1); ++i) {
            const Schedule& schedule =
                kSchedules[(i + static_cast<std::size_t>(runs)) % std::size(kSchedules)];
            const auto got = run.on(simulated(schedule), GetParam());
            if (!got && got.status().code() == StatusCode::kUnsupported) continue;
            ASSERT_TRUE(got.ok()) << got.status().message();
            EXPECT_EQ(run.difference(*got, *expected), "")
                << GetParam() << " seed " << schedule.seed;
            ++runs;
          }
        }
      }
    }
  }
  EXPECT_GT(runs, 20);
}

// A kernel needs every synchronisation that it has: without any one of them some schedule goes
// wrong.
TEST_P(SimulatedGemm, MissesEachOfItsSynchronisations) {
  const Order order_b =
      GetParam().find("sm90") == std::string::npos ? Order::kRowMajor : Order::kColMajor;
  const Product run({130, 40, 330}, DType::kF16, DType::kF16, order_b);
  const auto expected = run.on(cpu_device(), "gemm-cpu-reference");
  ASSERT_TRUE(expected.ok());
  std::vector<std::string> places;
  {
    const hw::sim::SyncPlaces collected;
    ASSERT_TRUE(run.on(simulated(kSchedules[0]), GetParam()).ok());
    places = collected.names();
  }
  std::vector<std::string> survivors;
  for (const std::string& place : places) {
    bool caught = false;
    for (const Schedule& schedule : kSchedules) {
      const auto got = run.on(simulated(schedule, place), GetParam());
      caught = caught || !got || !run.difference(*got, *expected).empty();
    }
    if (!caught) survivors.push_back(place);
  }
  EXPECT_THAT(survivors, testing::IsEmpty());
  const bool synchronises = GetParam() != "gemm-cuda-ladder-v0";
  EXPECT_EQ(!places.empty(), synchronises);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SimulatedGemm, testing::ValuesIn(cuda_kernels()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace tilewright
