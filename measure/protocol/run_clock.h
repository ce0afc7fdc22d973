// Time as the protocol spends it, so that a test's time passes without anybody waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace tilewright::measure {

class RunClock {
 public:
  virtual ~RunClock() = default;
  virtual std::int64_t now_ns() = 0;  // since some fixed moment; never goes back
  virtual void sleep_ns(std::int64_t ns) = 0;
};

class SteadyClock final : public RunClock {
 public:
  std::int64_t now_ns() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                start_)
        .count();
  }
  void sleep_ns(std::int64_t ns) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tilewright::measure
