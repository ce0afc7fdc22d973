"""A card's code and the simulator's do not meet. Run by ctest with the build folder and the C++
compiler: targets_apart_test.py BUILD CXX"""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD, CXX = sys.argv[1], sys.argv[2]

# A kernel over the vocabulary of src/hw; INSTRUCTION is what it calls.
KERNEL = """
#include "hw/barrier.h"
#include "hw/index.h"
#include "hw/ldmatrix.h"
struct Params { int unused; };
TW_KERNEL(32, 1) kernel(const Params) { tilewright::hw::INSTRUCTION(); }
void (*used)(Params) = kernel;
"""


class TargetsApart(unittest.TestCase):
    def test_device_code_is_made_from_no_file_of_the_simulator(self):
        listing = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True,
                                 text=True, check=True).stdout
        objects = [entry for entry in listing.split("\n\n") if entry.split(":")[0].endswith(".cu.o")]
        if not objects:
            self.skipTest("no device code in this build")
        for entry in objects:
            self.assertNotIn("hw/sim/", entry)
        self.assertTrue(any("hw/ptx/" in entry for entry in objects))

    def compile(self, instruction):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write(KERNEL.replace("INSTRUCTION", instruction))
            return subprocess.run(
                [CXX, "-std=c++20", "-fsyntax-only", "-DFMT_HEADER_ONLY", "-I", ROOT + "/src", "-I",
                 ROOT + "/include", path], capture_output=True, text=True, check=False)

    def test_an_instruction_that_the_simulator_lacks_is_named(self):
        self.assertEqual(self.compile("sync_threads").returncode, 0)
        missing = self.compile("tcgen05_commit")
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn("tcgen05_commit", missing.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
