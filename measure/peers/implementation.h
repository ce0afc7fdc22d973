// What the measuring engine asks of anything it times: our own plan, one kernel of ours by name,
// or a peer library. One file a peer; a peer library is found at run time by dlopen.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/device.h"
#include "tilewright/gemm.h"
#include "tilewright/status.h"

namespace tilewright::measure {

// One implementation made ready for one problem. Owns its handles and its workspace.
class PreparedGemm {
 public:
  virtual ~PreparedGemm() = default;
  virtual std::string kernel_name() const = 0;  // what was selected, as the library names it
  // What it tells beyond its implementation's provenance; empty and 0 where there is nothing to add.
  virtual std::string policy() const { return ""; }
  virtual std::string padding() const { return ""; }  // "k padded from 470 to 512": timed with it
  virtual std::int64_t workspace_bytes() const { return 0; }
  // A persisting-L2 reservation that it wants in its turns.
  virtual std::int64_t persisting_l2_bytes() const { return 0; }
  // Launches on `stream` and nothing else: no allocation, no synchronisation; capturable.
  virtual Status run(const GemmArgs& args, Stream stream) = 0;
};

struct Provenance {
  std::string version;  // of the library that was really loaded
  std::string path;     // where it was loaded from; empty for our own code
  std::string policy;   // how its kernel was selected: "first heuristic", "fastest of 16 by time"
  std::int64_t workspace_limit_bytes = 0;
};

class Implementation {
 public:
  virtual ~Implementation() = default;
  virtual std::string_view id() const = 0;
  // Why it cannot be used here, a sentence; empty if it can.
  virtual std::string missing() const = 0;
  virtual Provenance provenance() const = 0;
  // What can be told of a problem without its operands, which take longer to make. Ok promises
  // nothing: prepare() may still refuse.
  virtual Status precheck(const GemmProblem&, const DeviceInfo&) const { return {}; }
  // Untimed: may allocate, repack, tune. `sets` are all the operands that run() will be called with,
  // at least one, each with values of its own, so what is repacked is repacked for each; what is
  // written to a D is overwritten later. kUnsupported when the peer does not take the problem.
  virtual Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem,
                                                        const DeviceInfo& device,
                                                        std::span<const GemmArgs> sets,
                                                        Stream stream) = 0;
};

// Ids that make sense on a device: "tilewright", every registry row of that backend, the peers of
// that backend. `default_ids` is what `compare` takes without --only: tilewright and the peers.
std::vector<std::string> known_ids(Backend backend);
std::vector<std::string> default_ids(Backend backend);
// kInvalidArgument, with the nearest known ids, for an id that does not exist. A peer whose library
// is absent is made, and says so in missing().
Result<std::unique_ptr<Implementation>> make_implementation(std::string_view id,
                                                            const DeviceInfo& device);

// Implementation factories, one a peer file.
std::unique_ptr<Implementation> make_tilewright(std::string kernel);  // empty: the plan chooses
std::unique_ptr<Implementation> make_cublaslt(bool best_of_16);       // 64 MiB workspace
std::unique_ptr<Implementation> make_openblas();
std::unique_ptr<Implementation> make_onednn();

}  // namespace tilewright::measure
