"""What the tool starts when a peer in Python is named; `tilewright compare --help` is for people."""

import argparse
import importlib
import importlib.util
import sys
import traceback

from . import abi, host
from .peer import Peer

FAILURE, WRONG_USAGE = 1, 2


def peers_of(path):
    """The list PEERS of a Python file."""
    spec = importlib.util.spec_from_file_location("tilewright_peer_file", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True  # no __pycache__ beside somebody's file
    spec.loader.exec_module(module)
    if not hasattr(module, "PEERS"):
        raise ValueError("it has no list PEERS; docs/writing-a-peer.md shows one")
    for peer in module.PEERS:
        if not isinstance(peer, Peer):
            raise ValueError(f"{peer!r} is no Peer")
        if peer.backend not in abi.BACKENDS:
            raise ValueError(f"{peer.backend!r} is no backend; {' and '.join(abi.BACKENDS)} are")
    return list(module.PEERS)


def main():
    parser = argparse.ArgumentParser(prog="python3 -m tilewright_peers")
    # Imported before the engine loads any library, so that torch gets the cuBLAS it was built with.
    parser.add_argument("--import", action="append", default=[], dest="modules")
    parser.add_argument("--file", action="append", default=[], dest="files")
    parser.add_argument("words", nargs="+", help="the tool's name and the words of a command")
    options = parser.parse_args()
    for module in options.modules:
        try:
            importlib.import_module(module)
        except Exception:  # its peers say so in their rows
            pass
    peers = []
    for path in options.files:
        try:
            peers += peers_of(path)
        except Exception as error:
            traceback.print_exc()
            print(f"tilewright: --peer: '{path}' gives no peers: {error}", file=sys.stderr)
            return WRONG_USAGE
    try:
        return host.run(options.words[1:], peers, tool=options.words[0])
    except (OSError, AttributeError) as error:
        print(f"tilewright: the engine does not load: {error}", file=sys.stderr)
        return FAILURE


sys.exit(main())
