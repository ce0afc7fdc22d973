// The C ABI: the public C++ API behind opaque handles. Nothing is decided here; what differs is
// that every enum and every size arrives as an untrusted integer.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>

#include "tilewright/gemm.h"
#include "tilewright/tilewright.h"

struct tw_device {
  tilewright::DeviceInfo info;
};

struct tw_gemm_plan {
  tilewright::GemmPlan plan;
  std::string kernel_name;  // zero-terminated, which a string_view need not be
};

namespace {

using tilewright::DeviceInfo;
using tilewright::GemmProblem;
using tilewright::Operand;
using tilewright::Result;
using tilewright::Status;
using tilewright::StatusCode;

static_assert(TW_OK == static_cast<int>(StatusCode::kOk));
static_assert(TW_INVALID_ARGUMENT == static_cast<int>(StatusCode::kInvalidArgument));
static_assert(TW_UNSUPPORTED == static_cast<int>(StatusCode::kUnsupported));
static_assert(TW_NO_DEVICE == static_cast<int>(StatusCode::kNoDevice));
static_assert(TW_DEVICE_ERROR == static_cast<int>(StatusCode::kDeviceError));
static_assert(TW_F32 == static_cast<int>(tilewright::DType::kF32));
static_assert(TW_F16 == static_cast<int>(tilewright::DType::kF16));
static_assert(TW_BF16 == static_cast<int>(tilewright::DType::kBF16));
static_assert(TW_ROW_MAJOR == static_cast<int>(tilewright::Order::kRowMajor));
static_assert(TW_COL_MAJOR == static_cast<int>(tilewright::Order::kColMajor));

// A plain buffer: it needs no destructor, so the library may be unloaded while a thread lives on.
thread_local char last_error[1024] = "";

tw_status fail(StatusCode code, std::string_view sentence) {
  const std::size_t length = std::min(sentence.size(), sizeof(last_error) - 1);
  std::memcpy(last_error, sentence.data(), length);
  last_error[length] = '\0';
  return static_cast<tw_status>(code);
}

// Runs `body`, which returns a Status, and turns what comes out of it into a code and a sentence.
template <class Body>
tw_status guarded(Body body) {
  try {
    const Status status = body();
    return status.ok() ? TW_OK : fail(status.code(), status.message());
  } catch (const std::exception& error) {
    return fail(StatusCode::kDeviceError, error.what());
  }
}

Status null_argument(std::string_view name, std::string_view wanted) {
  return Status::invalid(fmt::format("{} is null; {} is accepted", name, wanted));
}

// The structs of version 1 have one size; a later version that appends fields accepts both.
template <class Struct>
Status check_struct(const Struct* given, std::string_view name) {
  if (given == nullptr)
    return null_argument(name, fmt::format("the address of a tw_gemm_{}", name));
  if (given->struct_size == sizeof(Struct)) return {};
  return Status::invalid(
      fmt::format("{}->struct_size = {} is not known; sizeof(tw_gemm_{}) = {} is "
                  "accepted",
                  name, given->struct_size, name, sizeof(Struct)));
}

// Fits `value` into the narrower type of the C++ field without letting a wrong value wrap into a
// right one; validation then refuses what fits but means nothing.
template <class Narrow>
Status narrow(std::string_view field, std::int64_t value, Narrow* out,
              std::int64_t largest = std::numeric_limits<Narrow>::max()) {
  if (value < 0 || value > largest) {
    return Status::invalid(
        fmt::format("{} = {} is out of range; 0 to {} is accepted", field, value, largest));
  }
  *out = static_cast<Narrow>(value);
  return {};
}

Status convert(std::string_view name, const tw_operand& from, Operand* to) {
  std::uint8_t type = 0, order = 0;
  if (Status s = narrow(fmt::format("{}.type", name), from.type, &type, TW_BF16); !s.ok()) return s;
  if (Status s = narrow(fmt::format("{}.order", name), from.order, &order, TW_COL_MAJOR); !s.ok())
    return s;
  if (Status s = narrow(fmt::format("{}.alignment_bytes", name), from.alignment_bytes,
                        &to->alignment_bytes);
      !s.ok()) {
    return s;
  }
  to->type = static_cast<tilewright::DType>(type);
  to->order = static_cast<tilewright::Order>(order);
  to->ld = from.ld;
  to->batch_stride = from.batch_stride;
  return {};
}

tw_operand convert(const Operand& from) {
  return {.type = static_cast<tw_dtype>(from.type),
          .order = static_cast<tw_order>(from.order),
          .ld = from.ld,
          .batch_stride = from.batch_stride,
          .alignment_bytes = from.alignment_bytes};
}

Status convert(const tw_gemm_problem& from, GemmProblem* to) {
  to->m = from.m;
  to->n = from.n;
  to->k = from.k;
  to->batch = from.batch;
  if (Status s = convert("a", from.a, &to->a); !s.ok()) return s;
  if (Status s = convert("b", from.b, &to->b); !s.ok()) return s;
  if (Status s = convert("c", from.c, &to->c); !s.ok()) return s;
  return convert("d", from.d, &to->d);
}

Status check_out(const void* out) {
  return out != nullptr ? Status{} : null_argument("out", "the address of a handle");
}

Status hand_out(Result<DeviceInfo> device, tw_device** out) {
  if (device.ok()) *out = new tw_device{std::move(*device)};
  return device.status();
}

}  // namespace

int32_t tw_abi_version(void) {
  return TW_ABI_VERSION;
}

const char* tw_last_error(void) {
  return last_error;
}

tw_status tw_device_cpu(tw_device** out) {
  return guarded([&] {
    if (Status s = check_out(out); !s.ok()) return s;
    *out = nullptr;
    return hand_out(tilewright::cpu_device(), out);
  });
}

tw_status tw_device_cuda(int32_t index, tw_device** out) {
  return guarded([&] {
    if (Status s = check_out(out); !s.ok()) return s;
    *out = nullptr;
    return hand_out(tilewright::cuda_device(index), out);
  });
}

tw_status tw_device_card(const char* name, tw_device** out) {
  return guarded([&] {
    if (Status s = check_out(out); !s.ok()) return s;
    *out = nullptr;
    if (name == nullptr) return null_argument("name", "a card such as \"h200\"");
    return hand_out(tilewright::card(name), out);
  });
}

const char* tw_device_name(const tw_device* device) {
  return device != nullptr ? device->info.name.c_str() : "";
}

void tw_device_destroy(tw_device* device) {
  delete device;
}

tw_status tw_gemm_problem_default(int64_t m, int64_t n, int64_t k, tw_dtype inputs, tw_dtype output,
                                  tw_gemm_problem* problem) {
  return guarded([&] {
    if (Status s = check_struct(problem, "problem"); !s.ok()) return s;
    std::uint8_t in = 0, out = 0;
    if (Status s = narrow("inputs", inputs, &in, TW_BF16); !s.ok()) return s;
    if (Status s = narrow("output", output, &out, TW_BF16); !s.ok()) return s;
    const GemmProblem p = tilewright::default_gemm(m, n, k, static_cast<tilewright::DType>(in),
                                                   static_cast<tilewright::DType>(out));
    *problem = {.struct_size = sizeof(tw_gemm_problem),
                .m = p.m,
                .n = p.n,
                .k = p.k,
                .batch = p.batch,
                .a = convert(p.a),
                .b = convert(p.b),
                .c = convert(p.c),
                .d = convert(p.d)};
    return Status{};
  });
}

tw_status tw_gemm_plan_create(const tw_gemm_problem* problem, const tw_device* device,
                              const char* kernel, int32_t cpu_threads, tw_gemm_plan** out) {
  return guarded([&] {
    if (Status s = check_out(out); !s.ok()) return s;
    *out = nullptr;
    if (Status s = check_struct(problem, "problem"); !s.ok()) return s;
    if (device == nullptr) return null_argument("device", "a handle of tw_device_cpu or another");
    GemmProblem converted;
    if (Status s = convert(*problem, &converted); !s.ok()) return s;
    Result<tilewright::GemmPlan> plan = tilewright::plan_gemm(
        converted, device->info,
        {.kernel = kernel != nullptr ? kernel : "", .cpu_threads = cpu_threads});
    if (plan.ok()) *out = new tw_gemm_plan{*plan, std::string(plan->kernel_name())};
    return plan.status();
  });
}

size_t tw_gemm_plan_workspace_bytes(const tw_gemm_plan* plan) {
  return plan != nullptr ? plan->plan.workspace_bytes() : 0;
}

const char* tw_gemm_plan_kernel_name(const tw_gemm_plan* plan) {
  return plan != nullptr ? plan->kernel_name.c_str() : "";
}

tw_status tw_gemm_plan_run(const tw_gemm_plan* plan, const tw_gemm_args* args, void* workspace,
                           size_t workspace_bytes, void* stream) {
  return guarded([&] {
    if (plan == nullptr) return null_argument("plan", "a handle of tw_gemm_plan_create");
    if (Status s = check_struct(args, "args"); !s.ok()) return s;
    return plan->plan.run({.a = args->a,
                           .b = args->b,
                           .c = args->c,
                           .d = args->d,
                           .alpha = args->alpha,
                           .beta = args->beta,
                           .epilogue = {}},
                          {.data = workspace, .bytes = workspace_bytes}, {.handle = stream});
  });
}

void tw_gemm_plan_destroy(tw_gemm_plan* plan) {
  delete plan;
}
