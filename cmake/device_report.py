#!/usr/bin/env python3
"""The device-build report: what each kernel instance cost to build and what it became.

Prints a table and writes the same as JSON. Fails where a kernel that is meant to be fast spills or
keeps a local array in memory, and where the device code took longer to compile than it may.
"""

import argparse
import json
import os
import re
import subprocess
import sys

import cubin_sizes
import ptxas_listing


def demangle(symbols):
    """{symbol: short name}: no return type, no parameters."""
    if not symbols:
        return {}
    names = subprocess.run(["c++filt"], input="\n".join(symbols), text=True, check=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {symbol: short_name(name) for symbol, name in zip(symbols, names)}


def short_name(demangled):
    """`void tilewright::f<(int)4>(float*)` -> `f<(int)4>`."""
    text = demangled
    for scope in ("(anonymous namespace)::", "tilewright::", "kernels::"):
        text = text.replace(scope, "")
    depth, start, end = 0, 0, len(text)
    for i, char in enumerate(text):
        depth += {"<": 1, ">": -1}.get(char, 0)
        if depth == 0 and char == " ":
            start = i + 1
        if depth == 0 and char == "(":
            end = i
            break
    return text[start:end]


def unit_of(object_path):
    """CMakeFiles/x.dir/src/a.cu.o -> src/a.cu."""
    inner = object_path.replace(os.sep, "/").rsplit(".dir/", 1)[-1]
    return inner.removesuffix(".o").removeprefix("./")


def read_unit(object_path):
    record_path = object_path + ".ptxas"
    try:
        with open(record_path, encoding="utf-8") as file:
            record = ptxas_listing.parse(file.read())
    except (OSError, ValueError) as error:
        sys.exit(f"device report: no build record for {object_path}: {error}; delete the object "
                 "and build again.")
    sizes = cubin_sizes.code_bytes(object_path)
    names = demangle([function.symbol for function in record.functions])
    instances = [{
        "kernel": names[f.symbol], "symbol": f.symbol, "target": f.target,
        "ptxas_s": round(f.ptxas_ms / 1000, 3), "registers": f.registers,
        "spill_bytes": f.spill_bytes, "stack_bytes": f.stack_bytes,
        "static_shared_bytes": f.shared_bytes,
        "code_bytes": sizes.get((sm_number(f.target), f.symbol)),
    } for f in record.functions]
    return {"unit": unit_of(object_path), "wall_s": record.wall_s, "core_s": record.cpu_s,
            "cached": record.cached, "instances": instances}


def sm_number(target):
    digits = re.search(r"\d+", target)
    return int(digits.group()) if digits else 0


def read_patterns(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split("#", 1)[0].strip() for line in file]
    return [line for line in lines if line]


def problems_of(units, patterns, budget_s, complete):
    """What fails the build, a sentence each. Where every target was built (`complete`), a pattern
    that no kernel matches is a mistake too: it would guard nothing."""
    found = []
    instances = [instance for unit in units for instance in unit["instances"]]
    for pattern in patterns:
        matching = [i for i in instances if re.search(pattern, i["kernel"])]
        if complete and not matching:
            found.append(f"no kernel is named like '{pattern}', which the list of spill-free "
                         "kernels expects.")
        for i in matching:
            if i["spill_bytes"] or i["stack_bytes"]:
                found.append(f"{i['kernel']} for {i['target']} spills {i['spill_bytes']} bytes and "
                             f"keeps {i['stack_bytes']} bytes of stack; it is meant to be fast and "
                             "may have neither.")
    core_s = compiled_s(units)
    if core_s > budget_s:
        found.append(f"device code took {core_s:.0f} core-seconds to compile, more than the "
                     f"{budget_s:.0f} it may.")
    return found


def compiled_s(units):
    return sum(unit["core_s"] for unit in units if not unit["cached"])


def table(units):
    rows = [("target", "seconds", "regs", "spill", "stack", "smem", "code", "kernel")]
    lines = ["Device code: seconds are ptxas's for an instance, core-seconds of the whole nvcc call "
             "for a unit; sizes in bytes"]
    for unit in units:
        time = "cached" if unit["cached"] else f"{unit['core_s']:.1f} core-s"
        rows.append((unit["unit"], time))
        for i in unit["instances"]:
            code = "-" if i["code_bytes"] is None else str(i["code_bytes"])
            rows.append((i["target"], f"{i['ptxas_s']:.2f}", str(i["registers"] or "-"),
                         str(i["spill_bytes"]), str(i["stack_bytes"]),
                         str(i["static_shared_bytes"]), code, i["kernel"]))
    for row in rows:
        if len(row) == 2:
            lines.append(f"{row[0]}  ({row[1]})")
        else:
            target, *numbers, name = row
            lines.append(f"  {target:<8}" + "".join(f"{n:>8}" for n in numbers) + f"  {name}")
    cached = sum(unit["cached"] for unit in units)
    lines.append(f"Device code in all: {compiled_s(units):.1f} core-seconds, {len(units)} units, "
                 f"{cached} of them from ccache")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the JSON file to write")
    parser.add_argument("--spill-free", required=True, help="one pattern a line")
    parser.add_argument("--budget-s", type=float, required=True, help="core-seconds it may take")
    parser.add_argument("--complete", action="store_true", help="every target was built")
    parser.add_argument("objects", nargs="*")
    args = parser.parse_args()
    units = [read_unit(path) for path in args.objects]
    print(table(units))
    problems = problems_of(units, read_patterns(args.spill_free), args.budget_s,
                           args.complete)
    for problem in problems:
        print(f"device report: {problem}", file=sys.stderr)
    if problems:
        return 1  # no file: the next build looks again
    with open(args.out, "w", encoding="utf-8") as out:
        json.dump({"core_s": round(compiled_s(units), 2), "units": units}, out, indent=1)
        out.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
