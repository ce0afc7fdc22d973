#include "measure/timers/captured_graph_cuda.h"

#include <fmt/format.h>

#include <vector>

#include "measure/protocol/cuda_status.h"

namespace tilewright::measure {
namespace {

bool has_programmatic_edge(cudaGraph_t graph) {
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  const auto edges = cudaGraphGetEdges;
#else
  const auto edges = cudaGraphGetEdges_v2;
#endif
  if (edges(graph, nullptr, nullptr, nullptr, &count) != cudaSuccess || count == 0) return false;
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  if (edges(graph, from.data(), to.data(), data.data(), &count) != cudaSuccess) return false;
  for (const cudaGraphEdgeData& edge : data) {
    if (edge.type == cudaGraphDependencyTypeProgrammatic) return true;
  }
  return false;
}

}  // namespace

void CapturedGraph::drop() {
  if (exec_ != nullptr) (void)cudaGraphExecDestroy(exec_);
  exec_ = nullptr;
}

Status CapturedGraph::capture(const LaunchAt& launch, std::int64_t launches, cudaGraph_t& graph) {
  if (Status status = cuda_status(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                                  "capture launches");
      !status) {
    return status;
  }
  Status launched;
  for (std::int64_t i = 0; launched && i < launches; ++i) launched = launch(i);
  // Ended whatever happened: a stream left in capture takes no other work.
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  if (!launched) {
    (void)cudaGetLastError();
    return launched;
  }
  return cuda_status(ended, "end the capture of launches");
}

// A launch without a kernel does nothing that could be timed.
Status CapturedGraph::inspect(cudaGraph_t graph, std::int64_t launches) {
  std::size_t count = 0;
  cudaError_t error = cudaGraphGetNodes(graph, nullptr, &count);
  std::vector<cudaGraphNode_t> nodes(count);
  if (error == cudaSuccess && count > 0) error = cudaGraphGetNodes(graph, nodes.data(), &count);
  std::int64_t kernels = 0, others = 0;
  for (std::size_t i = 0; error == cudaSuccess && i < nodes.size(); ++i) {
    cudaGraphNodeType type{};
    error = cudaGraphNodeGetType(nodes[i], &type);
    if (type == cudaGraphNodeTypeKernel) ++kernels;
    if (type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeMemcpy) ++others;
  }
  if (Status status = cuda_status(error, "read a captured graph"); !status) return status;
  if (kernels < launches) {
    return {StatusCode::kDeviceError,
            fmt::format("it launches nothing: {} launches put {} kernels on the stream", launches,
                        kernels)};
  }
  nodes_ = kernels + others;
  overlaps_ = has_programmatic_edge(graph);
  return {};
}

Status CapturedGraph::instantiate(cudaGraph_t graph) {
  cudaError_t error = cudaGraphInstantiate(&exec_, graph, 0);
  if (error == cudaSuccess) error = cudaGraphUpload(exec_, stream_);
  if (error == cudaSuccess) error = cudaGraphLaunch(exec_, stream_);
  if (Status status = cuda_status(error, "run a captured graph"); !status) return status;
  return device_.synchronize();
}

Status CapturedGraph::prepare(const LaunchAt& launch, std::int64_t launches) {
  drop();
  cudaGraph_t graph = nullptr;
  Status status = capture(launch, launches, graph);
  if (status) status = inspect(graph, launches);
  if (status) status = instantiate(graph);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  return status;
}

}  // namespace tilewright::measure
