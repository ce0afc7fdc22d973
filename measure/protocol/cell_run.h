// One cell: one problem, every implementation, from the buffers to the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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

  // Rounds beyond the first ones are played until `deadline_ns` of the bench's clock.
  Cell run(const std::vector<Implementation*>& implementations, int warmup_ms,
           std::int64_t deadline_ns);

  // Why nothing more can be done on this device; empty while it can.
  const std::string& lost() const { return lost_; }

 private:
  struct Contender {
    Implementation* implementation = nullptr;
    std::size_t entry = 0;
    std::unique_ptr<PreparedGemm> prepared;
    std::unique_ptr<Timer> timer;  // holds launches of `prepared`: made after, dropped before it
    int samples = 0;               // a round
    std::int64_t sample_ns = 0;    // about
    int lead_in = 1;               // untimed samples first, after the neighbour's
    std::int64_t last_set = 0;     // whose D the last launch of a sample wrote
    std::vector<bool> launched;  // sets whose D was written since it was poisoned, or by the graph
  };
  struct Turn {
    std::vector<std::int64_t> samples_ns;
    CardTurn card;
    std::string throttled;  // why it cannot count; empty when it can
  };

  // cell_run.cpp: before the rounds.
  Entry& entry_of(const Contender& contender) { return cell_.entries[contender.entry]; }
  bool running(const Contender& contender) const { return contender.prepared != nullptr; }
  void fail(Contender& contender, const std::string& reason);
  void fail_rest(const std::string& reason);
  void attempt(Contender& contender, const std::function<Status()>& step);
  Status set_up();
  void plan_cache();
  void admit(Contender& contender);
  Status pass_gate(Contender& contender);
  LaunchAt launch_of(Contender& contender);
  std::int64_t smallest_sample(const Timer& timer) const;
  Status make_ready(Contender& contender);
  void warm_up(int warmup_ms);
  void warm_step(Contender& contender, int& steps);

  // cell_rounds.cpp: the rounds.
  Result<std::int64_t> probe(Timer& timer) const;
  Status choose_launches(Contender& contender);
  void play_rounds(std::int64_t deadline_ns);
  void play(const std::vector<std::size_t>& places, int rounds);
  bool play_round(const std::vector<std::size_t>& places, int round, bool last_round);
  bool nobody_else(int round);
  Result<Turn> take_turn(Contender& contender, bool check);
  Status clock_stood_still(const CardTurn& turn);
  Result<std::vector<std::int64_t>> take_samples(Contender& contender);
  Result<std::vector<std::int64_t>> take_flushed_samples(Contender& contender, int count);
  Result<CheckRecord> check_launched_sets(const Contender& contender);
  Status check_after(Contender& contender);
  std::size_t baseline() const;
  std::vector<std::size_t> undecided() const;

  // cell_proof.cpp: what stands beside the figures.
  void measure_overhead();
  void measure_floor();
  Result<std::int64_t> time_launches(const LaunchAt& launch, std::int64_t launches, bool flushed);
  Status measure_triple(Contender& contender);
  Status measure_energy(Contender& contender);
  std::int64_t energy_resolution_ns();
  void flag(Contender& contender);

  const Protocol& protocol_;
  Workbench bench_;
  Report report_;
  Cell cell_;
  std::optional<OperandSets> operands_;
  std::optional<Expected> expected_;
  std::vector<Contender> contenders_;
  std::string lost_;
  std::size_t turns_played_ = 0;  // rounds of the design so far
  std::optional<int> locked_mhz_;
  int throttled_rounds_ = 0;
  std::string throttled_why_;
};

}  // namespace tilewright::measure
