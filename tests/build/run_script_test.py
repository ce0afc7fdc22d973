"""The script `run`, driven through stand-ins for CMake, Ninja, ctest and the compilers, so that what
it chooses is seen without building anything."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Configures by making what the real one would leave, and keeps the words it was called with.
CMAKE = """#!/bin/sh
if [ "$1" = --version ]; then echo "cmake version 3.25.1"; exit 0; fi
echo "$@" >> "$TEST_LOG"
folder="$4"
mkdir -p "$folder/measure"
touch "$folder/build.ninja"
printf '#!/bin/sh\\necho "tool: $*"\\nexit 3\\n' > "$folder/measure/tilewright"
chmod +x "$folder/measure/tilewright"
"""
NINJA = """#!/bin/sh
echo "ninja: no work to do."
"""
CTEST = """#!/bin/sh
while [ "$1" != --output-junit ]; do shift; done
cp "$TEST_RESULTS" "$2"
exit "$TEST_CTEST_EXIT"
"""


def nvcc(version):
    return f"#!/bin/sh\necho 'Cuda compilation tools, release {version}, V{version}.1'\n"


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(suffix=" with spaces")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.bin = os.path.join(self.folder, "bin")
        self.build = os.path.join(self.folder, "out")
        self.log = os.path.join(self.folder, "log")
        self.environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin", "HOME": self.folder, "TEST_LOG": self.log,
            "TILEWRIGHT_BUILD_DIR": self.build, "TEST_CTEST_EXIT": "0",
            "TEST_RESULTS": os.path.join(self.folder, "results"),
        }
        for name, text in (("cmake", CMAKE), ("ninja", NINJA), ("ctest", CTEST)):
            self.program(f"bin/{name}", text)
        # The packages of this machine are not what is tested.
        os.mkdir(self.build)
        with open(os.path.join(self.build, "setup-done"), "w", encoding="utf-8"):
            pass
        os.mkdir(os.path.join(self.folder, "tree"))
        self.run_script = os.path.join(self.folder, "tree", "run")
        shutil.copy2(os.path.join(ROOT, "run"), self.run_script)
        os.utime(self.run_script, (1, 1))

    def program(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def run_it(self, *words, script=None, **environment):
        return subprocess.run([script or self.run_script, *words], capture_output=True, text=True,
                              cwd="/", env={**self.environment, **environment}, check=False)

    def configured(self):
        try:
            with open(self.log, encoding="utf-8") as file:
                return file.read().splitlines()
        except OSError:
            return []

    def results(self, *statuses):
        with open(self.environment["TEST_RESULTS"], "w", encoding="utf-8") as file:
            for status in statuses:
                file.write(f'\t<testcase name="a" classname="a" time="0" status="{status}">\n')

    def cpu_only(self, *words, **environment):
        return self.run_it(*words, TILEWRIGHT_CUDA_TARGETS="none", **environment)

    def test_help_and_no_words(self):
        self.assertEqual(self.run_it("--help").returncode, 0)
        self.assertIn("./run compare gemm", self.run_it("--help").stdout)
        self.assertEqual((self.run_it().returncode, self.run_it().stdout), (2, ""))

    def test_words_and_exit_code_are_the_tools(self):
        result = self.cpu_only("compare", "gemm", "--out", "a file.json")
        self.assertEqual((result.returncode, result.stdout), (3, "tool: compare gemm --out a file.json\n"))
        self.assertIn("CPU alone", result.stderr)
        self.assertEqual(self.configured(), [f"--preset release-cpu -B {self.build}/release-cpu"])

    def test_the_second_call_is_quiet_and_configures_nothing(self):
        self.cpu_only("info")
        result = self.run_it("info")  # what the build folder has
        self.assertEqual((result.stdout, result.stderr), ("tool: info\n", ""))
        self.assertEqual(len(self.configured()), 1)

    def test_through_a_link(self):
        link = os.path.join(self.folder, "link")
        os.symlink(self.run_script, link)
        self.assertEqual(self.cpu_only("info", script=link).stdout, "tool: info\n")

    def test_the_named_toolkit_comes_first_and_targets_are_handed_on(self):
        self.program("toolkit/bin/nvcc", nvcc("13.0"))
        self.program("bin/nvcc", nvcc("13.1"))
        home = os.path.join(self.folder, "toolkit")
        self.run_it("info", CUDA_HOME=home, TILEWRIGHT_CUDA_TARGETS="89, 90a")
        self.assertEqual(self.configured(), [
            f"--preset release -B {self.build}/release -DTW_NVCC:FILEPATH={home}/bin/nvcc "
            "-DTILEWRIGHT_CUDA_TARGETS=89;90a"])

    def test_an_old_toolkit_is_passed_over(self):
        self.program("toolkit/bin/nvcc", nvcc("12.8"))
        self.program("bin/nvcc", nvcc("12.10"))
        result = self.run_it("info", CUDA_HOME=os.path.join(self.folder, "toolkit"),
                             TILEWRIGHT_CUDA_TARGETS="90a")
        self.assertIn("12.8 at", result.stderr)
        self.assertIn(f"-DTW_NVCC:FILEPATH={self.bin}/nvcc", self.configured()[0])

    def test_the_gpus_found_are_the_default_targets(self):
        self.program("bin/nvcc", nvcc("13.0"))
        self.program("bin/nvidia-smi", "#!/bin/sh\nprintf '9.0\\n8.6\\n12.1\\n9.0\\n8.7\\n'\n")
        self.run_it("info")
        self.assertTrue(self.configured()[0].endswith("TARGETS=120f;86;ptx80;90a"),
                        self.configured())

    def test_new_targets_configure_again(self):
        self.program("bin/nvcc", nvcc("13.0"))
        self.run_it("info", TILEWRIGHT_CUDA_TARGETS="90a")
        self.run_it("info", TILEWRIGHT_CUDA_TARGETS="all")
        self.run_it("info")
        self.assertEqual([line.rsplit("=", 1)[1] for line in self.configured()], ["90a", "all"])

    def test_an_unknown_target_is_wrong_usage(self):
        result = self.run_it("info", TILEWRIGHT_CUDA_TARGETS="90a 91")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("holds '91'", result.stderr)
        self.assertEqual(self.configured(), [])

    def test_counts_close_the_test_run(self):
        self.results("run", "run", "notrun", "disabled")
        result = self.cpu_only("test")
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1]),
                         (0, "2 passed, 0 failed, 2 skipped"))

    def test_a_failure_a_missing_program_and_no_test_all_fail(self):
        for statuses, ctest_exit, counts in ((["run", "fail"], "8", "1 passed, 1 failed, 0 skipped"),
                                             (["run", "notrun"], "8", "1 passed, 1 failed, 1 skipped"),
                                             ([], "0", "0 passed, 0 failed, 0 skipped"),
                                             (["notrun"], "0", "0 passed, 0 failed, 1 skipped")):
            self.results(*statuses)
            result = self.cpu_only("test", TEST_CTEST_EXIT=ctest_exit)
            self.assertEqual((result.returncode, result.stdout.splitlines()[-1]), (1, counts))

    def test_sanitizers_have_a_folder_of_their_own_and_add_to_the_counts(self):
        self.results("run", "notrun")
        result = self.cpu_only("test", "--sanitize", "-R", "x")
        self.assertEqual(result.stdout.splitlines()[-1], "2 passed, 0 failed, 2 skipped")
        self.assertEqual(self.configured()[1], f"--preset sanitize -B {self.build}/sanitize")

    def test_a_failing_build_stops(self):
        self.program("bin/ninja", "#!/bin/sh\necho 'FAILED: x.o'\nexit 1\n")
        result = self.cpu_only("info")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("FAILED: x.o", result.stderr)


if __name__ == "__main__":
    unittest.main()
