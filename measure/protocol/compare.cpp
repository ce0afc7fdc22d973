#include "measure/protocol/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "measure/peers/implementation.h"
#include "measure/protocol/device.h"
#include "measure/protocol/engine.h"
#include "measure/protocol/gate.h"
#include "measure/record/journal.h"
#include "measure/timers/cupti_session.h"
#include "measure/timers/timer.h"

namespace tilewright::measure {
namespace {

Status check_protocol(const Protocol& protocol) {
  if (protocol.rounds < 1 || *protocol.samples_per_round < 1 || protocol.sample_target_us < 1) {
    return Status::invalid(fmt::format(
        "rounds is {}, samples a round {} and the sample target {} us; each must be at least 1",
        protocol.rounds, *protocol.samples_per_round, protocol.sample_target_us));
  }
  if (protocol.warmup_ms < 0 || protocol.first_warmup_ms < 0) {
    return Status::invalid(
        fmt::format("the warm-up is {} ms, and {} ms before the first cell; 0 or "
                    "more is accepted",
                    protocol.warmup_ms, protocol.first_warmup_ms));
  }
  if (!(protocol.rotation_factor >= 0) || protocol.rotation_factor > 1e6) {
    return Status::invalid(fmt::format(
        "the rotation factor is {}; 0 to 1000000 caches are accepted", protocol.rotation_factor));
  }
  if (protocol.fill->fill == Fill::kFile && protocol.fill->file.empty()) {
    return Status::invalid("the operands are filled from a file that is empty");
  }
  return {};
}

// Whether a problem is wrong whatever the kernel; that no kernel takes it is not asked here.
Status check_problem(const GemmProblem& problem, const DeviceInfo& device) {
  Result<GemmPlan> plan = plan_gemm(problem, device);
  if (!plan && plan.status().code() == StatusCode::kInvalidArgument) return plan.status();
  return {};
}

// What this process is called on the card: its own number or, from within a container, the one that
// came there together with the first device. It stays there until it ends.
std::vector<CardProcess>& own_names() {
  static std::vector<CardProcess> names{{::getpid(), "", std::nullopt}};
  return names;
}

std::vector<CardProcess> others_on(Card& card) {
  std::vector<CardProcess> others = card.use().processes;
  std::erase_if(others, [&](const CardProcess& process) {
    return std::find(own_names().begin(), own_names().end(), process) != own_names().end();
  });
  return others;
}

// Those who are there now and were not before the device was opened.
void learn_own_names(const std::vector<CardProcess>& before, Card& card) {
  for (const CardProcess& process : others_on(card)) {
    if (std::find(before.begin(), before.end(), process) == before.end()) {
      own_names().push_back(process);
    }
  }
}

CardFacts facts_of(const Card& card) {
  CardFacts facts;
  facts.missing = card.missing();
  facts.driver_version = card.driver_version();
  facts.power_limit_mw = card.power_limit_mw();
  facts.highest_sm_mhz = card.highest_sm_mhz();
  facts.highest_memory_mhz = card.highest_memory_mhz();
  facts.cpu = read_cpu_state();
  return facts;
}

// Why the card is not free, a sentence; empty when it is.
std::string busy(Card& card) {
  constexpr int kIdlePercent = 5;  // the driver's own housekeeping
  const std::vector<CardProcess> others = others_on(card);
  if (!others.empty()) {
    const CardProcess& first = others.front();
    return fmt::format("{} other processes compute on this card, the first is {}{}", others.size(),
                       first.pid, first.name.empty() ? "" : " (" + first.name + ")");
  }
  // This process's own work counts there too, so only the first run of a process can tell.
  static bool first_look = true;
  const CardUse use = card.use();
  if (std::exchange(first_look, false) && use.utilisation_percent.value_or(0) > kIdlePercent) {
    return fmt::format("this card is {} % busy with other work", *use.utilisation_percent);
  }
  return "";
}

using Implementations = std::map<std::string, std::unique_ptr<Implementation>>;

// An implementation beside itself, for an A/A control.
class Again final : public Implementation {
 public:
  explicit Again(std::unique_ptr<Implementation> of)
      : of_(std::move(of)), id_(std::string(of_->id()) + std::string(kAgain)) {}
  std::string_view id() const override { return id_; }
  std::string missing() const override { return of_->missing(); }
  Provenance provenance() const override { return of_->provenance(); }
  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem,
                                                const DeviceInfo& device,
                                                std::span<const GemmArgs> sets,
                                                Stream stream) override {
    return of_->prepare(problem, device, sets, stream);
  }

 private:
  std::unique_ptr<Implementation> of_;
  std::string id_;
};

Result<std::unique_ptr<Implementation>> make_contender(std::string_view id,
                                                       const DeviceInfo& device) {
  if (!id.ends_with(kAgain)) return make_implementation(id, device);
  id.remove_suffix(kAgain.size());
  Result<std::unique_ptr<Implementation>> of = make_implementation(id, device);
  if (!of) return of;
  return std::unique_ptr<Implementation>(std::make_unique<Again>(std::move(*of)));
}

// Whether an earlier call measured it already, with the same implementations.
bool is_done(const CompareSpec& spec, const Protocol& protocol, const GemmProblem& problem,
             std::vector<std::string> ids) {
  const Cell wanted = empty_cell(problem, protocol, spec.device);
  std::sort(ids.begin(), ids.end());
  for (const Cell& cell : spec.done) {
    std::vector<std::string> there;
    for (const Entry& entry : cell.entries) {
      if (entry.status != "failed") there.push_back(entry.id);  // what failed may go well today
    }
    std::sort(there.begin(), there.end());
    if (there == ids && same_cell(cell, wanted)) return true;
  }
  return false;
}

Result<std::vector<CellSpec>> make_cells(const CompareSpec& spec, const Protocol& protocol,
                                         Implementations& made) {
  std::vector<CellSpec> cells;
  for (const CompareGroup& group : spec.groups) {
    std::vector<Implementation*> implementations;
    for (const std::string& id : group.ids) {
      std::unique_ptr<Implementation>& one = made[id];
      if (one == nullptr) {
        Result<std::unique_ptr<Implementation>> fresh = make_contender(id, spec.device);
        if (!fresh) return fresh.status();
        one = std::move(*fresh);
      }
      implementations.push_back(one.get());
    }
    for (const GemmProblem& problem : group.problems) {
      if (Status status = check_problem(problem, spec.device); !status) return status;
      if (is_done(spec, protocol, problem, group.ids)) continue;
      cells.push_back({problem, implementations});
    }
  }
  return cells;
}

}  // namespace

Protocol settled_protocol(Protocol protocol, Backend backend) {
  const bool isolated = protocol.regime == Regime::kIsolated;
  const bool on_gpu = backend == Backend::kCuda;
  if (protocol.timer.empty()) {
    // One call is shorter than what events add to it; a long run of launches is not.
    protocol.timer = !on_gpu ? "wall" : isolated ? "cupti" : "events";
  }
  if (!protocol.cache) protocol.cache = isolated ? CacheUse::kFlush : CacheUse::kRotate;
  if (!protocol.idle_ms) protocol.idle_ms = on_gpu && !isolated ? 1000 : 0;
  if (!protocol.lead_in_ms) protocol.lead_in_ms = on_gpu && !isolated ? 150 : 0;
  if (!protocol.samples_per_round) protocol.samples_per_round = isolated ? 50 : 10;
  if (!protocol.fill) {
    protocol.fill =
        FillChoice{protocol.test == TestType::kFixedFrequency ? Fill::kZero : Fill::kUniform, {}};
  }
  return protocol;
}

Result<ComparedCells> compare(const CompareSpec& spec, const Progress& progress) {
  if (spec.device.backend == Backend::kSim) {
    return Status(
        StatusCode::kNoDevice,
        "device sim cannot be measured, only verified: its clock is the host's; cpu and cuda can");
  }
  const Protocol protocol = settled_protocol(spec.protocol, spec.device.backend);
  if (Status status = check_protocol(protocol); !status) return status;
  Implementations made;
  const Result<std::vector<CellSpec>> cells = make_cells(spec, protocol, made);
  if (!cells) return cells.status();
  if (cells->empty()) return ComparedCells{};

  const std::unique_ptr<Card> card = make_card(spec.device);
  const std::vector<CardProcess> before = others_on(*card);
  if (const std::string why = busy(*card); !why.empty() && !protocol.allow_busy) {
    return Status(StatusCode::kDeviceError,
                  why + "; stop it, or measure beside it with --allow-busy");
  }
  if (protocol.test == TestType::kFixedFrequency && !card->missing().empty()) {
    return Status(StatusCode::kDeviceError,
                  "a test at a fixed frequency must see the clock: " + card->missing());
  }
  Result<std::unique_ptr<Device>> device = make_device(spec.device);
  if (!device) return device.status();
  Result<TimerFactory> make_timer = timer_factory(protocol.timer, **device, protocol.cupti_min);
  if (!make_timer) return make_timer.status();
  SteadyClock clock;
  learn_own_names(before, *card);
  CardWatch watch(*card, clock, protocol.trace_ms, own_names());
  const Workbench bench{
      **device, std::move(*make_timer), library_reference(spec.device), *card, clock, watch};
  CardFacts facts = facts_of(*card);
  if (protocol.timer == "cupti") {
    const CuptiLibrary library = cupti_library();
    facts.cupti_path = library.path;
    facts.cupti_version = library.version;
  }
  progress.opened(facts, measure_bandwidths(bench));
  return compare_with(*cells, protocol, bench, progress);
}

Result<CheckRecord> verify(const std::string& id, const GemmProblem& problem,
                           const DeviceInfo& info, std::uint64_t seed, float alpha, float beta) {
  if (Status status = check_problem(problem, info); !status) return status;
  Result<std::unique_ptr<Implementation>> made = make_implementation(id, info);
  if (!made) return made.status();
  if (const std::string reason = (*made)->missing(); !reason.empty()) {
    return Status::unsupported(reason);
  }
  if (Status status = (*made)->precheck(problem, info); !status) return status;
  Result<std::unique_ptr<Device>> device = make_device(info);
  if (!device) return device.status();
  Result<OperandSets> operands = OperandSets::allocate(**device, problem, 1, beta != 0);
  if (!operands) return operands.status();
  if (Status status = operands->fill({}, seed); !status) return status;
  const Scalars scalars{alpha, beta};
  Result<Expected> expected =
      expected_for(**device, library_reference(info), problem, *operands, scalars);
  if (!expected) return expected.status();
  std::vector<GemmArgs> sets = operands->all_args();
  for (GemmArgs& args : sets) {
    args.alpha = alpha;
    args.beta = beta;
  }
  Result<std::unique_ptr<PreparedGemm>> prepared =
      (*made)->prepare(problem, info, sets, (*device)->stream());
  if (!prepared) return prepared.status();
  return check_run(**device, *expected, *operands, scalars, **prepared);
}

}  // namespace tilewright::measure
