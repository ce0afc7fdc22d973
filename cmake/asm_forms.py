#!/usr/bin/env python3
"""Writes the instructions whose operand lists depend on a number: wgmma by N, tensor copies by rank.

usage: asm_forms.py FOLDER    (writes wgmma_forms.h and tma_forms.h there)

An asm statement needs every register by name, so one function a form is spelled out. What the
functions mean is said in src/hw/ptx/wgmma.h and src/hw/ptx/tma.h.
"""
import sys
from pathlib import Path

HALF_N = list(range(8, 257, 8))
OTHER_N = [8, 16, 32, 64, 96, 128, 192, 256]
# C++ type, PTX type, PTX type of the sums, their C++ type and constraint, N, has scales, has majors
WGMMA_TYPES = [
    ("F16", "f16", "f32", "float", "f", 16, HALF_N, True, True),
    ("BF16", "bf16", "f32", "float", "f", 16, HALF_N, True, True),
    ("TF32", "tf32", "f32", "float", "f", 8, OTHER_N, True, False),
    ("E4M3", "e4m3", "f32", "float", "f", 32, OTHER_N, True, False),
    ("E5M2", "e5m2", "f32", "float", "f", 32, OTHER_N, True, False),
    ("std::int8_t", "s8", "s32", "int", "r", 32, OTHER_N, False, False),
]


def names(first, count):
    return ", ".join(f"%{i}" for i in range(first, first + count))


def wgmma_function(spec, n, from_registers):
    _, ptx, sums_ptx, sums, constraint, k, _, scales, majors = spec
    count = n // 2
    a_count = 4 if from_registers else 1
    a_text = "{" + names(count, 4) + "}" if from_registers else f"%{count}"
    b_at = count + a_count
    immediates = ", 1, 1" if scales else ""
    constants = []
    if majors:
        if not from_registers:
            immediates += f", %{b_at + 2}"
            constants.append('"n"(kA)')
        immediates += f", %{b_at + 2 + len(constants)}"
        constants.append('"n"(kB)')
    template = "template <int kA, int kB>" if not from_registers else "template <int kB>"
    a_type = "const std::uint32_t (&a)[4]" if from_registers else "std::uint64_t a"
    a_inputs = ", ".join(f'"r"(a[{i}])' for i in range(4)) if from_registers else '"l"(a)'
    outputs = ", ".join(f'"+{constraint}"(d[{i}])' for i in range(count))
    inputs = ", ".join([a_inputs, '"l"(b)', '"r"(static_cast<int>(accumulate))'] + constants)
    return f"""  {template}
  static TW_DEVICE void {"registers" if from_registers else "shared"}({sums} (&d)[{count}], {a_type}, std::uint64_t b, bool accumulate) {{
    asm volatile("{{\\n .reg .pred p;\\n setp.ne.b32 p, %{b_at + 1}, 0;\\n wgmma.mma_async.sync.aligned.m64n{n}k{k}.{sums_ptx}.{ptx}.{ptx} {{{names(0, count)}}}, {a_text}, %{b_at}, p{immediates};\\n}}\\n" : {outputs} : {inputs} : "memory");
  }}
"""


def wgmma_header():
    text = ["// Written by cmake/asm_forms.py.\n#pragma once\n\nnamespace tilewright::hw::inline TW_TARGET {\n\n"
            "template <class T, int kN>\nstruct WgmmaForm;\n"]
    for spec in WGMMA_TYPES:
        for n in spec[6]:
            if spec[1] == "s8" and n % 16 != 0 and n not in (8, 24):
                continue
            text.append(f"template <>\nstruct WgmmaForm<{spec[0]}, {n}> {{\n")
            text.append(wgmma_function(spec, n, False))
            text.append(wgmma_function(spec, n, True))
            text.append("};\n")
    text.append("\n}  // namespace tilewright::hw::inline TW_TARGET\n")
    return "".join(text)


def tma_forms(rank):
    def coordinates(first):
        return "{" + names(first, rank) + "}"

    at = ", ".join(f'"r"(at[{i}])' for i in range(rank))
    load = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    hint = ".L2::cache_hint"
    store = f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group"
    add = f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add.tile.bulk_group"

    def function(name, parameters, text, inputs):
        return (f"  static TW_DEVICE void {name}({parameters}, const int (&at)[{rank}]) {{\n"
                f'    asm volatile("{text}\\n" ::{inputs} : "memory");\n  }}\n')

    end = 3 + rank  # the operand after target, map, barrier and coordinates
    load_parameters = "std::uint32_t target, const void* map, std::uint32_t barrier"
    load_inputs = f'"r"(target), "l"(map), "r"(barrier), {at}'
    store_parameters = "std::uint32_t source, const void* map"
    store_inputs = f'"r"(source), "l"(map), {at}'
    address = f"[%0], [%1, {coordinates(3)}], [%2]"
    to = f"[%1, {coordinates(2)}], [%0]"
    return "".join([
        f"template <>\nstruct TensorForm<{rank}> {{\n",
        function("load", load_parameters, f"{load} {address};", load_inputs),
        function("load_hint", load_parameters + ", std::uint64_t policy",
                 f"{load}{hint} {address}, %{end};", load_inputs + ', "l"(policy)'),
        function("multicast", load_parameters + ", std::uint16_t ranks",
                 f"{load}.multicast::cluster {address}, %{end};", load_inputs + ', "h"(ranks)'),
        function("multicast_hint",
                 load_parameters + ", std::uint16_t ranks, std::uint64_t policy",
                 f"{load}.multicast::cluster{hint} {address}, %{end}, %{end + 1};",
                 load_inputs + ', "h"(ranks), "l"(policy)'),
        function("store", store_parameters, f"{store} {to};", store_inputs),
        function("store_hint", store_parameters + ", std::uint64_t policy",
                 f"{store}{hint} {to}, %{2 + rank};", store_inputs + ', "l"(policy)'),
        function("add", store_parameters, f"{add} {to};", store_inputs),
        function("prefetch", "const void* map",
                 f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [%0, {coordinates(1)}];",
                 f'"l"(map), {at}'),
        "};\n",
    ])


def tma_header():
    return ("// Written by cmake/asm_forms.py.\n#pragma once\n\nnamespace tilewright::hw::inline TW_TARGET {\n\n"
            "template <int kRank>\nstruct TensorForm;\n" + "".join(tma_forms(r) for r in range(1, 6)) +
            "\n}  // namespace tilewright::hw::inline TW_TARGET\n")


def write(path, text):
    if not path.exists() or path.read_text() != text:  # an unchanged file builds nothing anew
        path.write_text(text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "wgmma_forms.h", wgmma_header())
    write(folder / "tma_forms.h", tma_header())


if __name__ == "__main__":
    main()
