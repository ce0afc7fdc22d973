// What every test on a card begins and ends with.
#pragma once

#include <gtest/gtest.h>

#include "tests/ops/memory_harness.h"

namespace tilewright::tests {

// Skips with the driver's own reason where there is no card, and fails a test that leaves an error
// on the device.
template <class Base>
class OnCard : public Base {
 protected:
  void SetUp() override {
    const Result<DeviceInfo> found = cuda_device(0);
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    device_ = *found;
  }

  void TearDown() override {
    if (this->IsSkipped()) return;
    EXPECT_EQ(device_fault(device_), "") << "an error stuck to the device";
  }

  const DeviceInfo& device() const { return device_; }

 private:
  DeviceInfo device_;
};

}  // namespace tilewright::tests
