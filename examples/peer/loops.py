"""A complete peer in Python that needs no package: three loops over memory of the tool's. See
docs/writing-a-peer.md; with torch installed, torch_addmm.py is shorter."""

import ctypes

from tilewright_peers import Peer, Prepared, Unsupported, abi


def element(operand, row, col):
    """Where element (row, col) lies, counted from the base."""
    if abi.ORDERS[operand.order] == "row_major":
        return row * operand.ld + col
    return col * operand.ld + row


class Loops(Peer):
    def version(self):
        return "1.0"

    def prepare(self, problem, device, sets, stream):
        types = {abi.TYPES[operand.type] for operand in (problem.a, problem.b, problem.d)}
        if types != {"f32"} or problem.batch != 1 or problem.beta != 0:
            raise Unsupported("it takes one product of f32 operands, without C")
        # The structs are the caller's and are gone when prepare() returns, so what run() needs is kept.
        m, n, k, alpha = problem.m, problem.n, problem.k, problem.alpha
        a_at = [[element(problem.a, row, i) for i in range(k)] for row in range(m)]
        b_at = [[element(problem.b, i, col) for i in range(k)] for col in range(n)]
        d_at = [[element(problem.d, row, col) for col in range(n)] for row in range(m)]
        floats = ctypes.POINTER(ctypes.c_float)
        memory = [[ctypes.cast(base, floats) for base in (each.a, each.b, each.d)] for each in sets]

        def run(index, stream):
            a, b, d = memory[index]
            for row in range(m):
                for col in range(n):
                    total = sum(a[i] * b[j] for i, j in zip(a_at[row], b_at[col]))
                    d[d_at[row][col]] = alpha * total

        return Prepared(run, kernel="three loops")


PEERS = [Loops("loops", "cpu")]
