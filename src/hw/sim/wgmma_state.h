// Asynchronous products under way. A wgmma reads its operands and changes its accumulators some
// time between its issue and the wait that covers it; until then its registers hold NaN patterns,
// which must still be there when the result arrives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hw/sim/clock.h"
#include "hw/sim/products.h"
#include "hw/sim/shadow.h"
#include "hw/sim/site.h"
#include "hw/wgmma_types.h"

namespace tilewright::hw::sim {

struct Block;
class Machine;

struct ProductForm {
  ProductType type;
  int n;
  Major a_major, b_major;
  bool a_in_registers;
};

// What one thread brings to a wgmma.
struct ProductOperands {
  std::uint32_t* accumulators;  // n / 2 words of fp32 or int32
  const std::uint32_t* a;       // four words, or null
  std::uint64_t a_descriptor, b_descriptor;
  bool accumulate;
};

// One warp's view: which products it has issued, grouped and waited for, by their serial numbers.
struct WarpProducts {
  bool fenced = false;  // wgmma.fence since the last wait
  Tick waits = 0;
  std::uint64_t open_end = 0;        // issued
  std::deque<std::uint64_t> groups;  // ends of the committed groups
  std::uint64_t done = 0;            // waited for
};

// The products of a warpgroup.
class WarpgroupProducts {
 public:
  void issue(Machine& machine, const ProductForm& form, std::span<ProductOperands*> operands,
             Site at);
  // Warp `warp` of the four has waited for all products below serial number `end`.
  void finish(Machine& machine, int warp, std::uint64_t end);
  bool is_pending() const { return !products_.empty(); }
  Site last_site() const { return products_.back().at; }

 private:
  static constexpr int kThreads = 128, kRows = 64;

  // The accumulators of all threads of the warpgroup as one matrix, from the first product that
  // takes them until the last has been waited for.
  struct Sums {
    int n = 0;
    bool is_integer = false;
    std::array<std::uint32_t*, kThreads> registers = {};
    std::vector<float> f32;  // [64][n]
    std::vector<std::int32_t> s32;
    std::array<bool, 4> taken = {};  // warps whose registers are here
    std::uint64_t last = 0;          // one past the last product
  };
  struct Product {
    std::uint64_t serial;
    ProductForm form;
    std::uint64_t a_descriptor, b_descriptor;
    bool accumulate;
    std::array<const std::uint32_t*, kThreads> a_registers;
    std::array<std::array<std::uint32_t, 4>, kThreads> a_values;
    std::uint32_t* sums;  // key: the registers of the first thread
    std::vector<Span> reads;
    std::array<Tick, 4> waited;  // the tick of each warp's agent, 0 while it has not waited
    Block* block;
    Site at;
  };

  void check(Machine& machine, const ProductForm& form, std::span<ProductOperands*> operands,
             Site at) const;
  void take(Machine& machine, Sums& sums, int warp, Site at);
  void give_back(Machine& machine, Sums& sums, int warp, Site at);
  static void check_a(Machine& machine, const Product& product, int warp);
  void perform(Product& product);
  void perform_below(std::uint64_t end);
  void retire(Machine& machine);

  std::deque<Product> products_;  // issued and not waited for by all four warps
  std::map<std::uint32_t*, Sums> sums_;
  std::uint64_t issued_ = 0, performed_ = 0;
};

// The instructions.
void wgmma(const ProductForm& form, ProductOperands operands, Site at);
void wgmma_fence(Site at);
void wgmma_commit(Site at);
void wgmma_wait(std::size_t pending, Site at);

}  // namespace tilewright::hw::sim
