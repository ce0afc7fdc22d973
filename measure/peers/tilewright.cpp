// Our own library as the engine sees it: through the public API alone, like any other user.
#include <fmt/format.h>

#include "measure/peers/implementation.h"
#include "measure/peers/owned_memory.h"

namespace tilewright::measure {
namespace {

class PreparedTilewright : public PreparedGemm {
 public:
  PreparedTilewright(GemmPlan plan, OwnedMemory workspace)
      : plan_(std::move(plan)), workspace_(std::move(workspace)) {}

  std::string kernel_name() const override { return std::string(plan_.kernel_name()); }

  Status run(const GemmArgs& args, Stream stream) override {
    return plan_.run(args, {.data = workspace_.get(), .bytes = plan_.workspace_bytes()}, stream);
  }

 private:
  GemmPlan plan_;
  OwnedMemory workspace_;
};

class Tilewright : public Implementation {
 public:
  explicit Tilewright(std::string kernel) : kernel_(std::move(kernel)) {}

  std::string_view id() const override {
    return kernel_.empty() ? std::string_view("tilewright") : std::string_view(kernel_);
  }
  std::string missing() const override { return ""; }

  Provenance provenance() const override {
    return {.version = TILEWRIGHT_VERSION,
            .path = "",
            .policy = kernel_.empty() ? "planner's choice" : "kernel by name",
            .workspace_limit_bytes = 0};
  }

  Status precheck(const GemmProblem& problem, const DeviceInfo& device) const override {
    return plan_gemm(problem, device, {.kernel = kernel_, .cpu_threads = 0}).status();
  }

  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem,
                                                const DeviceInfo& device,
                                                std::span<const GemmArgs>,
                                                Stream) override {
    Result<GemmPlan> plan = plan_gemm(problem, device, {.kernel = kernel_, .cpu_threads = 0});
    if (!plan) return plan.status();
    Result<OwnedMemory> workspace = allocate_workspace(device, plan->workspace_bytes());
    if (!workspace) return workspace.status();
    return std::unique_ptr<PreparedGemm>(
        std::make_unique<PreparedTilewright>(*std::move(plan), *std::move(workspace)));
  }

 private:
  std::string kernel_;
};

}  // namespace

std::unique_ptr<Implementation> make_tilewright(std::string kernel) {
  return std::make_unique<Tilewright>(std::move(kernel));
}

}  // namespace tilewright::measure
