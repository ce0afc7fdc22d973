// Peers from outside: the complete example, and tables with one fault each.
#include "measure/peers/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <functional>

#include "tests/measure/peer_problem.h"

namespace tilewright::measure {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// What the table of a test does; its functions are plain C.
struct Script {
  std::int32_t prepare_code = TW_PEER_OK, run_code = TW_PEER_OK;
  std::string reason;
  std::int64_t sets = 0, ran_set = -1, destroyed = 0;
  tw_peer_problem problem{};
};

int32_t scripted_prepare(void* context, const tw_peer_problem* problem, const tw_peer_device*,
                         const tw_peer_set*, int64_t count, void*, void** state,
                         tw_peer_facts* facts, char* reason, uint64_t reason_bytes) {
  auto& script = *static_cast<Script*>(context);
  script.problem = *problem;
  script.sets = count;
  std::snprintf(reason, reason_bytes, "%s", script.reason.c_str());
  facts->kernel = "a kernel";
  facts->policy = "tuned";
  facts->padding = "k padded from 3 to 8";
  facts->workspace_bytes = 4096;
  facts->persisting_l2_bytes = 128;
  *state = context;
  return script.prepare_code;
}

int32_t scripted_run(void* context, void* state, int64_t set, const tw_peer_set*, float, float,
                     void*, char* reason, uint64_t reason_bytes) {
  auto& script = *static_cast<Script*>(context);
  EXPECT_EQ(state, context);
  script.ran_set = set;
  std::snprintf(reason, reason_bytes, "%s", script.reason.c_str());
  return script.run_code;
}

tw_peer table_of(const char* id, Script& script) {
  tw_peer table{};
  table.abi_version = TW_PEER_ABI_VERSION;
  table.struct_bytes = sizeof(tw_peer);
  table.id = id;
  table.context = &script;
  table.backend = TW_PEER_CPU;
  table.version = [](void*) { return "2.1 (0123abc)"; };
  table.prepare = scripted_prepare;
  table.run = scripted_run;
  table.destroy = [](void* context, void*) { ++static_cast<Script*>(context)->destroyed; };
  return table;
}

TEST(Plugin, TheExampleMultipliesAndIsListed) {
  ASSERT_TRUE(add_peer_library(TILEWRIGHT_NAIVE_PEER));
  EXPECT_THAT(known_ids(Backend::kCpu), Contains("naive-delayed"));
  EXPECT_THAT(default_ids(Backend::kCpu), Contains("naive"));
  EXPECT_THAT(known_ids(Backend::kCuda), Not(Contains("naive")));
  const DeviceInfo device = cpu_device();
  const auto peer = make_implementation("naive", device);
  ASSERT_TRUE(peer);
  EXPECT_EQ((*peer)->missing(), "");
  EXPECT_EQ((*peer)->provenance().version, "1.0");
  EXPECT_THAT((*peer)->provenance().path, HasSubstr("libnaive.so"));

  const GemmProblem problem = default_gemm(2, 2, 3, DType::kF32, DType::kF32);
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 2, 3, 1, 1};
  std::vector<float> d(4, -1);
  GemmArgs args;
  args.a = a.data();
  args.b = b.data();
  args.d = d.data();
  const auto prepared = (*peer)->prepare(problem, device, {&args, 1}, {});
  ASSERT_TRUE(prepared) << prepared.status().message();
  EXPECT_EQ((*prepared)->kernel_name(), "three loops");
  EXPECT_EQ((*prepared)->policy(), "there is only one");
  ASSERT_TRUE((*prepared)->run(args, {}));
  EXPECT_THAT(d, ::testing::ElementsAre(7, 8, 16, 23));
  const auto half =
      (*peer)->prepare(default_gemm(2, 2, 3, DType::kF16, DType::kF16), device, {&args, 1}, {});
  EXPECT_EQ(half.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(half.status().message(), HasSubstr("naive: it takes gemm with f32 operands only"));
  EXPECT_THAT(add_peer_library(TILEWRIGHT_NAIVE_PEER).message(),
              HasSubstr("'naive', which is taken"));
}

TEST(Plugin, WhatATableTellsIsKeptAndItsSetsAreCounted) {
  static Script script;  // its table stays with the process
  static const tw_peer table = table_of("scripted", script);
  ASSERT_TRUE(add_peers(&table, 1, "a test"));
  const DeviceInfo device = cpu_device();
  const auto peer = make_implementation("scripted", device);
  ASSERT_TRUE(peer);
  EXPECT_EQ((*peer)->provenance().path, "a test");
  float d[3];
  std::vector<GemmArgs> sets(3);
  for (int i = 0; i < 3; ++i) sets[static_cast<std::size_t>(i)].d = d + i;
  GemmProblem problem = default_gemm(2, 3, 4, DType::kBF16, DType::kF32);
  problem.a.ld = 9;
  {
    const auto prepared = (*peer)->prepare(problem, device, sets, {});
    ASSERT_TRUE(prepared);
    EXPECT_EQ(script.sets, 3);
    EXPECT_EQ(script.problem.a.type, TW_PEER_BF16);
    EXPECT_EQ(script.problem.a.ld, 9);
    EXPECT_EQ(script.problem.b.order, TW_PEER_COL_MAJOR);
    EXPECT_EQ((*prepared)->padding(), "k padded from 3 to 8");
    EXPECT_EQ((*prepared)->workspace_bytes(), 4096);
    EXPECT_EQ((*prepared)->persisting_l2_bytes(), 128);
    ASSERT_TRUE((*prepared)->run(sets[2], {}));
    EXPECT_EQ(script.ran_set, 2);
    GemmArgs stranger;
    EXPECT_THAT((*prepared)->run(stranger, {}).message(), HasSubstr("not prepared for these"));
    script.run_code = TW_PEER_FAILED;
    script.reason = "out of luck";
    EXPECT_EQ((*prepared)->run(sets[0], {}).message(), "scripted: out of luck");
    script.run_code = 99;  // whatever it says that is not OK
    EXPECT_FALSE((*prepared)->run(sets[0], {}));
    EXPECT_EQ(script.destroyed, 0);
  }
  EXPECT_EQ(script.destroyed, 1);
  script.prepare_code = TW_PEER_UNSUPPORTED;
  script.reason.clear();
  const auto refused = (*peer)->prepare(problem, device, sets, {});
  EXPECT_EQ(refused.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(refused.status().message(), "scripted: it gave no reason");
  EXPECT_EQ(script.destroyed, 1) << "there is no state to destroy";
}

TEST(Plugin, FaultyTablesAreRefusedInASentence) {
  Script script;
  const auto refusal = [&](const std::function<void(tw_peer&)>& spoil) {
    tw_peer table = table_of("faulty", script);
    spoil(table);
    const Status status = add_peers(&table, 1, "x.so");
    return status ? "accepted" : status.message();
  };
  EXPECT_EQ(refusal([](tw_peer& t) { t.abi_version = 2; }),
            "peer 0 of x.so is of ABI version 2; 1 is accepted");
  EXPECT_THAT(refusal([](tw_peer& t) { t.struct_bytes = 8; }), HasSubstr("has 8 bytes"));
  for (const char* id : {"", "Upper", "with space", static_cast<const char*>(nullptr)}) {
    EXPECT_THAT(refusal([&](tw_peer& t) { t.id = id; }), HasSubstr("lower case letters"));
  }
  EXPECT_THAT(refusal([](tw_peer& t) { t.id = "openblas"; }), HasSubstr("which is taken"));
  EXPECT_THAT(refusal([](tw_peer& t) { t.backend = 7; }), HasSubstr("has backend 7"));
  EXPECT_THAT(refusal([](tw_peer& t) { t.run = nullptr; }), HasSubstr("lacks one of"));
  const tw_peer twins[] = {table_of("twin", script), table_of("twin", script)};
  EXPECT_THAT(add_peers(twins, 2, "x.so").message(),
              HasSubstr("peer 1 of x.so has the id of another"));
  EXPECT_THAT(add_peers(nullptr, 0, "x.so").message(), HasSubstr("no peer of ABI version 1"));
  EXPECT_THAT(known_ids(Backend::kCpu), Not(Contains("twin"))) << "all of a library or none";
}

TEST(Plugin, WhatIsNoPeerLibraryIsRefused) {
  EXPECT_THAT(add_peer_library("/nowhere/libpeer.so").message(),
              HasSubstr("'/nowhere/libpeer.so' does not load as a shared object"));
  EXPECT_THAT(add_peer_library("/proc/self/exe").message(), HasSubstr("does not load"));
}

}  // namespace
}  // namespace tilewright::measure
