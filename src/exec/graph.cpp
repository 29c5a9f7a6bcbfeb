#include "exec/graph.h"

#include <utility>

#include "exec/cuda_check.h"

namespace simreel {
namespace {

// What is recorded of a stream, until it is taken or the recording given up.
class Recording {
 public:
  explicit Recording(cudaStream_t stream) : stream_(stream) {
    CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  }
  ~Recording() {
    if (stream_) succeeds(cudaStreamEndCapture(stream_, &graph_));
    if (graph_) succeeds(cudaGraphDestroy(graph_));
  }
  Recording& operator=(Recording&&) = delete;

  cudaGraph_t end() {
    CUDA_CHECK(cudaStreamEndCapture(std::exchange(stream_, nullptr), &graph_));
    return graph_;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
};

}  // namespace

Graph::Graph(Graph&& other) noexcept : made_(std::exchange(other.made_, nullptr)) {}
Graph& Graph::operator=(Graph&& other) noexcept {
  std::swap(made_, other.made_);
  return *this;
}
Graph::~Graph() {
  if (made_) succeeds(cudaGraphExecDestroy(made_));
}

void Graph::submit(const Executor& executor, const std::function<void()>& work) {
#ifdef NDEBUG
  const bool recorded = executor.backend() == Backend::cuda;
#else
  constexpr bool recorded = false;  // check_launch() waits for each kernel
#endif
  if (!recorded) return work();
  Recording recording(executor.stream());
  work();
  const cudaGraph_t graph = recording.end();
  cudaGraphExecUpdateResultInfo info;
  if (made_ && !succeeds(cudaGraphExecUpdate(made_, graph, &info)))
    CUDA_CHECK(cudaGraphExecDestroy(std::exchange(made_, nullptr)));
  if (!made_) {
    cudaGraphExec_t made = nullptr;
    CUDA_CHECK(cudaGraphInstantiate(&made, graph, 0));
    made_ = made;
  }
  CUDA_CHECK(cudaGraphLaunch(made_, executor.stream()));
}

bool Graph::repeat(const Executor& executor) {
  if (made_) CUDA_CHECK(cudaGraphLaunch(made_, executor.stream()));
  return made_ != nullptr;
}

}  // namespace simreel
