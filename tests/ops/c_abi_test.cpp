// The C ABI as another language meets it: the library is opened by its path, and nothing but the
// header is shared with it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "tilewright/tilewright.h"

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Library {
  void* handle = dlopen(TILEWRIGHT_SHARED, RTLD_NOW | RTLD_LOCAL);

  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle, name));
  }

#define TW_FUNCTION(name) decltype(::tw_##name)* name = find<decltype(::tw_##name)>("tw_" #name)
  TW_FUNCTION(abi_version);
  TW_FUNCTION(last_error);
  TW_FUNCTION(device_cpu);
  TW_FUNCTION(device_cuda);
  TW_FUNCTION(device_card);
  TW_FUNCTION(device_name);
  TW_FUNCTION(device_destroy);
  TW_FUNCTION(gemm_problem_default);
  TW_FUNCTION(gemm_plan_create);
  TW_FUNCTION(gemm_plan_workspace_bytes);
  TW_FUNCTION(gemm_plan_kernel_name);
  TW_FUNCTION(gemm_plan_run);
  TW_FUNCTION(gemm_plan_destroy);
#undef TW_FUNCTION
};

class CAbi : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    library_ = new Library;
    ASSERT_NE(library_->handle, nullptr) << dlerror();
  }
  static void TearDownTestSuite() {
    dlclose(library_->handle);
    delete library_;
  }
  void SetUp() override {
    ASSERT_EQ(tw().device_cpu(&cpu_), TW_OK) << tw().last_error();
    problem_.struct_size = sizeof(problem_);
    ASSERT_EQ(tw().gemm_problem_default(2, 2, 2, TW_F32, TW_F32, &problem_), TW_OK);
  }
  void TearDown() override {
    tw().gemm_plan_destroy(plan_);
    tw().device_destroy(cpu_);
  }

  static const Library& tw() { return *library_; }
  tw_status plan(const char* kernel = nullptr) {
    return tw().gemm_plan_create(&problem_, cpu_, kernel, 0, &plan_);
  }
  tw_status run() { return tw().gemm_plan_run(plan_, &args_, nullptr, 0, nullptr); }

  static Library* library_;
  tw_device* cpu_ = nullptr;
  tw_gemm_plan* plan_ = nullptr;
  tw_gemm_problem problem_ = {};
  alignas(16) float a_[4] = {1, 2, 3, 4}, b_[4] = {5, 6, 7, 8}, c_[4] = {100, 200, 300, 400},
                    d_[4] = {-1, -1, -1, -1};
  tw_gemm_args args_ = {sizeof(tw_gemm_args), a_, b_, c_, d_, 1.0f, 1.0f};
};

Library* CAbi::library_ = nullptr;

TEST_F(CAbi, VersionIsTheHeaders) {
  EXPECT_EQ(tw().abi_version(), TW_ABI_VERSION);
}

// The sizes are the ABI: a field more or another order breaks programs compiled before.
TEST_F(CAbi, StructsKeepTheirLayout) {
  EXPECT_EQ(sizeof(tw_operand), 32u);
  EXPECT_EQ(offsetof(tw_operand, ld), 8u);
  EXPECT_EQ(sizeof(tw_gemm_problem), 168u);
  EXPECT_EQ(offsetof(tw_gemm_problem, a), 40u);
  EXPECT_EQ(sizeof(tw_gemm_args), 48u);
  EXPECT_EQ(offsetof(tw_gemm_args, alpha), 40u);
}

TEST_F(CAbi, NothingElseIsExported) {
  EXPECT_NE(dlsym(tw().handle, "tw_gemm_plan_run"), nullptr);
  EXPECT_EQ(dlsym(tw().handle, "_ZN10tilewright10cpu_deviceEv"), nullptr);
  EXPECT_EQ(dlsym(tw().handle, "_ZN10tilewright9gemm_rowsEv"), nullptr);
}

TEST_F(CAbi, RunsAProduct) {
  ASSERT_EQ(plan(), TW_OK) << tw().last_error();
  ASSERT_EQ(tw().gemm_plan_workspace_bytes(plan_), 0u);
  EXPECT_THAT(tw().gemm_plan_kernel_name(plan_), HasSubstr("gemm-cpu"));
  ASSERT_EQ(run(), TW_OK) << tw().last_error();
  EXPECT_THAT(d_, ElementsAre(117, 223, 339, 453));
}

TEST_F(CAbi, PlanOutlivesDeviceAndTakesANamedKernel) {
  ASSERT_EQ(plan("gemm-cpu-reference"), TW_OK) << tw().last_error();
  EXPECT_STREQ(tw().gemm_plan_kernel_name(plan_), "gemm-cpu-reference");
  tw().device_destroy(cpu_);
  cpu_ = nullptr;
  args_.c = nullptr;
  args_.beta = 0.0f;
  ASSERT_EQ(run(), TW_OK) << tw().last_error();
  EXPECT_THAT(d_, ElementsAre(17, 23, 39, 53));
}

TEST_F(CAbi, StructsOfAnotherSizeAreRefused) {
  for (const std::size_t size : {std::size_t{0}, sizeof(problem_) - 8, sizeof(problem_) + 8}) {
    problem_.struct_size = size;
    EXPECT_EQ(plan(), TW_INVALID_ARGUMENT);
    EXPECT_THAT(tw().last_error(), AllOf(HasSubstr("struct_size = " + std::to_string(size)),
                                         HasSubstr("168 is accepted")));
    EXPECT_EQ(tw().gemm_problem_default(1, 1, 1, TW_F32, TW_F32, &problem_), TW_INVALID_ARGUMENT);
    EXPECT_EQ(problem_.m, 2);
  }
  problem_.struct_size = sizeof(problem_);
  ASSERT_EQ(plan(), TW_OK);
  args_.struct_size = 40;
  EXPECT_EQ(run(), TW_INVALID_ARGUMENT);
  EXPECT_THAT(d_, ElementsAre(-1, -1, -1, -1));
}

TEST_F(CAbi, NullArgumentsAreRefused) {
  EXPECT_EQ(tw().device_cpu(nullptr), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("out is null"));
  tw_device* device = cpu_;
  EXPECT_EQ(tw().device_card(nullptr, &device), TW_INVALID_ARGUMENT);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(tw().gemm_problem_default(1, 1, 1, TW_F32, TW_F32, nullptr), TW_INVALID_ARGUMENT);
  EXPECT_EQ(tw().gemm_plan_create(nullptr, cpu_, nullptr, 0, &plan_), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("problem is null"));
  EXPECT_EQ(tw().gemm_plan_create(&problem_, nullptr, nullptr, 0, &plan_), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("device is null"));
  EXPECT_EQ(tw().gemm_plan_create(&problem_, cpu_, nullptr, 0, nullptr), TW_INVALID_ARGUMENT);
  EXPECT_EQ(run(), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("plan is null"));
  ASSERT_EQ(plan(), TW_OK);
  EXPECT_EQ(tw().gemm_plan_run(plan_, nullptr, nullptr, 0, nullptr), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("args is null"));
  args_.a = nullptr;
  EXPECT_EQ(run(), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("a is null"));

  EXPECT_EQ(tw().gemm_plan_workspace_bytes(nullptr), 0u);
  EXPECT_STREQ(tw().gemm_plan_kernel_name(nullptr), "");
  EXPECT_STREQ(tw().device_name(nullptr), "");
  tw().gemm_plan_destroy(nullptr);
  tw().device_destroy(nullptr);
}

// Values that would be right if they were cut to the C++ type's width.
TEST_F(CAbi, WideValuesDoNotWrap) {
  const auto refused = [&](auto tw_operand::*field, std::int64_t value, const char* name) {
    const tw_gemm_problem sound = problem_;
    problem_.a.*field = static_cast<std::remove_reference_t<decltype(problem_.a.*field)>>(value);
    EXPECT_EQ(plan(), TW_INVALID_ARGUMENT) << name;
    EXPECT_EQ(plan_, nullptr);
    EXPECT_THAT(tw().last_error(), HasSubstr(std::string(name) + " = " + std::to_string(value)));
    problem_ = sound;
  };
  refused(&tw_operand::type, 256, "a.type");
  refused(&tw_operand::type, -1, "a.type");
  refused(&tw_operand::type, 9, "a.type");
  refused(&tw_operand::order, 256, "a.order");
  refused(&tw_operand::order, 2, "a.order");
  refused(&tw_operand::alignment_bytes, (std::int64_t{1} << 32) + 16, "a.alignment_bytes");
  refused(&tw_operand::ld, 1, "a.ld");
  EXPECT_EQ(tw().gemm_problem_default(1, 1, 1, 256, TW_F32, &problem_), TW_INVALID_ARGUMENT);
}

TEST_F(CAbi, CodesAreThoseOfTheLibrary) {
  tw_device* device = nullptr;
  EXPECT_EQ(tw().device_card("no-such-card", &device), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("h200"));
  EXPECT_EQ(tw().device_cuda(1 << 20, &device), TW_NO_DEVICE);
  EXPECT_EQ(device, nullptr);
  ASSERT_EQ(tw().device_card("T4", &device), TW_OK);
  EXPECT_STREQ(tw().device_name(device), "Tesla T4");
  EXPECT_EQ(tw().gemm_plan_create(&problem_, device, nullptr, 0, &plan_), TW_UNSUPPORTED);
  tw().device_destroy(device);
  EXPECT_EQ(plan("gemm-cpu-referense"), TW_INVALID_ARGUMENT);
  EXPECT_THAT(tw().last_error(), HasSubstr("gemm-cpu-reference"));
}

TEST_F(CAbi, LastErrorBelongsToItsThread) {
  EXPECT_EQ(tw().device_cpu(nullptr), TW_INVALID_ARGUMENT);
  std::string elsewhere = "not asked";
  std::thread([&] { elsewhere = tw().last_error(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_THAT(tw().last_error(), HasSubstr("out is null"));
}

TEST_F(CAbi, LongSentencesAreCutNotOverrun) {
  const std::string name(5000, 'x');
  EXPECT_EQ(plan(name.c_str()), TW_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(tw().last_error()).size(), 1023u);
}

}  // namespace
