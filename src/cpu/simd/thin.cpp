// GEMM with few rows or few columns: the long operand is read once, straight from where it lies,
// because packing it would cost more than the product. Threads share out its length.
#include <algorithm>
#include <atomic>
#include <functional>

#include "core/parallel.h"
#include "cpu/simd/launch.h"

namespace tilewright::simd {
namespace {

// Starting a thread costs as long as about this many bytes take from memory.
constexpr double kBytesPerThread = 1e6;
// Sums and the packed thin operand each stay within a part of L1 and of L2.
constexpr std::int64_t kSumFloats = 4096;
constexpr std::int64_t kThinFloats = 16384;
// Lengths are cut at multiples of this: a cache line and a vector of every type.
constexpr std::int64_t kGranule = 64;

// z(l, column) = sum over k of x(l, k) * y(k, column): x is the long operand with its length as
// rows, y the thin one. D(l, column) is z or its transpose.
struct ThinProduct {
  std::int64_t length, k;
  int columns;
  Matrix x, y, c, d;
  bool d_along_length;  // d is contiguous along its length, not across columns
};

ThinProduct thin_product_of(const Product& product) {
  const bool few_columns = product.n <= product.m;
  if (few_columns) {
    return {product.m,
            product.k,
            static_cast<int>(product.n),
            product.a,
            product.b,
            product.c,
            product.d,
            product.n == 1 && product.d.row_stride == 1};
  }
  return {product.n,
          product.k,
          static_cast<int>(product.m),
          transposed(product.b),
          transposed(product.a),
          transposed(product.c),
          transposed(product.d),
          true};
}

struct Chunking {
  std::int64_t length, depth;
};

class Worker {
 public:
  Worker(const Product& product, const ThinProduct& thin, const SimdKernels& kernels,
         const Chunking& chunking, float* memory)
      : product_(product), thin_(thin), kernels_(kernels), chunking_(chunking), sums_(memory) {
    across_ = sums_ + kSumFloats;
    y_ = across_ + kSumFloats;
  }

  static std::int64_t floats_needed(const ThinProduct& thin, const Chunking& chunking) {
    return 2 * kSumFloats + thin.columns * chunking.depth;
  }

  void run(std::int64_t entry, std::int64_t first, std::int64_t last) {
    packed_k_ = -1;
    for (std::int64_t l = first; l < last; l += chunking_.length) {
      const std::int64_t length = std::min(chunking_.length, last - l);
      std::fill_n(sums_, thin_.columns * chunking_.length, 0.0f);
      for (std::int64_t k = 0; k < thin_.k; k += chunking_.depth) {
        if (k != packed_k_) pack_y(entry, k);
        multiply(entry, l, length, k);
      }
      finish(entry, l, length);
    }
  }

 private:
  std::int64_t depth_at(std::int64_t k) const { return std::min(chunking_.depth, thin_.k - k); }

  void pack_y(std::int64_t entry, std::int64_t k) {
    const auto& y = thin_.y;
    kernels_.thin_pack[static_cast<int>(y.type)]({y.at(entry, k, 0), y.row_stride, y.col_stride,
                                                  depth_at(k), thin_.columns, y_, chunking_.depth});
    packed_k_ = k;
  }

  void multiply(std::int64_t entry, std::int64_t l, std::int64_t length, std::int64_t k) {
    const auto& x = thin_.x;
    const bool dot = x.col_stride == 1;
    const auto& table = dot ? kernels_.thin_dot : kernels_.thin_axpy;
    table[static_cast<int>(x.type)][thin_.columns - 1](
        {x.at(entry, l, k), dot ? x.row_stride : x.col_stride, length, depth_at(k), thin_.columns,
         y_, chunking_.depth, sums_, chunking_.length});
  }

  void finish(std::int64_t entry, std::int64_t l, std::int64_t length) {
    const auto &c = thin_.c, &d = thin_.d;
    FinishArgs args{.rows = thin_.columns,
                    .cols = length,
                    .sum = sums_,
                    .sum_ld = chunking_.length,
                    .partial = nullptr,
                    .partial_ld = 0,
                    .alpha = product_.alpha,
                    .beta = product_.beta,
                    .c = product_.beta != 0.0f ? c.at(entry, l, 0) : nullptr,
                    .c_row_stride = c.col_stride,
                    .c_col_stride = c.row_stride,
                    .d = const_cast<void*>(d.at(entry, l, 0)),
                    .d_ld = d.col_stride};
    if (!thin_.d_along_length) {
      for (std::int64_t i = 0; i < length; ++i) {
        for (int column = 0; column < thin_.columns; ++column) {
          across_[i * thin_.columns + column] = sums_[column * chunking_.length + i];
        }
      }
      std::swap(args.rows, args.cols);
      std::swap(args.c_row_stride, args.c_col_stride);
      args.sum = across_;
      args.sum_ld = thin_.columns;
      args.d_ld = d.row_stride;
    }
    kernels_.finish[static_cast<int>(d.type)](args);
  }

  const Product& product_;
  const ThinProduct& thin_;
  const SimdKernels& kernels_;
  const Chunking& chunking_;
  float *sums_, *across_, *y_;
  std::int64_t packed_k_ = -1;  // the block of K that y_ holds
};

}  // namespace

Status thin_launch(const GemmLaunch& launch) {
  const Product product = product_of(launch.problem, launch.args);
  const SimdKernels& kernels = simd_kernels(launch.device.cpu.isa);
  if (!product.reads_a_and_b) {
    scale_c(product, kernels);
    return {};
  }
  const ThinProduct thin = thin_product_of(product);
  const Chunking chunking{
      std::min(kSumFloats / thin.columns / kGranule * kGranule, round_up(thin.length, kGranule)),
      std::min(kThinFloats / thin.columns / kGranule * kGranule, round_up(thin.k, kGranule))};
  const std::int64_t granules = ceil_div(thin.length, kGranule);
  const double bytes = static_cast<double>(bytes_of(thin.x.type, thin.length)) *
                       static_cast<double>(thin.k) * static_cast<double>(product.batch);
  const int threads = threads_for(bytes, kBytesPerThread, launch.cpu_threads);
  const std::int64_t parts =
      product.batch >= 4 * threads ? 1 : std::min<std::int64_t>(threads, granules);
  const std::int64_t tasks = product.batch * parts;
  const int workers = static_cast<int>(std::min<std::int64_t>(threads, tasks));

  const std::int64_t floats = Worker::floats_needed(thin, chunking);
  const PackBuffer buffer(floats * workers);
  if (buffer.data() == nullptr) return no_memory(floats * workers);
  std::atomic<int> next_worker{0};
  const auto body = [&](std::int64_t first, std::int64_t last) {
    Worker worker(product, thin, kernels, chunking,
                  buffer.data() + floats * next_worker.fetch_add(1));
    for (std::int64_t task = first; task < last; ++task) {
      const std::int64_t part = task % parts;
      worker.run(task / parts, std::min(thin.length, granules * part / parts * kGranule),
                 std::min(thin.length, granules * (part + 1) / parts * kGranule));
    }
  };
  parallel_for(workers, tasks, std::cref(body));
  return {};
}

}  // namespace tilewright::simd
