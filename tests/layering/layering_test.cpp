// The rules hold in the tree, and each of them catches what it is for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/layering/layering_rules.h"

namespace tilewright::layering {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<SourceFile> files_of_the_tree() {
  static const std::set<std::string> kSources = {".h", ".hpp", ".cuh", ".inc", ".c", ".cpp", ".cu"};
  const fs::path root = TILEWRIGHT_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const char* folder : {"include", "src", "measure"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !kSources.contains(entry.path().extension())) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      files.push_back({fs::relative(entry.path(), root).generic_string(), text.str()});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string listing(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    text += violation.path + ":" + std::to_string(violation.line) + ": " + violation.what + "\n";
  }
  return text;
}

TEST(Layering, the_tree_keeps_the_rules) {
  const std::vector<SourceFile> files = files_of_the_tree();
  ASSERT_GE(files.size(), 40u) << "too few files were found under " << TILEWRIGHT_SOURCE_DIR;
  EXPECT_EQ(listing(check_layering(files)), "");
}

// A small tree in which all is well.
std::vector<SourceFile> small_tree() {
  return {
      {"include/tilewright/gemm.h", "#include <vector>\n#include \"tilewright/status.h\"\n"},
      {"include/tilewright/status.h", "#include <stdint.h>\n"},
      {"src/core/check.h", "#include \"tilewright/status.h\"\n"},
      {"src/numeric/f16.h", "#include \"core/check.h\"\n"},
      {"src/layout/swizzle.h", ""},
      {"src/hw/mma.h", "#include \"hw/ptx/mma.h\"\n#ifdef __CUDA_ARCH__\n#endif\n"},
      {"src/hw/ptx/mma.h", "void mma() { asm volatile(\"mma.sync\"); }\n"},
      {"src/tile/epilogue.cuh", "#include \"hw/mma.h\"\n"},
      {"src/kernels/gemm/params.h", "#include \"core/check.h\"\n"},
      {"src/kernels/gemm/ladder/v0.cuh", "#include \"kernels/gemm/params.h\"\n"},
      {"src/kernels/gemm/ladder/v1.cuh", "#include \"tile/epilogue.cuh\"\n"},
      {"src/kernels/gemm/sm80.cuh", "#include \"layout/swizzle.h\"\n"},
      {"src/kernels/gemm/instances.cu",
       "#include \"kernels/gemm/ladder/v0.cuh\"\n#include \"kernels/gemm/sm80.cuh\"\n"
       "static_assert(__CUDA_ARCH__ > 0);\n"},
      {"src/cpu/ref/gemm_ref.cpp", "#include \"numeric/f16.h\"\n"},
      {"src/cpu/simd/kernels.cpp", "#include \"hwy/highway.h\"\n#include \"layout/swizzle.h\"\n"},
      {"src/plan/select.cpp", "#include \"kernels/gemm/params.h\"\n#include <fmt/format.h>\n"},
      {"measure/record/result.h", "#include <nlohmann/json.hpp>\n#include \"tilewright/gemm.h\"\n"},
      {"measure/peers/openblas.cpp", "#include <cblas.h>\n#include \"measure/record/result.h\"\n"},
      {"measure/peers/onednn.cpp", "#include <oneapi/dnnl/dnnl.h>\n#include <dnnl_types.h>\n"},
  };
}

TEST(Layering, a_small_tree_that_keeps_the_rules) {
  EXPECT_EQ(listing(check_layering(small_tree())), "");
}

struct Planted {
  std::string name;
  SourceFile file;  // in place of the one of the same path, or added
  std::string caught;
};

class PlantedViolation : public testing::TestWithParam<Planted> {};

TEST_P(PlantedViolation, is_caught_where_it_is) {
  const Planted& planted = GetParam();
  std::vector<SourceFile> files = small_tree();
  std::erase_if(files, [&](const SourceFile& file) { return file.path == planted.file.path; });
  files.push_back(planted.file);
  const std::vector<Violation> violations = check_layering(files);
  ASSERT_EQ(violations.size(), 1u) << listing(violations);
  EXPECT_EQ(violations[0].path, planted.file.path);
  EXPECT_EQ(violations[0].line, 2);
  EXPECT_THAT(violations[0].what, HasSubstr(planted.caught));
}

Planted include(std::string name, std::string path, const std::string& line, std::string caught) {
  return {std::move(name), {std::move(path), "\n#include " + line + "\n"}, std::move(caught)};
}

Planted text(std::string name, std::string path, const std::string& line, std::string caught) {
  return {std::move(name), {std::move(path), "\n" + line + "\n"}, std::move(caught)};
}

INSTANTIATE_TEST_SUITE_P(
    , PlantedViolation,
    testing::Values(
        include("public_sees_src", "include/tilewright/gemm.h", "\"core/check.h\"",
                "not for include"),
        include("public_sees_cuda", "include/tilewright/gemm.h", "<cuda_runtime.h>",
                "standard library only"),
        include("public_sees_fmt", "include/tilewright/gemm.h", "<fmt/format.h>",
                "standard library only"),
        include("core_sees_numeric", "src/core/check.h", "\"numeric/f16.h\"", "not for src/core"),
        include("numeric_sees_layout", "src/numeric/f16.h", "\"layout/swizzle.h\"",
                "not for src/numeric"),
        include("layout_sees_hw", "src/layout/swizzle.h", "\"hw/mma.h\"", "not for src/layout"),
        include("hw_sees_tile", "src/hw/mma.h", "\"tile/epilogue.cuh\"", "not for src/hw"),
        include("tile_sees_kernel", "src/tile/epilogue.cuh", "\"kernels/gemm/params.h\"",
                "not for src/tile"),
        include("kernel_sees_plan", "src/kernels/gemm/sm80.cuh", "\"plan/select.cpp\"",
                "not for src/kernels"),
        include("ref_sees_layout", "src/cpu/ref/gemm_ref.cpp", "\"layout/swizzle.h\"",
                "not for src/cpu/ref"),
        include("simd_sees_hw", "src/cpu/simd/kernels.cpp", "\"hw/mma.h\"", "not for src/cpu/simd"),
        include("simd_sees_ref", "src/cpu/simd/kernels.cpp", "\"cpu/ref/gemm_ref.cpp\"",
                "not for src/cpu/simd"),
        include("measure_sees_src", "measure/record/result.h", "\"core/check.h\"",
                "not for measure"),
        include("src_sees_measure", "src/plan/select.cpp", "\"measure/record/result.h\"",
                "not for src/plan"),
        include("ladder_sees_ladder", "src/kernels/gemm/ladder/v1.cuh",
                "\"kernels/gemm/ladder/v0.cuh\"", "a kernel includes another"),
        include("kernel_sees_kernel", "src/kernels/gemm/sm80.cuh", "\"kernels/gemm/ladder/v0.cuh\"",
                "a kernel includes another"),
        include("family_sees_family", "src/kernels/qmm/instances.cu",
                "\"kernels/gemm/ladder/v0.cuh\"", "one kernel family includes another"),
        include("peer_outside_peers", "measure/record/result.h", "<cublasLt.h>",
                "belongs under measure/peers"),
        include("peer_in_two_files", "measure/peers/second.cpp", "<cblas.h>",
                "is included in measure/peers/openblas.cpp already"),
        include("peer_of_two_headers_in_two_files", "measure/peers/second.cpp", "<dnnl.h>",
                "is included in measure/peers/onednn.cpp already"),
        include("does_not_resolve", "src/core/check.h", "\"core/missing.h\"", "does not resolve"),
        include("ours_in_angles", "src/plan/select.cpp", "<core/check.h>", "use quotes"),
        text("spaces_in_the_include", "src/core/check.h", "  #  include   \"numeric/f16.h\" // x",
             "not for src/core"),
        text("asm_in_kernel", "src/kernels/gemm/sm80.cuh", "asm volatile(\"bar.sync 0;\");",
             "asm is for"),
        text("asm_beside_ptx", "src/hw/mma.h", "__asm__(\"nop\");", "asm is for"),
        text("asm_in_measure", "measure/record/result.h", "asm volatile(\"\");", "asm is for"),
        text("cuda_arch_in_tile", "src/tile/epilogue.cuh", "#if __CUDA_ARCH__ >= 800",
             "__CUDA_ARCH__ is for"),
        text("cuda_arch_in_kernel", "src/kernels/gemm/sm80.cuh", "#if defined(__CUDA_ARCH__)",
             "__CUDA_ARCH__ is for")),
    [](const auto& info) { return info.param.name; });

TEST(Layering, a_folder_that_is_not_planned_is_named) {
  std::vector<SourceFile> files = small_tree();
  files.push_back({"src/utils/strings.h", ""});
  EXPECT_THAT(listing(check_layering(files)),
              HasSubstr("src/utils/strings.h:1: this folder has no"));
}

TEST(Layering, comments_and_strings_say_nothing) {
  std::vector<SourceFile> files = small_tree();
  files.push_back({"src/core/words.cpp",
                   "// #include \"numeric/f16.h\"\n/*\n#include \"hw/mma.h\"\nasm */\n"
                   "const char* a = \"asm(__CUDA_ARCH__)\\\" asm\";\n"
                   "const char* b = R\"x(asm)\" __CUDA_ARCH__)x\"; int c = 1'000; char d = '\"';\n"
                   "int assembly, asm_count;\n"});
  EXPECT_EQ(listing(check_layering(files)), "");
}

TEST(WithoutComments, keeps_lines_and_code) {
  EXPECT_EQ(without_comments("a/*x\ny*/b // c\nd", Literals::kKept), "a   \n   b     \nd");
  EXPECT_EQ(without_comments("f(\"//\") / 2", Literals::kKept), "f(\"//\") / 2");
  EXPECT_EQ(without_comments("f(\"//\") / 2", Literals::kBlanked), "f(    ) / 2");
  EXPECT_EQ(without_comments("1'000 + 'a' asm", Literals::kBlanked), "1'000 +     asm");
}

}  // namespace
}  // namespace tilewright::layering
