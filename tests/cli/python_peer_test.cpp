// Peers in Python: the command goes on inside a Python process, and comes to the same results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

constexpr const char* kLoops = TILEWRIGHT_SOURCE_DIR "/examples/peer/loops.py";

ToolRun compare(const Words& more, const Words& environment = {}) {
  Words words = {"compare", "gemm",       "--device",    "cpu",     "--rounds",
                 "2",       "--samples",  "2",           "--quiet", "--warmup-ms",
                 "1",       "--rotation", "0",           "--sizes", "9",
                 "--dtype", "f32",        "--sample-us", "10",      "--first-warmup-ms",
                 "1"};
  words.insert(words.end(), more.begin(), more.end());
  return run_tool_binary(words, environment);
}

TEST(PythonPeer, takes_part_verified_beside_ours) {
  const ScratchFolder folder;
  const std::string out = folder.path("run.json");
  const ToolRun run = compare({"--peer", kLoops, "--only", "tilewright,loops", "--out", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("three loops"));
  EXPECT_THAT(run.out, Not(HasSubstr("not checked")));
  // The file says what was typed, not how the tool went on.
  EXPECT_THAT(read_text(out), HasSubstr("--peer"));
  EXPECT_THAT(read_text(out), Not(HasSubstr("tilewright_peers")));
  EXPECT_THAT(run_tool_binary({"report", out}).out, HasSubstr("loops"));
  EXPECT_THAT(run_tool_binary({"list", "gemm", "--peer", kLoops}).out, HasSubstr("loops"));
  EXPECT_EQ(run_tool_binary({"verify", "gemm", "--device", "cpu", "--m", "5", "--n", "7", "--k",
                             "3", "--dtype", "f32", "--peer", kLoops, "--only", "loops"})
                .exit_code,
            0);
}

TEST(PythonPeer, a_file_that_gives_no_peers_is_wrong_usage) {
  const ScratchFolder folder;
  const struct {
    const char *name, *text, *sentence;
  } files[] = {
      {"empty.py", "", "it has no list PEERS"},
      {"broken.py", "import no_such_module_here\n", "No module named 'no_such_module_here'"},
      {"taken.py",
       "import tilewright_peers\nPEERS = [tilewright_peers.Peer('tilewright', 'cpu')]\n",
       "has the id 'tilewright', which is taken"},
      {"shape.py", "import tilewright_peers\nPEERS = [tilewright_peers.Peer('A b', 'cpu')]\n",
       "id"},
      {"backend.py", "import tilewright_peers\nPEERS = [tilewright_peers.Peer('x', 'tpu')]\n",
       "'tpu' is no backend"},
      {"text.py", "PEERS = ['mine']\n", "'mine' is no Peer"},
  };
  for (const auto& file : files) {
    const ToolRun run = compare({"--peer", folder.write(file.name, file.text)});
    EXPECT_EQ(run.exit_code, 2) << file.name << run.err;
    EXPECT_THAT(run.err, HasSubstr(file.sentence)) << file.name;
    EXPECT_THAT(run.out, "") << file.name;
  }
  const ToolRun nowhere = compare({"--peer", folder.path("nowhere.py")});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("nowhere.py"));
  EXPECT_EQ(folder.names().size(), std::size(files));  // and leaves nothing beside them
}

// Each failure is a row of the table; no exception crosses into the engine.
TEST(PythonPeer, what_raises_is_a_row_with_its_reason) {
  const ScratchFolder folder;
  const std::string file = folder.write("bad.py", R"(
import ctypes
import tilewright_peers as t

class Told(t.Peer):
    def prepare(self, problem, device, sets, stream):
        same = (problem.struct_bytes == ctypes.sizeof(problem)
                and device.struct_bytes == ctypes.sizeof(device))
        raise t.Unsupported(f"sizes {same}, m {problem.m}, n {problem.n}, k {problem.k}, batch "
                            f"{problem.batch}, b {t.abi.TYPES[problem.b.type]} "
                            f"{t.abi.ORDERS[problem.b.order]} ld {problem.b.ld}, alpha "
                            f"{problem.alpha}, beta {problem.beta}, threads {device.threads > 0}")

class Prepares(t.Peer):
    def prepare(self, problem, device, sets, stream):
        return {}["no such key"]

class Runs(t.Peer):
    def prepare(self, problem, device, sets, stream):
        def run(index, stream):
            raise OSError("the disk is on fire")
        return t.Prepared(run)

class Wrong(t.Peer):
    def prepare(self, problem, device, sets, stream):
        return t.Prepared(lambda index, stream: None)

class Absent(t.Peer):
    def missing(self):
        return "it is not here; look elsewhere"

PEERS = [kind(kind.__name__.lower(), "cpu") for kind in (Told, Prepares, Runs, Wrong, Absent)]
)");
  const ToolRun run =
      compare({"--peer", file, "--only", "tilewright,told,prepares,runs,wrong,absent"});
  EXPECT_EQ(run.exit_code, 0) << run.err;  // nothing of ours failed
  EXPECT_THAT(run.out, HasSubstr("sizes True, m 9, n 9, k 9, batch 1, b f32 col_major ld 9, alpha "
                                 "1.0, beta 0.0, threads True"));
  EXPECT_THAT(run.out, HasSubstr("KeyError: 'no such key'"));
  EXPECT_THAT(run.out, HasSubstr("OSError: the disk is on fire"));
  EXPECT_THAT(run.out, HasSubstr("it is not here; look elsewhere"));
  EXPECT_THAT(run.out, HasSubstr("failed: wrong on 9x9x9 f32"));  // it writes nothing
  EXPECT_THAT(run.out, HasSubstr("yes ("));                       // ours is measured all the same
}

TEST(PythonPeer, a_module_that_no_python_has_is_told_with_a_remedy) {
  const ToolRun run =
      compare({"--only", "tilewright,torch-matmul"}, {"TILEWRIGHT_PYTHON=/nonexistent/python"});
  EXPECT_THAT(run.out, HasSubstr("no Python with torch is found (there is no "
                                 "/nonexistent/python); install it there"));
  EXPECT_THAT(run.out, HasSubstr("yes ("));
  const ToolRun file = compare({"--peer", kLoops}, {"TILEWRIGHT_PYTHON=/nonexistent/python"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, HasSubstr("--peer: no Python is found"));
  EXPECT_THAT(file.err, HasSubstr("TILEWRIGHT_PYTHON"));
}

// They cost seconds to import, and take part where they are named.
TEST(PythonPeer, take_no_part_by_default) {
  EXPECT_THAT(compare({}).out, Not(HasSubstr("torch-matmul")));
  EXPECT_THAT(run_tool_binary({"list", "gemm"}).out, HasSubstr("torch-matmul"));
}

// Where the Python of the tests has no matplotlib, the sentence says so.
TEST(Pictures, are_made_from_the_file_alone_or_the_remedy_is_told) {
  const ScratchFolder folder;
  const std::string file = TILEWRIGHT_SOURCE_DIR "/benchmarks/results/h200/ladder.json";
  const std::string pictures = folder.path("pictures");
  const ToolRun run = run_tool_binary({"report", file, "--pictures", pictures});
  if (run.exit_code == 0) {
    for (const char* name : {"throughput", "roofline", "distributions", "card"}) {
      EXPECT_THAT(read_text(pictures + "/" + name + ".svg"), HasSubstr("</svg>")) << name;
    }
  } else {
    EXPECT_THAT(run.err, HasSubstr("no Python with matplotlib is found"));
  }
  const ToolRun none =
      run_tool_binary({"report", file, "--pictures", pictures}, {"TILEWRIGHT_PYTHON=/nowhere/py"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("no Python with matplotlib is found (there is no /nowhere/py)"));
  EXPECT_EQ(run_tool_binary({"report", file, "--table", "steps", "--pictures", pictures}).exit_code,
            2);
}

}  // namespace
}  // namespace tilewright::measure::test
