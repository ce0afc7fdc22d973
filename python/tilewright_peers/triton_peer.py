"""A matrix product in Triton, tuned by time for each problem: what a user's own kernel looks like."""

from . import abi
from .peer import Unsupported
from .torch_peer import TorchPeer, why_not

# Tile of m, of n, of k, pipeline stages, warps.
TILES = ((128, 256, 64, 3, 8), (256, 128, 64, 3, 8), (128, 256, 64, 4, 8), (128, 128, 64, 4, 4),
         (128, 128, 64, 4, 8), (128, 128, 128, 3, 8), (64, 256, 64, 4, 4), (128, 64, 64, 4, 4),
         (64, 128, 64, 4, 4), (64, 64, 128, 4, 4), (32, 64, 128, 5, 4), (16, 64, 128, 5, 4))
GROUP = 8  # rows of tiles that are worked through together, so that tiles of b stay in L2


class TritonMatmul(TorchPeer):
    def __init__(self):
        super().__init__("triton-matmul", "cuda", None)
        self._kernel = None

    def version(self):
        import triton
        return f"triton {triton.__version__}, kernel of Tilewright's"

    def path(self):
        return ""

    def missing(self):
        return why_not("torch") or why_not("triton")

    def check(self, problem):
        super().check(problem)
        if problem.batch != 1:
            raise Unsupported(f"it takes batch 1, not {problem.batch}")
        if abi.TYPES[problem.a.type] == "f32" or problem.a.type != problem.b.type:
            raise Unsupported("it takes a and b both f16 or both bf16")

    def tune(self, problem, tensors):
        import triton
        from .triton_kernel import product
        from triton.compiler.errors import CompilationError
        from triton.runtime.errors import OutOfResources

        def launch(tile):
            tile_m, tile_n, tile_k, stages, warps = tile
            grid = (triton.cdiv(problem.m, tile_m) * triton.cdiv(problem.n, tile_n),)

            def run(a, b, out):
                product[grid](a, b, out, problem.m, problem.n, problem.k, *a.stride(), *b.stride(),
                              *out.stride(), TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, GROUP=GROUP,
                              num_stages=stages, num_warps=warps)
            return run

        times = {}
        for tile in TILES:
            run = launch(tile)
            try:
                times[tile] = median_ms(lambda: run(*tensors))
            except (CompilationError, OutOfResources):
                continue  # not every tile fits every card
        if not times:
            raise Unsupported("none of its tiles fits this card")
        best = min(times, key=times.get)
        tile_m, tile_n, tile_k, stages, warps = best
        return (launch(best), f"{tile_m}x{tile_n}x{tile_k}, {stages} stages, {warps} warps",
                f"fastest of {len(times)} by time")


def median_ms(work, repeats=7):
    """Of single launches by events, after two that warm up; for choosing, not for reporting."""
    import torch
    work(), work()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[repeats // 2]
