"""D = A B with sums in fp32. A file of its own: Triton reads a kernel's source where it is defined."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, d, m, n, k, a_row, a_col, b_row, b_col, d_row, d_col, TILE_M: tl.constexpr,
            TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    # Tiles are numbered down GROUP rows of tiles, then along the next column of them.
    tiles_m, tiles_n = tl.cdiv(m, TILE_M), tl.cdiv(n, TILE_N)
    band = tl.program_id(0) // (GROUP * tiles_n)
    in_band = tl.program_id(0) % (GROUP * tiles_n)
    height = min(tiles_m - band * GROUP, GROUP)
    first_row = (band * GROUP + in_band % height) * TILE_M
    first_col = (in_band // height) * TILE_N

    rows = (first_row + tl.arange(0, TILE_M)).to(tl.int64)
    cols = (first_col + tl.arange(0, TILE_N)).to(tl.int64)
    depth = tl.arange(0, TILE_K)
    # Rows and columns past the edge read the first ones again; they are not stored.
    a_at = a + (rows % m)[:, None] * a_row + depth[None, :] * a_col
    b_at = b + depth[:, None] * b_row + (cols % n)[None, :] * b_col
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, TILE_K)):
        inside = depth < k - step * TILE_K
        total = tl.dot(tl.load(a_at, mask=inside[None, :], other=0.0),
                       tl.load(b_at, mask=inside[:, None], other=0.0), total)
        a_at += TILE_K * a_col
        b_at += TILE_K * b_row
    d_at = d + rows[:, None] * d_row + cols[None, :] * d_col
    tl.store(d_at, total.to(d.dtype.element_ty), mask=(rows[:, None] < m) & (cols[None, :] < n))
