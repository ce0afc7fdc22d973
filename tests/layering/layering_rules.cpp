#include "tests/layering/layering_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

namespace tilewright::layering {
namespace {

using std::string_view;

// The quoted includes that a folder may have, by their beginnings; the longest folder that fits a
// file decides. A folder that is not here has no place in the plan.
struct Layer {
  string_view folder;
  std::vector<string_view> may_see;
};
const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"include/tilewright/", {"tilewright/"}},
      {"src/core/", {"core/", "tilewright/"}},
      {"src/numeric/", {"numeric/", "core/", "tilewright/"}},
      {"src/layout/", {"layout/", "core/", "tilewright/"}},
      {"src/hw/", {"hw/", "layout/", "numeric/", "core/", "tilewright/"}},
      {"src/tile/", {"tile/", "hw/", "layout/", "numeric/", "core/", "tilewright/"}},
      {"src/kernels/", {"kernels/", "tile/", "hw/", "layout/", "numeric/", "core/", "tilewright/"}},
      {"src/cpu/ref/", {"cpu/ref/", "numeric/", "core/", "tilewright/"}},
      {"src/cpu/simd/", {"cpu/simd/", "layout/", "numeric/", "core/", "tilewright/", "hwy/"}},
      {"src/cpu/amx/", {"cpu/amx/", "layout/", "numeric/", "core/", "tilewright/"}},
      {"src/plan/",
       {"plan/", "kernels/", "cpu/", "tile/", "hw/", "layout/", "numeric/", "core/",
        "tilewright/"}},
      {"measure/", {"measure/", "tilewright/"}},
      {"measure/cli/", {"measure/", "tilewright/", "git_commit.h"}},
  };
  return table;
}

// Headers of the libraries that we compare with.
struct Peer {
  string_view name;
  std::vector<string_view> header_beginnings;
};
const std::vector<Peer>& peers() {
  static const std::vector<Peer> table = {
      {"cuBLAS", {"cublas"}},
      {"OpenBLAS", {"cblas", "openblas"}},
      {"oneDNN", {"dnnl", "oneapi/dnnl"}},
      {"cuDNN", {"cudnn"}},
      {"CUTLASS", {"cutlass/", "cute/"}},
  };
  return table;
}

struct Include {
  int line;
  bool quoted;
  std::string name;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^">]+)[">].*$)re");
  std::vector<Include> includes;
  std::istringstream lines(without_comments(text, Literals::kKept));
  std::smatch match;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (std::regex_match(line, match, pattern)) {
      includes.push_back({number, match[1] == "\"", match[2]});
    }
  }
  return includes;
}

bool is_public_standard_header(string_view name) {
  return name.find_first_of("./") == string_view::npos || name == "stddef.h" || name == "stdint.h";
}

class Checker {
 public:
  explicit Checker(const std::vector<SourceFile>& files) : files_(files) {
    for (const SourceFile& file : files) paths_.insert(file.path);
  }

  std::vector<Violation> check() {
    for (const SourceFile& file : files_) {
      check_words(file);
      const Layer* layer = layer_of(file.path);
      if (layer == nullptr) {
        report(file, 1, "this folder has no place in the plan");
        continue;
      }
      for (const Include& include : includes_of(file.text)) check_include(file, *layer, include);
    }
    return std::move(violations_);
  }

 private:
  void report(const SourceFile& file, int line, std::string what) {
    violations_.push_back({file.path, line, std::move(what)});
  }

  static const Layer* layer_of(string_view path) {
    const Layer* longest = nullptr;
    for (const Layer& layer : layers()) {
      if (path.starts_with(layer.folder) &&
          (longest == nullptr || layer.folder.size() > longest->folder.size())) {
        longest = &layer;
      }
    }
    return longest;
  }

  // The file that an include names, seen from the roots.
  std::optional<std::string> resolve(const std::string& name) const {
    for (const char* root : {"include/", "src/", ""}) {
      if (paths_.contains(root + name)) return root + name;
    }
    return std::nullopt;
  }

  void check_include(const SourceFile& file, const Layer& layer, const Include& include) {
    check_peer(file, include);
    const auto target = resolve(include.name);
    if (!include.quoted) {
      if (target) report(file, include.line, "<" + include.name + "> is ours: use quotes");
      if (file.path.starts_with("include/") && !is_public_standard_header(include.name)) {
        report(file, include.line,
               "<" + include.name + ">: a public header includes the standard library only");
      }
      return;
    }
    const string_view name = include.name;
    if (std::none_of(layer.may_see.begin(), layer.may_see.end(),
                     [&](string_view seen) { return name.starts_with(seen); })) {
      report(file, include.line,
             "\"" + include.name + "\" is not for " + std::string(layer.folder));
    }
    const bool elsewhere = name.starts_with("hwy/") || name == "git_commit.h" ||
                           name.ends_with("_forms.h");  // library, generated
    if (!target && !elsewhere) {
      report(file, include.line, "\"" + include.name + "\" does not resolve from the roots");
    }
    if (target) check_kernel(file, include, *target);
  }

  // Share the vocabulary, never the schedule. What instantiates kernels (.cu, .cpp) sees them all.
  void check_kernel(const SourceFile& file, const Include& include, const std::string& target) {
    if (!file.path.starts_with("src/kernels/") || !target.starts_with("src/kernels/")) return;
    const bool is_header = file.path.ends_with(".cuh") || file.path.ends_with(".h");
    const std::string ladder = "src/kernels/gemm/ladder/";
    if (is_header && (target.ends_with(".cuh") ||
                      (file.path.starts_with(ladder) && target.starts_with(ladder)))) {
      report(file, include.line, "a kernel includes another: " + target);
    }
    const auto family = [](const std::string& path) {
      return path.substr(0, path.find('/', std::string("src/kernels/").size()));
    };
    const bool shared = family(target) == target;  // a file of src/kernels itself
    if (!shared && family(file.path) != family(target)) {
      report(file, include.line, "one kernel family includes another: " + target);
    }
  }

  void check_peer(const SourceFile& file, const Include& include) {
    for (const Peer& peer : peers()) {
      if (std::none_of(peer.header_beginnings.begin(), peer.header_beginnings.end(),
                       [&](string_view start) { return include.name.starts_with(start); })) {
        continue;
      }
      const std::string header = "the header of " + std::string(peer.name);
      if (!file.path.starts_with("measure/peers/")) {
        report(file, include.line, header + " belongs under measure/peers");
      }
      const auto [first, inserted] = peer_users_.try_emplace(peer.name, file.path);
      if (!inserted && first->second != file.path) {
        report(file, include.line, header + " is included in " + first->second + " already");
      }
    }
  }

  // Words that only some folders may say.
  void check_words(const SourceFile& file) {
    static const std::regex assembly(R"(\b(asm|__asm|__asm__)\b)"),
        device_pass(R"(\b__CUDA_ARCH__\b)");
    const bool in_hw = file.path.starts_with("src/hw/");
    const bool in_ptx = file.path.starts_with("src/hw/ptx/");
    const bool instances = file.path.ends_with("/instances.cu");
    std::istringstream lines(without_comments(file.text, Literals::kBlanked));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      if (!in_ptx && std::regex_search(line, assembly)) {
        report(file, number, "asm is for src/hw/ptx only");
      }
      if (!in_hw && !instances && std::regex_search(line, device_pass)) {
        report(file, number, "__CUDA_ARCH__ is for src/hw and instances.cu only");
      }
    }
  }

  const std::vector<SourceFile>& files_;
  std::set<std::string> paths_;
  std::map<string_view, std::string> peer_users_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> check_layering(const std::vector<SourceFile>& files) {
  return Checker(files).check();
}

}  // namespace tilewright::layering
