"""The device-build report: the listing of ptxas, the sizes in a fat binary, the launcher and the
rules that fail a build. Run by ctest; needs neither a toolkit nor a card."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "cmake"))

import cubin_sizes  # noqa: E402
import device_report  # noqa: E402
import ptxas_listing  # noqa: E402

# As nvcc 13.0 writes it: one kernel clean, one spilling, one that calls a function.
LISTING = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4fastILi64EEvPf' for 'sm_90a'
ptxas info    : Function properties for _Z4fastILi64EEvPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 121 registers, used 1 barriers, 32768 bytes smem, 372 bytes cmem[0]
ptxas info    : Compile time = 212.500 ms
ptxas info    : Compiling entry function '_Z2k2Pfi' for 'sm_80'
ptxas info    : Function properties for _Z2k2Pfi
    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 8 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Compile time = 187.690 ms
ptxas info    : Compiling entry function '_Z2k1Pfi' for 'sm_80'
ptxas info    : Function properties for _Z2k1Pfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 256 bytes cumulative stack size
ptxas info    : Compile time = 22.931 ms
ptxas info    : Function properties for _Z4deepPfi
    256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""


def record(cached=False, cpu_s=5.5):
    return ptxas_listing.header(6.25, cpu_s, cached) + LISTING


def elf(sections):
    """A minimal 64-bit ELF image with the given (name, bytes) sections."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _ in sections) + b".shstrtab\0"
    body, headers, name_at = b"", [], 1
    for name, data in [*sections, (".shstrtab", names)]:
        headers.append((name_at, 1, 0, 0, 64 + len(body), len(data)))
        body += data
        name_at += len(name) + 1
    header = bytearray(64)
    header[:4] = b"\x7fELF"
    struct.pack_into("<Q", header, 40, 64 + len(body))
    struct.pack_into("<HHH", header, 58, 64, len(headers), len(headers) - 1)
    table = b"".join(struct.pack("<IIQQQQ", *h).ljust(64, b"\0") for h in headers)
    return bytes(header) + body + table


def fat_binary(entries):
    """A container of (kind, sm number, payload) entries."""
    body = b""
    for kind, sm, payload in entries:
        head = bytearray(64)
        struct.pack_into("<HHIQ", head, 0, kind, 0x101, 64, len(payload))
        struct.pack_into("<I", head, 28, sm)
        body += bytes(head) + payload
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


class Listing(unittest.TestCase):
    def test_every_function_and_figure(self):
        parsed = ptxas_listing.parse(record())
        self.assertEqual((parsed.wall_s, parsed.cpu_s, parsed.cached), (6.25, 5.5, False))
        fast, spilling, calling, called = parsed.functions
        self.assertEqual(fast, ptxas_listing.Function("_Z4fastILi64EEvPf", "sm_90a", 121, 0, 0,
                                                      32768, 212.5))
        self.assertEqual((spilling.stack_bytes, spilling.spill_bytes), (8, 32))
        self.assertEqual(calling.stack_bytes, 256)  # its own frame and the called one's
        self.assertEqual((called.symbol, called.target, called.registers), ("_Z4deepPfi", "sm_80",
                                                                            0))

    def test_what_is_no_record_is_refused(self):
        with self.assertRaises(ValueError):
            ptxas_listing.parse(LISTING)

    def test_warnings_are_not_part_of_the_listing(self):
        warning = "ptxas warning : Registers are spilled to local memory in function '_Z2k2Pfi'"
        listing, other = ptxas_listing.split([*LISTING.splitlines(), warning])
        self.assertEqual(other, [warning])
        self.assertEqual(listing, LISTING.splitlines())


class Names(unittest.TestCase):
    def test_short_names(self):
        short = device_report.short_name
        self.assertEqual(short("void tilewright::kernels::f<tilewright::hw::F16, (tilewright::Order)"
                               "1>(tilewright::P<float>)"), "f<hw::F16, (Order)1>")
        self.assertEqual(short("tilewright::(anonymous namespace)::g(int)"), "g")

    def test_units(self):
        self.assertEqual(device_report.unit_of("CMakeFiles/k.dir/src/a.cu.o"), "src/a.cu")


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def built_object(self, **of_record):
        first = fat_binary([(1, 80, b"compressed PTX"),
                            (2, 90, elf([(".text._Z4fastILi64EEvPf", b"c" * 640)]))])
        second = fat_binary([(2, 80, elf([(".text._Z2k2Pfi", b"c" * 128)]))])
        fatbin = first + b"\0" * (-len(first) % 8) + second
        self.path("k.cu.o.ptxas", record(**of_record))
        return self.path("k.cu.o", elf([(".nv_fatbin", fatbin)]))

    def report(self, patterns, *more, **of_record):
        spill_free = self.path("spill_free.txt", patterns)
        return subprocess.run(
            [sys.executable, "-B", os.path.join(ROOT, "cmake", "device_report.py"), "--out",
             self.path("report.json"), "--spill-free", spill_free, "--budget-s", "10", *more,
             self.built_object(**of_record)], capture_output=True, text=True, check=False)

    def test_code_bytes_by_target(self):
        self.assertEqual(cubin_sizes.code_bytes(self.built_object()),
                         {(90, "_Z4fastILi64EEvPf"): 640, (80, "_Z2k2Pfi"): 128})

    def test_a_good_build_is_reported(self):
        result = self.report("fast<64>  # comment\n\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"sm_90a +0\.21 +121 +0 +0 +32768 +640 +fast<64>")
        self.assertIn("5.5 core-seconds, 1 units, 0 of them from ccache", result.stdout)
        with open(self.path("report.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["units"][0]["instances"][1]["spill_bytes"], 32)

    def test_a_spill_fails_the_build_and_leaves_no_report(self):
        result = self.report("k2\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("k2 for sm_80 spills 32 bytes", result.stderr)
        self.assertFalse(os.path.exists(self.path("report.json")))

    def test_a_local_array_fails_the_build(self):
        self.assertIn("keeps 256 bytes of stack", self.report("k1\n").stderr)

    def test_too_long_a_build_fails_unless_cached(self):
        self.assertIn("took 11 core-seconds", self.report("", cpu_s=11.0).stderr)
        self.assertEqual(self.report("", cpu_s=11.0, cached=True).returncode, 0)

    def test_a_pattern_without_a_kernel_fails_only_a_complete_build(self):
        self.assertEqual(self.report("nothing\n").returncode, 0)
        self.assertIn("no kernel is named like 'nothing'",
                      self.report("nothing\n", "--complete").stderr)

    def launch(self, script, *arguments):
        compiler = self.path("compiler", script)
        os.chmod(compiler, 0o755)
        return subprocess.run(
            [sys.executable, "-B", os.path.join(ROOT, "cmake", "nvcc_timed.py"), compiler,
             *arguments], capture_output=True, text=True, check=False)

    def test_launcher_keeps_the_listing_and_passes_warnings_on(self):
        self.path("listing", LISTING)
        script = (f"#!/bin/sh\ncat '{self.path('listing')}' >&2\necho 'a warning' >&2\n"
                  "echo direct_cache_hit > \"$CCACHE_STATSLOG\"\n")
        result = self.launch(script, "-c", "k.cu", "-o", self.path("k.cu.o"))
        self.assertEqual((result.returncode, result.stderr), (0, "a warning\n"))
        with open(self.path("k.cu.o.ptxas"), encoding="utf-8") as file:
            parsed = ptxas_listing.parse(file.read())
        self.assertTrue(parsed.cached)
        self.assertEqual(len(parsed.functions), 4)

    def test_launcher_shows_all_of_a_failure_and_keeps_no_record(self):
        self.path("k.cu.o.ptxas", record())
        result = self.launch("#!/bin/sh\necho 'ptxas info    : x' >&2\nexit 3\n", "-c", "k.cu", "-o",
                             self.path("k.cu.o"))
        self.assertEqual((result.returncode, result.stderr), (3, "ptxas info    : x\n"))
        self.assertFalse(os.path.exists(self.path("k.cu.o.ptxas")))


if __name__ == "__main__":
    unittest.main()
