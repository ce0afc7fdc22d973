// GEMM over packed panels, after BLIS: blocks that fit L2, panels of A and B in
// fp32 whatever the operands were, and a register tile over them.
//
// Threads share out D alone and never K, and where K is cut depends on K and the caches only, so
// every element is the same sum in the same order for any number of threads and any neighbours.
// Each thread packs what it needs: no thread waits for another, at the price of packing B (or A)
// once for each thread that shares its columns (rows).
#include "cpu/simd/launch.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>

#include "core/parallel.h"
#include "cpu/simd/kernels.h"
#include "cpu/simd/matrix.h"

namespace tilewright::simd {
namespace {

// Starting a thread costs as long as about this many multiply-adds take on one core.
constexpr double kWorkPerThread = 4e6;

// How far the loops over D go at once, in elements.
struct Blocking {
  std::int64_t depth;     // of K: a panel of B is a small part of L2, prefetched from there
  std::int64_t rows;      // of A packed at once: half of L2
  std::int64_t cols;      // of B packed at once: bounds the memory taken
  std::int64_t sum_rows;  // of D whose sums are kept while K is walked
};

Blocking blocking_for(const SimdKernels& kernels, const CpuInfo& cpu, std::int64_t k) {
  const std::int64_t panel_row_bytes = kernels.tile_cols * 4;
  const std::int64_t longest =
      std::clamp<std::int64_t>(cpu.l2_bytes / 16 / panel_row_bytes, 64, 512);
  const std::int64_t depth = ceil_div(k, ceil_div(k, longest));
  const std::int64_t rows = std::clamp<std::int64_t>(cpu.l2_bytes / 2 / (depth * 4), 64, 1024);
  return {depth, rows, 2048, 1024};
}

// One task: rows [row, row + rows) and columns [col, col + cols) of one batch entry.
struct Task {
  std::int64_t entry, row, rows, col, cols;
};

// How D is cut among threads: parts of it in both directions, then batch entries.
struct Grid {
  std::int64_t row_parts = 1, col_parts = 1;
};

// The cut with the least packing: a thread packs its rows of A and its columns of B.
Grid grid_for(const Product& product, const SimdKernels& kernels, int threads) {
  if (product.batch >= 4 * threads) return {};
  const std::int64_t row_tiles = ceil_div(product.m, kernels.tile_rows);
  const std::int64_t col_tiles = ceil_div(product.n, kernels.tile_cols);
  Grid best{std::min<std::int64_t>(threads, row_tiles), 1};
  double least = 0;
  for (int row_parts = 1; row_parts <= threads; ++row_parts) {
    if (threads % row_parts != 0) continue;
    const int col_parts = threads / row_parts;
    if (row_parts > row_tiles || col_parts > col_tiles) continue;
    const double packed =
        static_cast<double>(product.m) / row_parts + static_cast<double>(product.n) / col_parts;
    if (least == 0 || packed < least) {
      least = packed;
      best = {row_parts, col_parts};
    }
  }
  return best;
}

struct Span {
  std::int64_t first, count;
};

// Part `index` of `parts` of [0, count), cut between tiles.
Span part_of(std::int64_t count, std::int64_t tile, std::int64_t parts, std::int64_t index) {
  const std::int64_t tiles = ceil_div(count, tile);
  const std::int64_t first = std::min(count, tiles * index / parts * tile);
  return {first, std::min(count, tiles * (index + 1) / parts * tile) - first};
}

// The loops of one thread, over memory of its own.
class Worker {
 public:
  Worker(const Product& product, const SimdKernels& kernels, const Blocking& blocking,
         float* memory)
      : product_(product), kernels_(kernels), blocking_(blocking), a_panels_(memory) {
    b_panels_ = a_panels_ + a_floats(product, blocking);
    sums_ = b_panels_ + b_floats(product, kernels, blocking);
  }

  static std::int64_t floats_needed(const Product& product, const SimdKernels& kernels,
                                    const Blocking& blocking) {
    return a_floats(product, blocking) + b_floats(product, kernels, blocking) +
           (keeps_sums(product, blocking) ? round_up(std::min(product.m, blocking.sum_rows) *
                                                         std::min(product.n, blocking.cols),
                                                     PackBuffer::kAlignmentFloats)
                                          : 0);
  }

  void run(const Task& task) {
    const bool sums = keeps_sums(product_, blocking_);
    const std::int64_t row_step = sums ? std::min(task.rows, blocking_.sum_rows) : task.rows;
    for (std::int64_t col = 0; col < task.cols; col += blocking_.cols) {
      for (std::int64_t row = 0; row < task.rows; row += row_step) {
        block({task.entry, task.row + row, std::min(row_step, task.rows - row), task.col + col,
               std::min(blocking_.cols, task.cols - col)});
      }
    }
  }

 private:
  // Sums of more than one block of K need fp32 memory until they are complete: D itself where it
  // is fp32 and holds nothing that is still wanted.
  static bool keeps_sums(const Product& product, const Blocking& blocking) {
    return product.k > blocking.depth && (product.d.type != DType::kF32 || product.beta != 0.0f);
  }
  static std::int64_t a_floats(const Product& product, const Blocking& blocking) {
    return round_up(std::min(product.m, blocking.rows) * blocking.depth,
                    PackBuffer::kAlignmentFloats);
  }
  static std::int64_t b_floats(const Product& product, const SimdKernels& kernels,
                               const Blocking& blocking) {
    return round_up(std::min(product.n, blocking.cols), kernels.tile_cols) * blocking.depth;
  }

  void block(const Task& task) {
    for (std::int64_t k = 0; k < product_.k; k += blocking_.depth) {
      const std::int64_t depth = std::min(blocking_.depth, product_.k - k);
      const auto& b = product_.b;
      kernels_.pack[static_cast<int>(b.type)]({b.at(task.entry, k, task.col), b.col_stride,
                                               b.row_stride, task.cols, depth, kernels_.tile_cols,
                                               kernels_.lanes, b_panels_});
      for (std::int64_t row = 0; row < task.rows; row += blocking_.rows) {
        const std::int64_t rows = std::min(blocking_.rows, task.rows - row);
        const int height = static_cast<int>(ceil_div(rows, ceil_div(rows, kernels_.tile_rows)));
        const auto& a = product_.a;
        kernels_.pack[static_cast<int>(a.type)]({a.at(task.entry, task.row + row, k), a.row_stride,
                                                 a.col_stride, rows, depth, height, 1, a_panels_});
        for (std::int64_t col = 0; col < task.cols; col += kernels_.tile_cols) {
          for (std::int64_t tile_row = 0; tile_row < rows; tile_row += height) {
            tile(task, row, tile_row, std::min<std::int64_t>(height, rows - tile_row), col, k,
                 depth);
          }
        }
      }
    }
  }

  void tile(const Task& task, std::int64_t block_row, std::int64_t tile_row, std::int64_t rows,
            std::int64_t col, std::int64_t k, std::int64_t depth) {
    const std::int64_t cols = std::min<std::int64_t>(kernels_.tile_cols, task.cols - col);
    alignas(64) float sum[kMaxTileRows * kMaxTileCols];
    kernels_.micro[rows - 1][ceil_div(cols, kernels_.lanes) - 1](
        depth, a_panels_ + tile_row * depth, b_panels_ + col * depth, sum);

    const std::int64_t row = block_row + tile_row;  // within the task
    const auto& d = product_.d;
    void* const to = product_.d_at(task.entry, task.row + row, task.col + col);
    float* partial = sums_ + row * task.cols + col;
    std::int64_t partial_ld = task.cols;
    if (!keeps_sums(product_, blocking_)) {
      partial = static_cast<float*>(to);
      partial_ld = d.row_stride;
    }
    if (k + depth < product_.k) {
      kernels_.store_partial({rows, cols, sum, kernels_.tile_cols, partial, partial_ld, k > 0});
      return;
    }
    const bool reads_c = product_.beta != 0.0f;
    const auto& c = product_.c;
    kernels_.finish[static_cast<int>(d.type)](
        {rows, cols, sum, kernels_.tile_cols, k > 0 ? partial : nullptr, partial_ld, product_.alpha,
         product_.beta, reads_c ? c.at(task.entry, task.row + row, task.col + col) : nullptr,
         c.row_stride, c.col_stride, to, d.row_stride});
  }

  const Product& product_;
  const SimdKernels& kernels_;
  const Blocking& blocking_;
  float *a_panels_, *b_panels_, *sums_;
};

}  // namespace

Status packed_launch(const GemmLaunch& launch) {
  const Product product = product_of(launch.problem, launch.args);
  const SimdKernels& kernels = simd_kernels(launch.device.cpu.isa);
  if (!product.reads_a_and_b) {
    scale_c(product, kernels);
    return {};
  }
  const Blocking blocking = blocking_for(kernels, launch.device.cpu, product.k);
  const double work = static_cast<double>(product.m) * static_cast<double>(product.n) *
                      static_cast<double>(product.k) * static_cast<double>(product.batch);
  const int threads = threads_for(work, kWorkPerThread, launch.cpu_threads);
  const Grid grid = grid_for(product, kernels, threads);
  const std::int64_t parts = grid.row_parts * grid.col_parts;
  const std::int64_t tasks = product.batch * parts;
  const int workers = static_cast<int>(std::min<std::int64_t>(threads, tasks));

  const std::int64_t floats = Worker::floats_needed(product, kernels, blocking);
  const PackBuffer buffer(floats * workers);
  if (buffer.data() == nullptr) return no_memory(floats * workers);
  std::atomic<int> next_worker{0};
  const auto body = [&](std::int64_t first, std::int64_t last) {
    Worker worker(product, kernels, blocking, buffer.data() + floats * next_worker.fetch_add(1));
    for (std::int64_t task = first; task < last; ++task) {
      const std::int64_t part = task % parts;
      const Span rows =
          part_of(product.m, kernels.tile_rows, grid.row_parts, part / grid.col_parts);
      const Span cols =
          part_of(product.n, kernels.tile_cols, grid.col_parts, part % grid.col_parts);
      worker.run({task / parts, rows.first, rows.count, cols.first, cols.count});
    }
  };
  parallel_for(workers, tasks, std::cref(body));
  return {};
}

}  // namespace tilewright::simd
