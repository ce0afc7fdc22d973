// Every way of having no GPU is a Status of one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cuda_reason.h"
#include "tilewright/device.h"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::Not;

// B19: one line with the reason, never an exception, whether the machine has a GPU or not.
TEST(CudaDevice, b19_a_missing_device_is_a_status) {
  const Result<DeviceInfo> device = cuda_device(1000);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.status().code(), StatusCode::kNoDevice);
  EXPECT_THAT(device.status().message(), HasSubstr("CUDA device"));
  EXPECT_THAT(device.status().message(), Not(HasSubstr("\n")));
  EXPECT_FALSE(cuda_device(-1));
}

TEST(CudaReason, a_driver_older_than_the_toolkit_names_both_versions) {
  const Status status = driver_too_old({.driver = 12040, .runtime = 13010});
  EXPECT_EQ(status.code(), StatusCode::kNoDevice);
  EXPECT_EQ(status.message(),
            "no usable CUDA device: the driver is for CUDA 12.4, older than this build's toolkit "
            "13.1; a driver for CUDA 13.0 or newer is needed");
}

TEST(CudaReason, no_driver_at_all) {
  EXPECT_EQ(driver_too_old({.driver = 0, .runtime = 12090}).message(),
            "no usable CUDA device: no NVIDIA driver is installed; one for CUDA 12.0 or newer is "
            "needed");
}

TEST(CudaReason, else_the_drivers_own_words) {
  EXPECT_EQ(no_cuda_device("no CUDA-capable device is detected").message(),
            "no usable CUDA device: no CUDA-capable device is detected");
}

}  // namespace
}  // namespace tilewright
