// One cell: one problem, every implementation, from the buffers to the figures.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/protocol/engine.h"
#include "measure/protocol/expected.h"
#include "measure/protocol/operands.h"

namespace tilewright::measure {

class CellRun {
 public:
  // `report` is told what is being done and which share of the cell is over.
  using Report = std::function<void(const std::string& doing, double share)>;

  CellRun(const GemmProblem& problem, const Protocol& protocol, Workbench bench, Report report);

  Cell run(const std::vector<std::unique_ptr<Implementation>>& implementations, int warmup_ms);

  // Why nothing more can be done on this device; empty while it can.
  const std::string& lost() const { return lost_; }

 private:
  struct Contender {
    Implementation* implementation = nullptr;
    std::size_t entry = 0;
    std::unique_ptr<PreparedGemm> prepared;
    std::unique_ptr<Timer> timer;  // holds launches of `prepared`: made after, dropped before it
    int samples = 0;               // a round
    bool lead_in = true;           // one untimed sample first, after the neighbour's
    std::int64_t last_set = 0;     // whose D the last launch of a sample wrote
    std::vector<bool> launched;  // sets whose D was written since it was poisoned, or by the graph
  };

  Entry& entry_of(const Contender& contender) { return cell_.entries[contender.entry]; }
  bool running(const Contender& contender) const { return contender.prepared != nullptr; }
  void fail(Contender& contender, const std::string& reason);
  void fail_rest(const std::string& reason);

  Status set_up();
  void admit(Contender& contender);
  Status pass_gate(Contender& contender);
  Status make_ready(Contender& contender);
  void warm_up(int warmup_ms);
  Status choose_launches(Contender& contender);
  Result<std::int64_t> probe(Timer& timer) const;
  std::int64_t smallest_sample(const Timer& timer) const;
  LaunchAt launch_of(Contender& contender);
  void play_rounds();
  Status take_turn(Contender& contender, bool last_round);
  Result<std::vector<std::int64_t>> take_samples(Contender& contender);
  Result<std::vector<std::int64_t>> take_isolated_samples(Contender& contender);
  Result<CheckRecord> check_launched_sets(const Contender& contender);
  Status check_after(Contender& contender);
  void attempt(Contender& contender, const std::function<Status()>& step);

  const Protocol& protocol_;
  Workbench bench_;
  Report report_;
  Cell cell_;
  std::optional<OperandSets> operands_;
  std::optional<Expected> expected_;
  std::vector<Contender> contenders_;
  std::string lost_;
};

}  // namespace tilewright::measure
