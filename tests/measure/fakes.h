// Scripted parts for the engine: implementations that do what a test wants, a small device, a clock
// that reads what it is told.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "measure/protocol/device_cpu.h"
#include "measure/protocol/engine.h"
#include "measure/protocol/operands.h"
#include "tests/measure/fake_card.h"
#include "tilewright/codecs.h"

namespace tilewright::measure {

inline float element(const Operand& operand, const void* data, std::int64_t index) {
  float value = 0;
  EXPECT_TRUE(decode(operand.type,
                     static_cast<const std::byte*>(data) + index * bytes_of(operand.type, 1), 1,
                     &value));
  return value;
}

inline void set_element(const Operand& operand, void* data, std::int64_t index, double value) {
  EXPECT_TRUE(encode(operand.type, &value, 1,
                     static_cast<std::byte*>(data) + index * bytes_of(operand.type, 1)));
}

// Rows [0, rows) of D = alpha A B + beta C, all of them by default.
inline Status plain_gemm(const GemmProblem& p, const GemmArgs& args, std::int64_t rows = -1) {
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t row = 0; row < (rows < 0 ? p.m : rows); ++row) {
      for (std::int64_t column = 0; column < p.n; ++column) {
        double sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k) {
          sum += static_cast<double>(element(p.a, args.a, index_of(p.a, batch, row, k))) *
                 static_cast<double>(element(p.b, args.b, index_of(p.b, batch, k, column)));
        }
        sum *= args.alpha;
        if (args.beta != 0) {
          sum += static_cast<double>(args.beta) *
                 static_cast<double>(element(p.c, args.c, index_of(p.c, batch, row, column)));
        }
        set_element(p.d, args.d, index_of(p.d, batch, row, column), sum);
      }
    }
  }
  return {};
}

using Gemm = std::function<Status(const GemmProblem&, const GemmArgs&)>;

inline Gemm right_gemm() {
  return [](const GemmProblem& p, const GemmArgs& args) { return plain_gemm(p, args); };
}

class FakePrepared final : public PreparedGemm {
 public:
  FakePrepared(GemmProblem problem, Gemm gemm)
      : problem_(std::move(problem)), gemm_(std::move(gemm)) {}
  std::string kernel_name() const override { return "fake-kernel"; }
  Status run(const GemmArgs& args, Stream) override { return gemm_(problem_, args); }

 private:
  GemmProblem problem_;
  Gemm gemm_;
};

class FakeImplementation final : public Implementation {
 public:
  FakeImplementation(std::string id, Gemm gemm) : id_(std::move(id)), gemm_(std::move(gemm)) {}

  std::string_view id() const override { return id_; }
  std::string missing() const override { return missing_reason; }
  Provenance provenance() const override { return {"1.0", "/lib/fake.so", "by name", 64}; }
  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem, const DeviceInfo&,
                                                std::span<const GemmArgs>, Stream) override {
    if (!refusal) return refusal;
    return std::unique_ptr<PreparedGemm>(std::make_unique<FakePrepared>(problem, gemm_));
  }

  std::string missing_reason;
  Status refusal;

 private:
  std::string id_;
  Gemm gemm_;
};

// Host memory with caches small enough that a rotation is a handful of sets.
class FakeDevice : public CpuDevice {
 public:
  FakeDevice() : CpuDevice(small_machine()) {}
  Status health() override { return lost; }
  std::int64_t rotation_limit_bytes() override { return limit_bytes; }
  std::string rotation_limit_reason() const override { return "as the test says"; }
  Status flush_cache(Flush method) override {
    ++flushes;
    return CpuDevice::flush_cache(method);
  }
  Status reserve_persisting_cache(std::int64_t bytes) override {
    reserved.push_back(bytes);
    return {};
  }

  Status lost;  // not ok: as after an illegal address
  std::int64_t limit_bytes = 64 << 20;
  int flushes = 0;
  std::vector<std::int64_t> reserved;  // of the cache, call by call

 private:
  static DeviceInfo small_machine() {
    DeviceInfo info;
    info.cpu.model = "a small machine";
    info.cpu.l2_bytes = 4 << 10;
    info.cpu.l3_bytes = 16 << 10;
    return info;
  }
};

// What the clocks of one test did and what they shall read.
struct TimerScript {
  std::deque<std::int64_t> readings_ns;  // taken from the front; then 1000 ns for a launch
  std::vector<std::int64_t> prepared;    // launches, one a prepare()
  std::vector<int> asked;                // samples, one a samples()
  bool continues = false;
  SampleFacts facts;
};

class FakeTimer final : public Timer {
 public:
  explicit FakeTimer(std::shared_ptr<TimerScript> script) : script_(std::move(script)) {}

  Status prepare(LaunchAt launch, std::int64_t launches) override {
    launch_ = std::move(launch);
    launches_ = launches;
    next_ = 0;
    script_->prepared.push_back(launches);
    return run();
  }

  bool continues() const override { return script_->continues; }

  Result<std::vector<std::int64_t>> samples(int count) override {
    script_->asked.push_back(count);
    std::vector<std::int64_t> samples_ns;
    for (int i = 0; i < count; ++i) {
      if (Status status = run(); !status) return status;
      std::int64_t reading = 1000 * launches_;
      if (!script_->readings_ns.empty()) {
        reading = script_->readings_ns.front();
        script_->readings_ns.pop_front();
      }
      samples_ns.push_back(reading);
    }
    return samples_ns;
  }

  SampleFacts facts() const override { return script_->facts; }

 private:
  Status run() {
    for (std::int64_t i = 0; i < launches_; ++i) {
      if (Status status = launch_(script_->continues ? next_++ : i); !status) return status;
    }
    return {};
  }

  std::shared_ptr<TimerScript> script_;
  LaunchAt launch_;
  std::int64_t launches_ = 0, next_ = 0;
};

// A comparison of fakes; change what the test is about, then run().
struct FakeComparison {
  FakeComparison() {
    protocol.timer = "fake";
    protocol.first_warmup_ms = protocol.warmup_ms = 0;
    protocol.rounds = 3;
    protocol.samples_per_round = 2;
    protocol.sample_target_us = 1;
    protocol.order = OrderKind::kRotated;
    protocol.trace_ms = 0;
    card.why_missing = "there is no card";
  }

  FakeImplementation& add(const std::string& id, Gemm gemm) {
    implementations.push_back(std::make_unique<FakeImplementation>(id, std::move(gemm)));
    return static_cast<FakeImplementation&>(*implementations.back());
  }

  ComparedCells compare(const Progress& progress = {}) {
    CardWatch watch(card, clock, protocol.trace_ms, {});
    const Workbench bench{
        device,
        [this] { return Result<std::unique_ptr<Timer>>(std::make_unique<FakeTimer>(script)); },
        {"plain-loops",
         [this](const GemmProblem& p, const GemmArgs& args, Stream) { return reference(p, args); }},
        card,
        clock,
        watch};
    std::vector<Implementation*> all;
    for (const auto& each : implementations) all.push_back(each.get());
    std::vector<CellSpec> cells;
    for (const GemmProblem& problem : problems) cells.push_back({problem, all});
    return compare_with(cells, settled_protocol(protocol, device.info().backend), bench, progress);
  }
  std::vector<Cell> run(const Progress& progress = {}) { return compare(progress).cells; }

  // Readings are for the rounds: those of the clock's own overhead and of the floor come before.
  void set_readings(std::vector<std::int64_t> readings_ns) {
    readings_ns.insert(readings_ns.begin(), 10, 24000);
    script->readings_ns.assign(readings_ns.begin(), readings_ns.end());
  }

  FakeDevice device;
  FakeCard card;
  FakeClock clock;
  std::shared_ptr<TimerScript> script = std::make_shared<TimerScript>();
  Gemm reference = right_gemm();
  std::vector<GemmProblem> problems = {default_gemm(8, 24, 16, DType::kF16, DType::kF16)};
  Protocol protocol;
  std::vector<std::unique_ptr<Implementation>> implementations;
};

}  // namespace tilewright::measure
