#include "hw/sim/tma.h"

#include <fmt/format.h>

#include "hw/sim/tensor_walk.h"

namespace tilewright::hw::sim {
namespace {

// Part of another block's shared memory that a copy still has to read.
struct Source {
  Block* block = nullptr;
  Span span = {};
};

// A copy that tells an mbarrier when it has landed.
class Arrival : public Floating {
 public:
  Arrival(std::shared_ptr<AsyncWrite> copy, MbarrierState& barrier, int bytes, Source source = {})
      : copy_(std::move(copy)), barrier_(barrier), bytes_(bytes), source_(source) {}

  void land(Machine& machine) override {
    if (copy_->target().exited == machine.grid().threads) {
      machine.report(copy_->target(), copy_->at(), "a copy lands in this block after it has ended");
      return;
    }
    const Tick phase = barrier_.phase + 1;
    copy_->finish(barrier_.slot, phase);
    barrier_.note_landing(copy_->at());
    if (source_.block != nullptr) {
      source_.block->shadow.end_read(source_.span);
      source_.block->shadow.add_reader(source_.span, barrier_.slot, phase, copy_->at());
    }
    barrier_.bytes -= bytes_;
    barrier_.settle(machine);
  }

 private:
  std::shared_ptr<AsyncWrite> copy_;
  MbarrierState& barrier_;
  int bytes_;
  Source source_;
};

void check_rank(const TensorMapSpec& spec, int rank, Site site) {
  if (spec.rank == rank) return;
  Machine::now().fail(
      site, fmt::format("{} coordinates for a tensor map of {} dimensions", rank, spec.rank));
}

// Not written in the manual: an H200 calls it an illegal instruction (facts.md, TMA).
void check_start(const TensorMapSpec& spec, int at, Site site) {
  if (at * bytes_of(spec.type) % 16 == 0) return;
  Machine::now().fail(site, fmt::format("a tensor copy at element {} of the contiguous dimension; "
                                        "multiples of {} are accepted",
                                        at, 16 / bytes_of(spec.type)));
}

void check_bulk(const void* global, std::uint32_t shared, int bytes, Site site) {
  if (bytes > 0 && bytes % 16 == 0 && shared % 16 == 0 &&
      reinterpret_cast<std::uintptr_t>(global) % 16 == 0) {
    return;
  }
  Machine::now().fail(site,
                      fmt::format("a bulk copy of {} bytes with shared byte {}; size and both "
                                  "addresses must be multiples of 16",
                                  bytes, shared));
}

void check_pieces(const std::vector<Piece>& pieces, bool writes, Site site) {
  for (const Piece& piece : pieces) {
    if (piece.global != nullptr) {
      Machine::now().check_global(piece.global, piece.bytes, 1, writes, site);
    }
  }
}

void load_into(std::uint32_t ranks, const std::vector<Piece>& pieces, Mbarrier barrier, int bytes,
               Site site) {
  Machine& machine = Machine::now();
  machine.self().last = site;
  for (int rank = 0; ranks >> rank != 0; ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    Block& target = live_block(rank, site);
    MbarrierState& tells = find_mbarrier(target, barrier.offset, true, site);
    auto copy = std::make_shared<AsyncWrite>(machine, target, pieces, Proxy::kAsync, site);
    machine.float_off(std::make_unique<Arrival>(std::move(copy), tells, bytes));
  }
}

void store_from(Block& source, std::vector<Piece> pieces, BulkOperation operation, Site site) {
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  const auto store =
      std::make_shared<BulkStore>(machine, source, std::move(pieces), operation, site);
  const SimCopies when = machine.grid().sim->copies;
  if (when == SimCopies::kEarly || (when == SimCopies::kRandom && machine.draw(2) == 0)) {
    store->read();
  }
  self.bulk_stores.open.push_back(store);
}

BulkOperation add_for(TensorType type, Site site) {
  switch (type) {
    case TensorType::kF32:
      return BulkOperation::kAddF32;
    case TensorType::kU32:
    case TensorType::kS32:
      return BulkOperation::kAddU32;
    case TensorType::kF16:
      return BulkOperation::kAddF16;
    case TensorType::kBF16:
      return BulkOperation::kAddBF16;
    default:
      Machine::now().fail(site, "a tensor of this type cannot be added to");
  }
}

std::vector<Piece> flat_pieces(std::uint32_t shared, const void* global, int bytes) {
  return {{shared, static_cast<std::uint32_t>(bytes),
           static_cast<std::byte*>(const_cast<void*>(global))}};
}

}  // namespace

std::uint32_t own_rank() {
  return static_cast<std::uint32_t>(Machine::now().self().block->rank);
}

void tensor_load(std::uint32_t target, const TensorMapSpec& spec, Mbarrier barrier, const int* at,
                 int rank, std::uint32_t ranks, Site site) {
  Machine& machine = Machine::now();
  check_rank(spec, rank, site);
  constexpr std::uint32_t kAlignment = 128;
  machine.check_shared(*machine.self().block, target,
                       static_cast<std::uint32_t>(box_shared_bytes(spec)), 1, "overwrites", site);
  if (target % kAlignment != 0) {
    machine.fail(site, fmt::format("a tensor copy lands at shared byte {}; a multiple of {} is "
                                   "accepted",
                                   target, kAlignment));
  }
  check_start(spec, at[0], site);
  const std::vector<Piece> pieces = walk_box(spec, at, kSharedBase + target, kSharedBase, false);
  check_pieces(pieces, false, site);
  load_into(ranks, pieces, barrier, box_bytes(spec), site);
}

void tensor_store(const TensorMapSpec& spec, const int* at, int rank, std::uint32_t source,
                  bool adds, Site site) {
  Machine& machine = Machine::now();
  machine.self().last = site;
  check_rank(spec, rank, site);
  if (source % 128 != 0) {
    machine.fail(site, fmt::format("a tensor copy reads at shared byte {}; a multiple of 128 is "
                                   "accepted",
                                   source));
  }
  check_start(spec, at[0], site);
  for (int i = 0; i < rank; ++i) {
    if (at[i] >= 0) continue;
    machine.fail(site, fmt::format("a tensor store at coordinate {} of dimension {}; a card takes "
                                   "none below 0",
                                   at[i], i));
  }
  std::vector<Piece> pieces = walk_box(spec, at, kSharedBase + source, kSharedBase, true);
  check_pieces(pieces, true, site);
  store_from(*machine.self().block, std::move(pieces),
             adds ? add_for(spec.type, site) : BulkOperation::kStore, site);
}

void bulk_load(std::uint32_t target, const void* source, int bytes, Mbarrier barrier,
               std::uint32_t ranks, Site site) {
  check_bulk(source, target, bytes, site);
  const std::vector<Piece> pieces = flat_pieces(target, source, bytes);
  check_pieces(pieces, false, site);
  load_into(ranks, pieces, barrier, bytes, site);
}

void bulk_store(void* target, std::uint32_t source, int bytes, BulkOperation operation, Site site) {
  Machine& machine = Machine::now();
  machine.self().last = site;
  check_bulk(target, source, bytes, site);
  std::vector<Piece> pieces = flat_pieces(source, target, bytes);
  check_pieces(pieces, true, site);
  store_from(*machine.self().block, std::move(pieces), operation, site);
}

void bulk_copy_to_rank(std::uint32_t target, int rank, std::uint32_t source, int bytes,
                       Mbarrier barrier, Site site) {
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  self.last = site;
  check_bulk(nullptr, target | source, bytes, site);
  Block& there = live_block(rank, site);
  MbarrierState& tells = find_mbarrier(there, barrier.offset, true, site);
  const Span span{source, static_cast<std::uint32_t>(bytes)};
  machine.check_shared(*self.block, source, span.bytes, 16, "reads", site);
  machine.fail_if(site, self.block->shadow.begin_read(self.actor(), span, site));
  auto copy = std::make_shared<AsyncWrite>(
      machine, there, flat_pieces(target, self.block->memory.data() + source, bytes), Proxy::kAsync,
      site);
  machine.float_off(
      std::make_unique<Arrival>(std::move(copy), tells, bytes, Source{self.block, span}));
}

}  // namespace tilewright::hw::sim
