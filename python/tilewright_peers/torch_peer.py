"""Functions of torch tensors as peers, and torch.matmul itself. torch is imported when first asked."""

import ctypes
import importlib
import os

from . import abi
from .peer import Peer, Prepared, Unsupported

BYTES = {"f32": 4, "f16": 2, "bf16": 2}


def why_not(module):
    """A sentence when `module` does not import here; empty when it does."""
    try:
        importlib.import_module(module)
        return ""
    except Exception as error:
        return (f"this Python cannot import {module} ({type(error).__name__}: {error}); install it "
                f"(python3 -m pip install {module}) or name another Python in TILEWRIGHT_PYTHON")


class _Memory:
    """Device memory of others, as torch.as_tensor reads it."""

    def __init__(self, address, count, typestr):
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": typestr, "version": 3,
                                         "data": (address, False), "strides": None}


def tensor_of(address, operand, rows, cols, batch, device):
    """The operand at `address` as a tensor [rows, cols], or [batch, rows, cols]; nothing is copied."""
    import torch
    name = abi.TYPES[operand.type]
    dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[name]
    row_major = abi.ORDERS[operand.order] == "row_major"
    strides = (operand.ld, 1) if row_major else (1, operand.ld)
    size = (rows, cols)
    count = 1 + (rows - 1) * strides[0] + (cols - 1) * strides[1]
    if batch > 1:
        size, strides = (batch,) + size, (operand.batch_stride,) + strides
        count += (batch - 1) * operand.batch_stride
    if device.backend == abi.BACKENDS["cuda"]:
        raw = {4: "<i4", 2: "<i2"}[BYTES[name]]  # NumPy's notation has no bf16
        flat = torch.as_tensor(_Memory(address, count, raw), device=f"cuda:{device.index}").view(dtype)
    else:
        buffer = (ctypes.c_char * (count * BYTES[name])).from_address(address)
        flat = torch.frombuffer(buffer, dtype=dtype)
    return flat.as_strided(size, strides)


class TorchPeer(Peer):
    """A function(a, b, out) of torch tensors that writes the product to `out`, alpha 1 and beta 0.

    a is [m, k], b is [k, n], out is [m, n], with a leading batch where there is more than one; they are
    views of the tool's own memory with its strides. On a GPU the function is called with the current
    stream set and is captured in a CUDA graph, so it must not allocate or synchronise once it is warm;
    it is called once before that.
    """

    def __init__(self, id, backend, function, version="unversioned"):
        super().__init__(id, backend)
        self._function, self._version = function, version

    def version(self):
        import torch
        return f"{self._version}, torch {torch.__version__}"

    def missing(self):
        return why_not("torch")

    def check(self, problem):
        """Raises Unsupported for what the function cannot do."""
        if problem.alpha != 1 or problem.beta != 0:
            raise Unsupported(f"it takes alpha 1 and beta 0, not {problem.alpha:g} and {problem.beta:g}")

    def tune(self, problem, tensors):
        """Gives the function to run and how it was chosen; may try several on the tensors of a set."""
        return self._function, self.id, "there is only one"

    def prepare(self, problem, device, sets, stream):
        import torch
        self.check(problem)
        m, n, k, batch = problem.m, problem.n, problem.k, problem.batch
        tensors = [(tensor_of(each.a, problem.a, m, k, batch, device),
                    tensor_of(each.b, problem.b, k, n, batch, device),
                    tensor_of(each.d, problem.d, m, n, batch, device)) for each in sets]
        if self.backend == "cpu":
            torch.set_num_threads(max(1, device.threads))
            function, kernel, policy = self.tune(problem, tensors[0])
            return Prepared(lambda index, _: function(*tensors[index]), kernel, policy)

        def on_stream(function, index, handle):
            with torch.cuda.stream(torch.cuda.ExternalStream(handle, device=device.index)):
                function(*tensors[index])

        with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=device.index)):
            function, kernel, policy = self.tune(problem, tensors[0])
        on_stream(function, 0, stream)  # handles, workspaces and code are made now
        torch.cuda.synchronize(device.index)
        return Prepared(lambda index, handle: on_stream(function, index, handle), kernel, policy)


class TorchMatmul(TorchPeer):
    """torch.matmul with sums in fp32: neither TF32 nor reduced-precision reductions."""

    def __init__(self, backend):
        super().__init__("torch-matmul", backend, None)

    def version(self):
        import torch
        revision = (torch.version.git_version or "unknown")[:12]
        return f"{torch.__version__} ({revision})"

    def path(self):
        import torch
        return os.path.dirname(torch.__file__)

    def check(self, problem):
        super().check(problem)
        types = {abi.TYPES[each.type] for each in (problem.a, problem.b, problem.d)}
        if len(types) > 1:
            raise Unsupported(f"torch.matmul takes operands and a result of one type, not {sorted(types)}")

    def tune(self, problem, tensors):
        import torch
        backend = torch.backends.cuda.matmul
        backend.allow_tf32 = False
        backend.allow_fp16_reduced_precision_reduction = False
        backend.allow_bf16_reduced_precision_reduction = False
        return (lambda a, b, out: torch.matmul(a, b, out=out), "torch.matmul",
                "torch's own choice, without reduced-precision sums")
