"""What a peer in Python is, and the table of C functions that stands for it."""

import ctypes
import dataclasses
import itertools

from . import abi


class Unsupported(Exception):
    """Raised by prepare(): the problem is right, and this peer does not take it."""


@dataclasses.dataclass
class Prepared:
    """One implementation made ready for one problem.

    run(index, stream) puts the work for operand set `index` on `stream` (a cudaStream_t as an int) and
    nothing else: on a GPU it is captured in a CUDA graph. On the CPU the work is done on return.
    """

    run: object
    kernel: str = ""  # what was selected
    policy: str = "there is only one"  # how
    padding: str = ""  # work beyond the problem, which is timed
    workspace_bytes: int = 0


class Peer:
    """Base of a peer: an id (lower case, digits, '-', '.'), a backend ("cpu" or "cuda"), prepare()."""

    def __init__(self, id, backend):
        self.id, self.backend = id, backend

    def version(self):
        """Version of what is really loaded, with its source revision where it has one."""
        return "unknown"

    def path(self):
        """Where it was loaded from."""
        return ""

    def missing(self):
        """Why it cannot be used on this machine, a sentence with a remedy; empty when it can."""
        return ""

    def prepare(self, problem, device, sets, stream):
        """Makes ready for one problem, untimed: a Prepared, or raises Unsupported.

        problem, device and sets are abi.Problem, abi.Device and a list of abi.Set: the shape, orders,
        leading dimensions and alpha and beta, and the addresses of every set that run() will see.
        """
        raise NotImplementedError


class Bridge:
    """The C table of one peer. It must outlive the run, and so does every string it handed out."""

    def __init__(self, peer):
        self._peer, self._prepared, self._handles = peer, {}, itertools.count(1)
        self._texts = {}
        self.table = abi.Table(
            abi_version=abi.VERSION, struct_bytes=ctypes.sizeof(abi.Table), id=peer.id.encode(),
            context=None, backend=abi.BACKENDS[peer.backend],
            version=abi.TextFunction(lambda _: self._text("version", peer.version)),
            path=abi.TextFunction(lambda _: self._text("path", peer.path)),
            missing=abi.TextFunction(lambda _: self._text("missing", peer.missing)),
            prepare=abi.PrepareFunction(self._prepare), run=abi.RunFunction(self._run),
            destroy=abi.DestroyFunction(lambda _, state: self._prepared.pop(state, None) and None))

    def _keep(self, name, text):
        self._texts[name] = text.encode()
        return self._texts[name]

    def _text(self, name, function):
        try:
            text = str(function() or "")
        except Exception as error:  # no exception may cross into C
            text = describe(error)
        if not text:
            return None
        return ctypes.cast(ctypes.c_char_p(self._keep(name, text)), ctypes.c_void_p).value

    def _prepare(self, _, problem, device, sets, count, stream, state, facts, reason, reason_bytes):
        def work():
            prepared = self._peer.prepare(problem.contents, device.contents, sets[:count], stream or 0)
            handle = next(self._handles)
            self._prepared[handle] = prepared
            state[0] = handle
            told = facts.contents
            told.kernel = self._keep("kernel", prepared.kernel)
            told.policy = self._keep("policy", prepared.policy)
            told.padding = self._keep("padding", prepared.padding)
            told.workspace_bytes = prepared.workspace_bytes

        return guarded(work, reason, reason_bytes)

    def _run(self, _, state, index, operands, alpha, beta, stream, reason, reason_bytes):
        return guarded(lambda: self._prepared[state].run(index, stream or 0), reason, reason_bytes)


def describe(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


def guarded(work, reason, reason_bytes):
    """The answer of a C function for what `work` does; the reason of a failure goes to its buffer."""
    try:
        work()
        return abi.OK
    except Unsupported as refusal:
        code, text = abi.UNSUPPORTED, str(refusal)
    except Exception as error:  # no exception may cross into C
        code, text = abi.FAILED, describe(error)
    raw = text.encode()[:reason_bytes - 1] + b"\0"
    ctypes.memmove(reason, raw, len(raw))
    return code
