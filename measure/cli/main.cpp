#include "git_commit.h"
#include "measure/cli/tool.h"

int main(int argc, char** argv) {
  return tilewright::measure::cli::run_tool(argc, argv,
                                            {TILEWRIGHT_BUILT_COMMIT, TILEWRIGHT_BUILT_DIRTY});
}
