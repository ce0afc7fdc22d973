"""Python callables as peers of Tilewright's measuring tool.

A peer is measured in the same process, device context and rounds as everything else, and its output is
checked before it is timed. Two ways to bring one:

    tilewright compare gemm --peer mine.py --only tilewright,mine      # mine.py defines PEERS
    tilewright_peers.run(["compare", "gemm", "--only", "tilewright,mine"], peers=[...])

The simplest peer is a function of torch tensors:

    PEERS = [tilewright_peers.TorchPeer("mine", "cuda", lambda a, b, out: torch.matmul(a, b, out=out))]

docs/writing-a-peer.md has the rules; Peer has the interface.
"""

from . import abi
from .host import run
from .peer import Peer, Prepared, Unsupported
from .torch_peer import TorchPeer

__all__ = ["Peer", "Prepared", "TorchPeer", "Unsupported", "abi", "run"]
