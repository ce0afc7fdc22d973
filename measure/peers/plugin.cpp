#include "measure/peers/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "measure/peers/python.h"

namespace tilewright::measure {
namespace {

std::vector<AddedPeer>& added() {
  static std::vector<AddedPeer> peers;
  return peers;
}

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

bool is_well_formed(std::string_view id) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), fits);
}

enum class Host { kNo, kYes };

bool is_taken(std::string_view id, Host host) {
  if (host == Host::kYes && is_python_peer(id)) return false;
  for (const Backend backend : {Backend::kCpu, Backend::kCuda}) {
    const std::vector<std::string> known = known_ids(backend);
    if (std::find(known.begin(), known.end(), id) != known.end()) return true;
  }
  return false;
}

// Why a table cannot be used, a sentence's end; empty when it can.
std::string fault_of(const tw_peer& table, Host host) {
  if (table.abi_version != TW_PEER_ABI_VERSION) {
    return fmt::format("is of ABI version {}; {} is accepted", table.abi_version,
                       TW_PEER_ABI_VERSION);
  }
  if (table.struct_bytes != sizeof(tw_peer)) {
    return fmt::format("has {} bytes; a table of this version has {}", table.struct_bytes,
                       sizeof(tw_peer));
  }
  if (!is_well_formed(text_of(table.id))) {
    return fmt::format(
        "has the id '{}'; 1 to 64 lower case letters, digits, '-' and '.' are accepted",
        text_of(table.id));
  }
  if (table.backend != TW_PEER_CPU && table.backend != TW_PEER_CUDA) {
    return fmt::format("has backend {}; TW_PEER_CPU and TW_PEER_CUDA are accepted", table.backend);
  }
  if (!table.version || !table.prepare || !table.run || !table.destroy) {
    return "lacks one of version, prepare, run and destroy";
  }
  if (is_taken(table.id, host)) return fmt::format("has the id '{}', which is taken", table.id);
  return "";
}

Result<tw_peer_operand> operand_of(const Operand& operand) {
  tw_peer_operand out{};
  switch (operand.type) {
    case DType::kF32:
      out.type = TW_PEER_F32;
      break;
    case DType::kF16:
      out.type = TW_PEER_F16;
      break;
    case DType::kBF16:
      out.type = TW_PEER_BF16;
      break;
    default:
      return Status::unsupported(
          fmt::format("peers take f32, f16 and bf16, not {}", name_of(operand.type)));
  }
  out.order = operand.order == Order::kRowMajor ? TW_PEER_ROW_MAJOR : TW_PEER_COL_MAJOR;
  out.ld = operand.ld;
  out.batch_stride = operand.batch_stride;
  out.alignment_bytes = operand.alignment_bytes;
  return out;
}

Result<tw_peer_problem> problem_of(const GemmProblem& problem) {
  tw_peer_problem out{};
  out.struct_bytes = sizeof out;
  out.op = "gemm";
  out.m = problem.m;
  out.n = problem.n;
  out.k = problem.k;
  out.batch = problem.batch;
  const std::array<std::pair<const Operand*, tw_peer_operand*>, 4> operands = {
      {{&problem.a, &out.a}, {&problem.b, &out.b}, {&problem.c, &out.c}, {&problem.d, &out.d}}};
  for (const auto& [from, to] : operands) {
    const Result<tw_peer_operand> operand = operand_of(*from);
    if (!operand) return operand.status();
    *to = *operand;
  }
  return out;
}

tw_peer_device device_of(const DeviceInfo& device) {
  tw_peer_device out{};
  out.struct_bytes = sizeof out;
  out.backend = device.backend == Backend::kCuda ? TW_PEER_CUDA : TW_PEER_CPU;
  out.index = device.index;
  out.compute_capability = device.backend == Backend::kCuda ? device.compute_capability() : 0;
  out.threads = device.cpu.cores;
  return out;
}

tw_peer_set set_of(const GemmArgs& args) {
  return {args.a, args.b, args.beta == 0 ? nullptr : args.c, args.d};
}

Status answer(std::int32_t code, std::string_view id, const char* reason) {
  if (code == TW_PEER_OK) return {};
  const std::string why = *reason == '\0' ? "it gave no reason" : reason;
  return {code == TW_PEER_UNSUPPORTED ? StatusCode::kUnsupported : StatusCode::kDeviceError,
          fmt::format("{}: {}", id, why)};
}

constexpr std::size_t kReasonBytes = 512;

class PreparedPlugin final : public PreparedGemm {
 public:
  PreparedPlugin(const tw_peer& table, std::vector<tw_peer_set> sets)
      : table_(table), sets_(std::move(sets)) {}
  ~PreparedPlugin() override {
    if (state_ != nullptr) table_.destroy(table_.context, state_);
  }
  PreparedPlugin(const PreparedPlugin&) = delete;
  PreparedPlugin& operator=(const PreparedPlugin&) = delete;

  Status prepare(const tw_peer_problem& problem, const tw_peer_device& device, Stream stream) {
    tw_peer_facts facts{};
    facts.struct_bytes = sizeof facts;
    char reason[kReasonBytes] = "";
    const std::int32_t code = table_.prepare(table_.context, &problem, &device, sets_.data(),
                                             static_cast<std::int64_t>(sets_.size()), stream.handle,
                                             &state_, &facts, reason, sizeof reason);
    reason[kReasonBytes - 1] = '\0';
    if (code != TW_PEER_OK) {
      state_ = nullptr;
      return answer(code, table_.id, reason);
    }
    kernel_ = text_of(facts.kernel);
    policy_ = text_of(facts.policy);
    padding_ = text_of(facts.padding);
    workspace_bytes_ = facts.workspace_bytes;
    persisting_l2_bytes_ = facts.persisting_l2_bytes;
    return {};
  }

  std::string kernel_name() const override { return kernel_; }
  std::string policy() const override { return policy_; }
  std::string padding() const override { return padding_; }
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::int64_t persisting_l2_bytes() const override { return persisting_l2_bytes_; }

  Status run(const GemmArgs& args, Stream stream) override {
    const auto found = std::find_if(sets_.begin(), sets_.end(),
                                    [&](const tw_peer_set& set) { return set.d == args.d; });
    if (found == sets_.end()) {
      return Status::invalid(fmt::format("{}: it was not prepared for these operands", table_.id));
    }
    const tw_peer_set operands = set_of(args);
    char reason[kReasonBytes] = "";
    const std::int32_t code =
        table_.run(table_.context, state_, found - sets_.begin(), &operands, args.alpha, args.beta,
                   stream.handle, reason, sizeof reason);
    reason[kReasonBytes - 1] = '\0';
    return answer(code, table_.id, reason);
  }

 private:
  const tw_peer& table_;
  std::vector<tw_peer_set> sets_;
  void* state_ = nullptr;
  std::string kernel_, policy_, padding_;
  std::int64_t workspace_bytes_ = 0, persisting_l2_bytes_ = 0;
};

class PluginPeer final : public Implementation {
 public:
  explicit PluginPeer(const AddedPeer& peer) : table_(*peer.table), where_(peer.where) {}

  std::string_view id() const override { return table_.id; }
  std::string missing() const override {
    return table_.missing == nullptr ? "" : text_of(table_.missing(table_.context));
  }
  Provenance provenance() const override {
    Provenance from;
    from.version = text_of(table_.version(table_.context));
    if (table_.path != nullptr) from.path = text_of(table_.path(table_.context));
    if (from.path.empty()) from.path = where_;
    return from;
  }

  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem,
                                                const DeviceInfo& device,
                                                std::span<const GemmArgs> sets,
                                                Stream stream) override {
    Result<tw_peer_problem> told = problem_of(problem);
    if (!told) return told.status();
    told->alpha = sets.front().alpha;
    told->beta = sets.front().beta;
    std::vector<tw_peer_set> all;
    for (const GemmArgs& args : sets) all.push_back(set_of(args));
    auto prepared = std::make_unique<PreparedPlugin>(table_, std::move(all));
    if (Status status = prepared->prepare(*told, device_of(device), stream); !status) return status;
    return std::unique_ptr<PreparedGemm>(std::move(prepared));
  }

 private:
  const tw_peer& table_;
  std::string where_;
};

Status add_tables(const tw_peer* tables, std::uint32_t count, const std::string& where, Host host) {
  if (tables == nullptr || count == 0) {
    return Status::invalid(
        fmt::format("{} has no peer of ABI version {}; build it against this "
                    "version's tilewright/peer.h",
                    where, TW_PEER_ABI_VERSION));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string fault = fault_of(tables[i], host);
    for (std::uint32_t j = 0; j < i && fault.empty(); ++j) {
      const bool same =
          text_of(tables[i].id) == text_of(tables[j].id) && tables[i].backend == tables[j].backend;
      if (same) fault = "has the id of another one there";
    }
    if (!fault.empty()) return Status::invalid(fmt::format("peer {} of {} {}", i, where, fault));
  }
  for (std::uint32_t i = 0; i < count; ++i) added().push_back({tables + i, where});
  return {};
}

}  // namespace

Status add_peers(const tw_peer* tables, std::uint32_t count, const std::string& where) {
  return add_tables(tables, count, where, Host::kNo);
}

Status add_host_peers(const tw_peer* tables, std::uint32_t count, const std::string& where) {
  return add_tables(tables, count, where, Host::kYes);
}

Status add_peer_library(const std::string& path) {
  std::error_code error;
  const std::string file = std::filesystem::absolute(path, error).string();
  // Never closed: its code may run until the process ends.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Status::invalid(
        fmt::format("'{}' does not load as a shared object: {}", path, dlerror()));
  }
  const auto peers = reinterpret_cast<tw_peers_function>(dlsym(library, "tw_peers"));
  if (peers == nullptr) {
    return Status::invalid(fmt::format(
        "'{}' has no function tw_peers; a peer exports the one that tilewright/peer.h describes",
        path));
  }
  std::uint32_t count = 0;
  const tw_peer* tables = peers(TW_PEER_ABI_VERSION, &count);
  return add_peers(tables, count, file);
}

const std::vector<AddedPeer>& added_peers() {
  return added();
}

std::unique_ptr<Implementation> make_plugin_peer(const AddedPeer& peer) {
  return std::make_unique<PluginPeer>(peer);
}

}  // namespace tilewright::measure
