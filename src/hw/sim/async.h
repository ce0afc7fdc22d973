// Asynchronous copies: what they will move, when it moves, and who learns of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "hw/sim/clock.h"
#include "hw/sim/shadow.h"
#include "hw/sim/site.h"

namespace tilewright::hw::sim {

struct Block;
struct MbarrierState;
struct Thread;
class Machine;

// An operation that ends by itself, some time.
struct Floating {
  virtual ~Floating() = default;
  virtual void land(Machine& machine) = 0;
};

// At most 16 bytes of a copy; `global` null: the bytes of `fill` arrive (or, in a store, nothing is
// written).
struct Piece {
  std::uint32_t shared;
  std::uint32_t bytes;
  std::byte* global;
  std::byte fill[16] = {};
};

// A copy into shared memory. The data land once, the copy is over once: whichever is asked for
// first.
class AsyncWrite {
 public:
  // Checks the target against everything that goes on there, for the thread that issues the copy.
  AsyncWrite(Machine& machine, Block& target, std::vector<Piece> pieces, Proxy proxy, Site at);
  void land();
  // Known from now on to those whose clock covers (slot, tick).
  void finish(Slot slot, Tick tick);
  Block& target() const { return *target_; }
  Site at() const { return at_; }

 private:
  Block* target_;
  std::vector<Piece> pieces_;
  std::vector<Span> spans_;  // all of them
  Proxy proxy_;
  Site at_;
  bool landed_ = false, finished_ = false;
};

enum class BulkOperation : std::uint8_t { kStore, kAddF32, kAddU32, kAddF16, kAddBF16 };

// A copy or a sum from shared to global memory: reads its source some time, writes its target
// later.
class BulkStore {
 public:
  BulkStore(Machine& machine, Block& source, std::vector<Piece> pieces, BulkOperation operation,
            Site at);
  void read();                    // the data leave shared memory
  void finish_read(Thread& who);  // and `who` knows that they have
  void write();
  bool source_is_free() const { return read_finished_; }
  Site at() const { return at_; }

 private:
  Block* source_;
  std::vector<Piece> pieces_;
  std::vector<Span> spans_;  // all of them
  BulkOperation operation_;
  Site at_;
  std::vector<std::byte> data_;
  bool read_ = false, read_finished_ = false, written_ = false;
};

// The groups of one thread's copies: what it issued since the last commit, then what it committed.
template <class Copy>
struct CopyGroups {
  using Group = std::vector<std::shared_ptr<Copy>>;
  Group open;
  std::deque<Group> committed;

  void reset() {
    open.clear();
    committed.clear();
  }
  void commit() { committed.push_back(std::exchange(open, {})); }
};

}  // namespace tilewright::hw::sim
