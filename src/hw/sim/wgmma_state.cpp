#include "hw/sim/wgmma_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hw/sim/fragments.h"
#include "hw/sim/machine.h"
#include "hw/sim/matrix_descriptor.h"
#include "hw/sim/products.h"
#include "hw/sim/shared.h"
#include "hw/sim/synchronisation.h"

namespace tilewright::hw::sim {
namespace {

constexpr std::uint32_t kAway = 0x7fbadbad;  // a NaN that no arithmetic makes

int depth_of(const ProductForm& form) {
  return 32 / element_bytes(form.type);
}

// The 16-byte pieces of one operand of `extent` rows or columns.
void add_reads(std::vector<Span>& reads, std::uint64_t descriptor, Major major, int extent,
               const ProductForm& form) {
  const DecodedDescriptor decoded = decode_descriptor(descriptor);
  const int bytes = element_bytes(form.type), per_piece = 16 / bytes;
  const int extent_step = major == Major::kMN ? per_piece : 1;
  const int k_step = major == Major::kMN ? 1 : per_piece;
  for (int mn = 0; mn < extent; mn += extent_step) {
    for (int k = 0; k < depth_of(form); k += k_step) {
      const std::uint32_t address = element_address(decoded, major, bytes, mn, k);
      reads.push_back({address - kSharedBase, 16});
    }
  }
}

}  // namespace

void WarpgroupProducts::check(Machine& machine, const ProductForm& form,
                              std::span<ProductOperands*> operands, Site at) const {
  for (const ProductOperands* each : operands) {
    if (each->a_descriptor != operands[0]->a_descriptor ||
        each->b_descriptor != operands[0]->b_descriptor ||
        each->accumulate != operands[0]->accumulate) {
      machine.fail(at,
                   "the threads of the warpgroup give different descriptors or scales to one "
                   "wgmma");
    }
  }
  for (const std::uint64_t bits : {operands[0]->a_descriptor, operands[0]->b_descriptor}) {
    if (decode_descriptor(bits).base_offset == 0) continue;
    machine.fail(at,
                 "a descriptor with a base offset, which the simulator does not model: align "
                 "the operand to eight swizzled rows");
  }
  const Thread& self = machine.self();
  const auto first = static_cast<std::size_t>(self.index / 128 * 4);
  for (std::size_t warp = 0; warp < 4; ++warp) {
    if (!self.block->warps[first + warp].products.fenced) {
      machine.fail(at, fmt::format("warp {} has executed no wgmma.fence since it last waited: the "
                                   "registers may still be in use",
                                   first + warp));
    }
  }
  const auto sums = sums_.find(operands[0]->accumulators);
  if (sums != sums_.end() && sums->second.n != form.n) {
    machine.fail(at, "accumulators of one shape are handed to a wgmma of another while in use");
  }
}

void WarpgroupProducts::take(Machine&, Sums& sums, int warp, Site) {
  const auto columns = static_cast<std::size_t>(sums.n);
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    std::uint32_t* const registers = sums.registers[static_cast<std::size_t>(thread)];
    for (int i = 0; i < sums.n / 2; ++i) {
      const Position at = wgmma_accumulator(thread, i);
      const std::size_t index =
          static_cast<std::size_t>(at.row) * columns + static_cast<std::size_t>(at.column);
      if (sums.is_integer) {
        std::memcpy(&sums.s32[index], registers + i, 4);
      } else {
        std::memcpy(&sums.f32[index], registers + i, 4);
      }
      registers[i] = kAway;
    }
  }
  sums.taken[static_cast<std::size_t>(warp)] = true;
}

void WarpgroupProducts::give_back(Machine& machine, Sums& sums, int warp, Site at) {
  const auto columns = static_cast<std::size_t>(sums.n);
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    std::uint32_t* const registers = sums.registers[static_cast<std::size_t>(thread)];
    for (int i = 0; i < sums.n / 2; ++i) {
      if (registers[i] != kAway) {
        machine.fail(at, "an accumulator was written while a wgmma was under way on it");
      }
      const Position where = wgmma_accumulator(thread, i);
      const std::size_t index =
          static_cast<std::size_t>(where.row) * columns + static_cast<std::size_t>(where.column);
      std::memcpy(registers + i,
                  sums.is_integer ? static_cast<const void*>(&sums.s32[index])
                                  : static_cast<const void*>(&sums.f32[index]),
                  4);
    }
  }
  sums.taken[static_cast<std::size_t>(warp)] = false;
}

void WarpgroupProducts::issue(Machine& machine, const ProductForm& form,
                              std::span<ProductOperands*> operands, Site at) {
  check(machine, form, operands, at);
  Thread& self = machine.self();
  const int first = self.index / 128 * 128;
  Product product = {.serial = issued_++,
                     .form = form,
                     .a_descriptor = operands[0]->a_descriptor,
                     .b_descriptor = operands[0]->b_descriptor,
                     .accumulate = operands[0]->accumulate,
                     .a_registers = {},
                     .a_values = {},
                     .sums = operands[0]->accumulators,
                     .reads = {},
                     .waited = {},
                     .block = self.block,
                     .at = at};
  if (!form.a_in_registers)
    add_reads(product.reads, product.a_descriptor, form.a_major, kRows, form);
  add_reads(product.reads, product.b_descriptor, form.b_major, form.n, form);
  product.reads = joined(std::move(product.reads));
  // What all threads know, or the data may not be there for one of them.
  Knowledge all = self.knows;
  for (int i = 0; i < kThreads; ++i) all.meet(machine.thread(*self.block, first + i).knows);
  for (const Span& span : product.reads) {
    machine.check_shared(*self.block, span.offset, span.bytes, 1, "reads", at);
    machine.fail_if(at, self.block->shadow.begin_read({all, kNobody}, span, at));
  }
  Sums& sums = sums_[product.sums];
  if (sums.n == 0) {
    sums.n = form.n;
    sums.is_integer = form.type == ProductType::kS8;
    (sums.is_integer ? sums.s32.resize(static_cast<std::size_t>(kRows * form.n))
                     : sums.f32.resize(static_cast<std::size_t>(kRows * form.n)));
    for (std::size_t i = 0; i < kThreads; ++i) sums.registers[i] = operands[i]->accumulators;
  }
  sums.last = issued_;
  for (int warp = 0; warp < 4; ++warp) {
    if (!sums.taken[static_cast<std::size_t>(warp)]) take(machine, sums, warp, at);
    WarpProducts& own = self.block->warps[static_cast<std::size_t>(first / 32 + warp)].products;
    own.open_end = issued_;
  }
  for (std::size_t i = 0; form.a_in_registers && i < kThreads; ++i) {
    product.a_registers[i] = operands[i]->a;
    std::copy_n(operands[i]->a, 4, product.a_values[i].begin());
  }
  products_.push_back(std::move(product));
  const SimCopies when = machine.grid().sim->copies;
  if (when == SimCopies::kEarly || (when == SimCopies::kRandom && machine.draw(2) == 0)) {
    perform_below(issued_);
  }
}

void WarpgroupProducts::perform_below(std::uint64_t end) {
  for (Product& product : products_) {
    if (product.serial >= end) return;
    if (product.serial < performed_) continue;
    perform(product);
    performed_ = product.serial + 1;
  }
}

// Looked at when the warp waits, so that an early product sees it as a late one does.
void WarpgroupProducts::check_a(Machine& machine, const Product& product, int warp) {
  if (!product.form.a_in_registers) return;
  for (auto i = static_cast<std::size_t>(warp) * 32; i < (static_cast<std::size_t>(warp) + 1) * 32;
       ++i) {
    const auto& values = product.a_values[i];
    if (std::equal(values.begin(), values.end(), product.a_registers[i])) continue;
    machine.fail(product.at,
                 "a register of operand A was written while the wgmma that reads it was under way");
  }
}

void WarpgroupProducts::perform(Product& product) {
  const ProductForm& form = product.form;
  const int depth = depth_of(form), bytes = element_bytes(form.type);
  const auto fetch = [&](std::uint64_t descriptor, Major major, int extent) {
    const DecodedDescriptor decoded = decode_descriptor(descriptor);
    std::vector<std::uint32_t> bits(static_cast<std::size_t>(extent * depth));
    for (int mn = 0; mn < extent; ++mn) {
      for (int k = 0; k < depth; ++k) {
        const std::uint32_t at = element_address(decoded, major, bytes, mn, k) - kSharedBase;
        std::memcpy(&bits[static_cast<std::size_t>(mn * depth + k)],
                    product.block->memory.data() + at, static_cast<std::size_t>(bytes));
      }
    }
    return bits;
  };
  std::vector<std::uint32_t> a;
  if (form.a_in_registers) {
    a.resize(static_cast<std::size_t>(kRows * depth));
    for (int thread = 0; thread < kThreads; ++thread) {
      const auto index = static_cast<std::size_t>(thread);
      const int per_word = 4 / bytes;
      for (int word = 0; word < 4; ++word) {
        for (int part = 0; part < per_word; ++part) {
          const Position where = wgmma_a_register(thread, word, part, bytes);
          const std::uint32_t mask = bytes == 4 ? ~0u : (1u << bytes * 8) - 1;
          a[static_cast<std::size_t>(where.row * depth + where.column)] =
              product.a_values[index][static_cast<std::size_t>(word)] >> part * bytes * 8 & mask;
        }
      }
    }
  } else {
    a = fetch(product.a_descriptor, form.a_major, kRows);
  }
  const std::vector<std::uint32_t> b = fetch(product.b_descriptor, form.b_major, form.n);
  Sums& sums = sums_[product.sums];
  if (!product.accumulate) {
    std::fill(sums.f32.begin(), sums.f32.end(), 0.0f);
    std::fill(sums.s32.begin(), sums.s32.end(), 0);
  }
  const ProductShape shape = {kRows, form.n, depth};
  if (sums.is_integer) {
    add_integer_products(shape, sums.s32, a, b);
  } else {
    add_products(form.type, shape, sums.f32, a, b);
  }
}

void WarpgroupProducts::finish(Machine& machine, int warp, std::uint64_t end) {
  perform_below(end);
  const Thread& self = machine.self();
  const Warp& own = *self.warp;
  for (Product& product : products_) {
    Tick& waited = product.waited[static_cast<std::size_t>(warp)];
    if (product.serial >= end || waited != 0) continue;
    check_a(machine, product, warp);
    waited = own.products.waits;
  }
  for (auto each = sums_.begin(); each != sums_.end();) {
    Sums& sums = each->second;
    if (sums.last <= end && sums.taken[static_cast<std::size_t>(warp)]) {
      give_back(machine, sums, warp, self.last);
    }
    const bool is_free =
        std::none_of(sums.taken.begin(), sums.taken.end(), [](bool t) { return t; });
    each = is_free ? sums_.erase(each) : std::next(each);
  }
  retire(machine);
}

// A product is over when all four warps have waited for it: each reads its own rows of A and all
// of B.
void WarpgroupProducts::retire(Machine& machine) {
  const Thread& self = machine.self();
  const auto first = static_cast<std::size_t>(self.index / 128 * 4);
  while (!products_.empty()) {
    const Product& product = products_.front();
    if (std::find(product.waited.begin(), product.waited.end(), 0u) != product.waited.end()) return;
    for (const Span& span : product.reads) {
      product.block->shadow.end_read(span);
      for (std::size_t warp = 0; warp < 4; ++warp) {
        product.block->shadow.add_reader(span, product.block->warps[first + warp].agent,
                                         product.waited[warp], product.at);
      }
    }
    products_.pop_front();
  }
}

void wgmma(const ProductForm& form, ProductOperands operands, Site at) {
  Machine& machine = Machine::now();
  machine.meet_warpgroup("wgmma.mma_async", at, operands, [&](std::span<ProductOperands*> all) {
    const Thread& self = machine.self();
    self.block->products[static_cast<std::size_t>(self.index / 128)].issue(machine, form, all, at);
  });
}

void wgmma_fence(Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread* self = &machine.self();
  machine.meet_warp("wgmma.fence", at, *self,
                    [](std::span<Thread*> lanes) { lanes[0]->warp->products.fenced = true; });
}

void wgmma_commit(Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread* self = &machine.self();
  machine.meet_warp("wgmma.commit_group", at, *self, [](std::span<Thread*> lanes) {
    WarpProducts& products = lanes[0]->warp->products;
    products.groups.push_back(products.open_end);
  });
}

void wgmma_wait(std::size_t pending, Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread* self = &machine.self();
  machine.meet_warp("wgmma.wait_group", at, *self, [&](std::span<Thread*> lanes) {
    Warp& warp = *lanes[0]->warp;
    WarpProducts& own = warp.products;
    own.fenced = false;
    while (own.groups.size() > pending) {
      own.done = own.groups.front();
      own.groups.pop_front();
    }
    ++own.waits;
    for (Thread* lane : lanes) lane->knows.seen.set(warp.agent, own.waits);
    warp.block->products[static_cast<std::size_t>(warp.index / 4)].finish(machine, warp.index % 4,
                                                                          own.done);
  });
}

}  // namespace tilewright::hw::sim
