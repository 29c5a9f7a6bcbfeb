#include "exec/graph.h"

namespace simreel {

Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;
void Graph::submit(const Executor&, const std::function<void()>& work) { work(); }
bool Graph::repeat(const Executor&) { return false; }

}  // namespace simreel
