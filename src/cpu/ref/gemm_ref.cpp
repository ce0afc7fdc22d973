#include "cpu/ref/gemm_ref.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "numeric/bf16.h"
#include "numeric/f16.h"

// Every element of D is the sum of its products in rising k, in double: blocking and threads change
// neither the order nor a bit. A product of two floats is exact in double, so neither would a fused
// multiply-add.

namespace tilewright {
namespace {

constexpr int kTileM = 64, kTileN = 128, kTileK = 256;
constexpr int kStripM = 4, kStripN = 4;  // what the inner loops keep in registers

// Decoded panels and sums of one tile of D, for one thread.
struct TileBuffers {
  double
      a[kTileM * kTileK];  // strips of kStripM rows: element (i, k) of a strip at k * kStripM + i
  double b[kTileK * kTileN];  // strips of kStripN columns: element (k, j) at k * kStripN + j
  double sum[kTileM][kTileN];
};

struct TileRange {
  std::int64_t first;
  int count;
};

constexpr int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

// Where a matrix begins and how far apart its rows and its columns are, in elements.
struct MatrixView {
  DType type;
  std::int64_t start, row_stride, column_stride;

  MatrixView(DType element_type, const Operand& operand, std::int64_t batch_index)
      : type(element_type),
        start(batch_index * operand.batch_stride),
        row_stride(operand.order == Order::kRowMajor ? operand.ld : 1),
        column_stride(operand.order == Order::kRowMajor ? 1 : operand.ld) {}
  MatrixView transposed() const {
    MatrixView turned = *this;
    std::swap(turned.row_stride, turned.column_stride);
    return turned;
  }
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return start + row * row_stride + column * column_stride;
  }
};

double load(DType type, const void* data, std::int64_t index) {
  switch (type) {
    case DType::kF32:
      return static_cast<const float*>(data)[index];
    case DType::kF16:
      return numeric::f16_to_f32(static_cast<const std::uint16_t*>(data)[index]);
    case DType::kBF16:
      return numeric::bf16_to_f32(static_cast<const std::uint16_t*>(data)[index]);
    default:
      break;
  }
  invariant_broken("a type that reject() refuses reached the reference");
}

void store(DType type, void* data, std::int64_t index, double value) {
  switch (type) {
    case DType::kF32:
      static_cast<float*>(data)[index] = static_cast<float>(value);
      return;
    case DType::kF16:
      static_cast<std::uint16_t*>(data)[index] = numeric::f16_from_f64(value);
      return;
    case DType::kBF16:
      static_cast<std::uint16_t*>(data)[index] = numeric::bf16_from_f64(value);
      return;
    default:
      break;
  }
  invariant_broken("a type that reject() refuses reached the reference");
}

// Decodes rows x columns of a matrix into strips of `strip` rows (see TileBuffers); the rows that
// the last strip lacks become zeros.
void decode_strips(const MatrixView& view, const void* data, TileRange rows, TileRange columns,
                   int strip, double* out) {
  const int padded_rows = round_up(rows.count, strip);
  const auto place = [&](int row, int column) {
    return (row / strip * columns.count + column) * strip + row % strip;
  };
  const auto decode = [&](int row, int column) {
    out[place(row, column)] =
        load(view.type, data, view.at(rows.first + row, columns.first + column));
  };
  if (view.column_stride == 1) {
    for (int row = 0; row < rows.count; ++row) {
      for (int column = 0; column < columns.count; ++column) decode(row, column);
    }
  } else {
    for (int column = 0; column < columns.count; ++column) {
      for (int row = 0; row < rows.count; ++row) decode(row, column);
    }
  }
  for (int row = rows.count; row < padded_rows; ++row) {
    for (int column = 0; column < columns.count; ++column) out[place(row, column)] = 0;
  }
}

// sum += the product of one strip of A and one strip of B over `depth` steps.
void multiply_strips(const double* a, const double* b, int depth, double* sum) {
  double acc[kStripM][kStripN];
  for (int i = 0; i < kStripM; ++i) {
    for (int j = 0; j < kStripN; ++j) acc[i][j] = sum[i * kTileN + j];
  }
  for (int k = 0; k < depth; ++k) {
    for (int i = 0; i < kStripM; ++i) {
      for (int j = 0; j < kStripN; ++j) acc[i][j] += a[k * kStripM + i] * b[k * kStripN + j];
    }
  }
  for (int i = 0; i < kStripM; ++i) {
    for (int j = 0; j < kStripN; ++j) sum[i * kTileN + j] = acc[i][j];
  }
}

void sum_products(const GemmLaunch& launch, std::int64_t batch_index, TileRange rows,
                  TileRange columns, TileBuffers& tile) {
  const GemmProblem& problem = launch.problem;
  const MatrixView a(problem.a.type, problem.a, batch_index);
  const MatrixView b_turned = MatrixView(problem.b.type, problem.b, batch_index).transposed();
  for (std::int64_t k = 0; k < problem.k; k += kTileK) {
    const TileRange steps{k, static_cast<int>(std::min<std::int64_t>(kTileK, problem.k - k))};
    decode_strips(a, launch.args.a, rows, steps, kStripM, tile.a);
    decode_strips(b_turned, launch.args.b, columns, steps, kStripN, tile.b);
    for (int j = 0; j < columns.count; j += kStripN) {
      for (int i = 0; i < rows.count; i += kStripM) {
        multiply_strips(tile.a + i * steps.count, tile.b + j * steps.count, steps.count,
                        &tile.sum[i][j]);
      }
    }
  }
}

void compute_tile(const GemmLaunch& launch, std::int64_t batch_index, TileRange rows,
                  TileRange columns, TileBuffers& tile) {
  const GemmProblem& problem = launch.problem;
  const GemmArgs& args = launch.args;
  const bool has_product = args.alpha != 0 && problem.k > 0;
  if (has_product) {
    std::fill_n(&tile.sum[0][0], kTileM * kTileN, 0.0);
    sum_products(launch, batch_index, rows, columns, tile);
  }
  const MatrixView c(problem.d.type, problem.c, batch_index);
  const MatrixView d(problem.d.type, problem.d, batch_index);
  for (int i = 0; i < rows.count; ++i) {
    for (int j = 0; j < columns.count; ++j) {
      const std::int64_t row = rows.first + i, column = columns.first + j;
      double value = has_product ? args.alpha * tile.sum[i][j] : 0.0;
      if (args.beta != 0) {
        const double addend = args.beta * load(c.type, args.c, c.at(row, column));
        value = has_product ? value + addend : addend;
      }
      store(d.type, args.d, d.at(row, column), value);
    }
  }
}

std::string reject_reference(const GemmProblem& problem, const DeviceInfo&) {
  const auto taken = [](DType type) {
    return type == DType::kF32 || type == DType::kF16 || type == DType::kBF16;
  };
  struct Named {
    const char* name;
    DType type;
  };
  for (const Named& operand :
       {Named{"A", problem.a.type}, Named{"B", problem.b.type}, Named{"D", problem.d.type}}) {
    if (!taken(operand.type)) {
      return fmt::format("{} is {}, and f32, f16 and bf16 are taken", operand.name,
                         name_of(operand.type));
    }
  }
  return {};
}

std::size_t no_workspace(const GemmProblem&, const DeviceInfo&) {
  return 0;
}

Status launch_reference(const GemmLaunch& launch) {
  const GemmProblem& problem = launch.problem;
  const std::int64_t tiles_m = (problem.m + kTileM - 1) / kTileM;
  const std::int64_t tiles_n = (problem.n + kTileN - 1) / kTileN;
  const std::int64_t tiles = problem.batch * tiles_m * tiles_n;
  // A thread costs as much as some 1e5 products: one for each such share at most.
  const double products = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                          static_cast<double>(problem.k + 1) * static_cast<double>(problem.batch);
  const int threads = static_cast<int>(std::clamp<double>(
      std::min(static_cast<double>(tiles), products / 2e5), 1, std::max(launch.cpu_threads, 1)));

  const std::unique_ptr<TileBuffers[]> buffers(new (std::nothrow)
                                                   TileBuffers[static_cast<std::size_t>(threads)]);
  if (!buffers) {
    return Status(
        StatusCode::kDeviceError,
        fmt::format("the reference found no memory for the buffers of {} threads ({} bytes)",
                    threads, sizeof(TileBuffers) * static_cast<std::size_t>(threads)));
  }
  std::atomic<int> buffers_taken = 0;
  parallel_for(threads, tiles, [&](std::int64_t first, std::int64_t last) {
    TileBuffers& tile = buffers[static_cast<std::size_t>(buffers_taken++)];
    for (std::int64_t index = first; index < last; ++index) {
      const std::int64_t row = index / tiles_n % tiles_m * kTileM;
      const std::int64_t column = index % tiles_n * kTileN;
      const TileRange rows{row, static_cast<int>(std::min<std::int64_t>(kTileM, problem.m - row))};
      const TileRange columns{column,
                              static_cast<int>(std::min<std::int64_t>(kTileN, problem.n - column))};
      compute_tile(launch, index / (tiles_m * tiles_n), rows, columns, tile);
    }
  });
  return {};
}

}  // namespace

constinit const GemmRow kGemmCpuReference = {
    .name = "gemm-cpu-reference",
    .backend = Backend::kCpu,
    .compute = {},
    .is_reference = true,
    .summary = "The oracle: plain loops in double, one rounding to the output type",
    .reject = reject_reference,
    .workspace = no_workspace,
    .launch = launch_reference,
};

}  // namespace tilewright
