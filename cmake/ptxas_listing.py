"""What ptxas -v says of each function: one record format, written by nvcc_timed.py and read by
device_report.py."""

import dataclasses
import re

_HEADER = re.compile(r"nvcc: wall_s=([\d.]+) cpu_s=([\d.]+) cached=(yes|no)$")
_LISTING = re.compile(r"ptxas info\s|\s+\d+ bytes stack frame")
_ENTRY = re.compile(r"ptxas info\s*: Compiling entry function '(\S+)' for '(\S+)'")
_PROPERTIES_OF = re.compile(r"ptxas info\s*: Function properties for (\S+)")
_STACK = re.compile(r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"ptxas info\s*: Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_CUMULATIVE = re.compile(r"(\d+) bytes cumulative stack size")
_TIME = re.compile(r"ptxas info\s*: Compile time = ([\d.]+) ms")


@dataclasses.dataclass
class Function:
    """A kernel, or a device function that was not inlined (registers stay 0: its callers' count)."""

    symbol: str
    target: str
    registers: int = 0
    stack_bytes: int = 0
    spill_bytes: int = 0  # stores and loads together
    shared_bytes: int = 0  # static only
    ptxas_ms: float = 0.0


@dataclasses.dataclass
class Record:
    wall_s: float
    cpu_s: float
    cached: bool
    functions: list


def header(wall_s, cpu_s, cached):
    return f"nvcc: wall_s={wall_s:.2f} cpu_s={cpu_s:.2f} cached={'yes' if cached else 'no'}\n"


def split(lines):
    """Parts a compiler's output into the ptxas listing and everything else."""
    listing = [line for line in lines if _LISTING.match(line)]
    return listing, [line for line in lines if not _LISTING.match(line)]


def parse(text):
    """The Record in `text`; ValueError where the first line is not a record's."""
    first, _, rest = text.partition("\n")
    match = _HEADER.match(first)
    if not match:
        raise ValueError(f"not a build record: {first!r}")
    return Record(float(match.group(1)), float(match.group(2)), match.group(3) == "yes",
                  _functions(rest.splitlines()))


def _functions(lines):
    functions, target = [], ""
    for line in lines:
        if entry := _ENTRY.match(line):
            target = entry.group(2)
            functions.append(Function(entry.group(1), target))
        elif named := _PROPERTIES_OF.match(line):
            if not functions or functions[-1].symbol != named.group(1):
                functions.append(Function(named.group(1), target))  # called, not inlined
        elif functions:
            _add(functions[-1], line)
    return functions


def _add(function, line):
    if stack := _STACK.match(line):
        function.stack_bytes = int(stack.group(1))
        function.spill_bytes = int(stack.group(2)) + int(stack.group(3))
    elif used := _USED.match(line):
        function.registers = int(used.group(1))
        if shared := _SHARED.search(line):
            function.shared_bytes = int(shared.group(1))
        if cumulative := _CUMULATIVE.search(line):
            function.stack_bytes = int(cumulative.group(1))
    elif taken := _TIME.match(line):
        function.ptxas_ms = float(taken.group(1))
