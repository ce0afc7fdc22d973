"""Runs the tool inside this Python process."""

import ctypes
import os
import signal

from . import abi
from .peer import Bridge

ENGINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtilewright_engine.so")


def built_in():
    from .torch_peer import TorchMatmul
    from .triton_peer import TritonMatmul
    return [TorchMatmul("cuda"), TorchMatmul("cpu"), TritonMatmul()]


def run(words, peers=(), tool="tilewright"):
    """Runs one command, ["compare", "gemm", ...], with `peers` beside those that come with the tool.

    Gives the tool's exit code: 0 ok, 1 failure, 2 wrong usage, 3 undecided, 4 invalid, 5 no such device.
    It is meant to be called once a process.
    """
    engine = ctypes.CDLL(ENGINE)
    bridges = [Bridge(peer) for peer in (*built_in(), *peers)]
    tables = (abi.Table * len(bridges))(*(bridge.table for bridge in bridges))
    command = [tool, *words]
    argv = (ctypes.c_char_p * (len(command) + 1))(*(os.fsencode(word) for word in command), None)
    engine.tw_tool_main.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)  # the engine, not Python, is at work
    try:
        return engine.tw_tool_main(len(command), argv, tables, len(bridges))
    finally:
        signal.signal(signal.SIGINT, before)
