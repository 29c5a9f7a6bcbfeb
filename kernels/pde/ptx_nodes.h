#pragma once
// The nodes of a pass as instructions, for kernels that differ in where the values of arrays are.

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/pde/ptx_text.h"

namespace simreel {

// The function of a library that is an operation; null for what is an instruction or a few.
const char* pde_function_name(FormulaOp);

template <class Real>
class PdePtxNodes {
 public:
  explicit PdePtxNodes(const PdePass&);
  virtual ~PdePtxNodes() = default;

 protected:
  // Of the cell that lies so far from the thread's first: a value of an array, and as a whole number the column and the
  // row in the whole grid.
  virtual std::string array(int number, int x, int y) = 0;
  virtual std::string column(int x) = 0;
  virtual std::string row(int y) = 0;
  virtual std::string uniform(int index) = 0;

  // Computes a node, and those that it needs, unless they are known. Empty if the text is given up.
  std::string node(int root, int x, int y);
  bool too_long() const;

  const PdePass& pass_;
  PdePtxText<Real> t_;
  std::map<std::tuple<int, int, int>, std::string> values_;  // of nodes

 private:
  std::string& place(int number, int x, int y);
  std::string fresh(const PdeNode&, int x, int y);

  std::vector<int> moves_;  // of each node: 1: along x, 2: along y
  std::map<int, std::vector<int>> orders_;
};

}  // namespace simreel
