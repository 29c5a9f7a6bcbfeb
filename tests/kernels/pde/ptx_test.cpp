#include "kernels/pde/ptx.h"

#include "kernels/pde/compiled.h"
#include "kernels/pde/ptx_steps.h"
#include "tests/support/pde_case.h"
#include "tests/support/ptx_machine.h"

namespace simreel::test {
namespace {

// NVIDIA's assembler takes what is written for random passes; no GPU is needed for it.
TEST(PdePtx, IsAssembled) {
#ifndef SIMREEL_PTXAS
  GTEST_SKIP() << "a build without CUDA has no assembler";
#else
  const std::filesystem::path folder = testing::TempDir();
  const std::string text = folder / "pde.ptx", machine_code = folder / "pde.cubin", said = folder / "pde.txt";
  PdePass all;
  std::string kernels;
  for (unsigned seed = 0; seed < 18; ++seed) {
    const PdePass pass = PassMaker(seed).make().pass;
    all.nodes.insert(all.nodes.end(), pass.nodes.begin(), pass.nodes.end());
    const int rows = 1 << seed % 3;
    const std::string name = "pass" + std::to_string(seed);
    const auto kernel = seed % 2 == 0 ? pde_ptx<float>(pass, PassMaker::uniforms, rows, name)
                                      : pde_ptx<double>(pass, PassMaker::uniforms, rows, name);
    ASSERT_TRUE(kernel);
    kernels += *kernel;
  }
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::vector<int> next;
    const PdePass pass = PassMaker(seed).make_light(next).pass;
    if (pde_reach(pass) > 2) continue;
    const PdeStepsForm form{2, 1 << seed / 2 % 3, pass.intermediates.empty()};
    const std::string name = "steps" + std::to_string(seed);
    kernels += *(seed % 2 == 0 ? pde_ptx_steps<float>(pass, next, PassMaker::uniforms, form, name)
                               : pde_ptx_steps<double>(pass, next, PassMaker::uniforms, form, name));
  }
  std::ofstream(text) << pde_ptx_head(all) << kernels;
  const std::string command = SIMREEL_PTXAS " -arch=sm_90 -O1 " + text + " -o " + machine_code + " >" + said + " 2>&1";
  if (std::system(command.c_str()) != 0) {
    std::ifstream file(said);
    std::string line;
    std::getline(file, line);
    FAIL() << line;
  }
#endif
}

// Runs the text on the host.
template <class Real>
struct Emulated {
  const Executor& executor;
  int rows;
  PtxMachine kernel, rest;

  Emulated(const Executor& on, const PdePass& pass, int rows_of_a_thread)
      : executor(on),
        rows(rows_of_a_thread),
        kernel(*pde_ptx<Real>(pass, PassMaker::uniforms, rows, "pass"), "pass"),
        rest(*pde_ptx<Real>(pass, PassMaker::uniforms, 1, "rest"), "rest") {}

  void run(const PdeGrid& grid, const PdeRun<Real>& run) {
    pde_launch<Real>(executor, rows, PassMaker::uniforms, grid, run, [&](const PdeLaunch& launch) {
      (launch.rest ? rest : kernel)
          .launch(launch.blocks_x, launch.blocks_y, pde_block_x, pde_block_y, launch.arguments);
    });
  }
};

template <class Real>
class PdePtxBits : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PdePtxBits, Reals);

TYPED_TEST(PdePtxBits, AreThoseOfPlainEvaluation) {
  const Executor executor = Executor::cpu(1);
  for (unsigned seed = 0; seed < 45; ++seed) {
    const Case<TypeParam> one(seed);
    Emulated<TypeParam> engine(executor, one.random.pass, 1 << seed % 3);
    const int ny = one.grid.ny;
    for (const std::vector<int>& cuts : {std::vector<int>{0, ny}, {0, ny / 3, ny}})
      ASSERT_EQ(different(one.expected(), one.computed(executor, engine, cuts)), 0u)
          << "seed " << seed << ", " << one.grid.nx << " x " << one.grid.ny;
  }
}

// A GPU takes 65535 blocks along y.
TEST(PdePtx, IsLaunchedInPiecesOnTallGrids) {
  const int ny = 4 * 1000 * 1000 + 3;
  PdeGrid grid = pde_grid(64, ny, 1, sizeof(float));
  grid.periodic_x = grid.periodic_y = true;  // so that the kernel fills the halo
  PdeRun<float> run;
  run.to = ny;
  for (const int rows : {1, 4}) {
    int next = 0, launches = 0;
    pde_launch<float>(Executor::cpu(1), rows, 0, grid, run, [&](const PdeLaunch& launch) {
      const int from = *static_cast<const int*>(launch.arguments[5]),
                to = *static_cast<const int*>(launch.arguments[6]);
      const int of_a_block = pde_block_y * (launch.rest ? 1 : rows);
      ++launches;
      EXPECT_EQ(from, next);
      EXPECT_TRUE(launch.rest || (to - from) % rows == 0);
      EXPECT_LE(launch.blocks_y, 65535u);
      EXPECT_EQ(launch.blocks_y, static_cast<unsigned>((to - from + of_a_block - 1) / of_a_block));
      next = to;
    });
    EXPECT_EQ(next, ny);
    EXPECT_EQ(launches, rows == 1 ? 8 : 3);
  }
}

// Intermediates of intermediates repeat what they read; the text is given up before it fills the memory.
TEST(PdePtx, IsGivenUpWhereItWouldBeTooLong) {
  PassBuilder b;
  b.pass.inputs = 1;
  for (int i = 0; i < 16; ++i) b.pass.intermediates.push_back(b.difference(PdeKind::bilaplacian, i));
  b.pass.outputs = {b.load(16)};
  EXPECT_FALSE(pde_ptx<float>(b.pass, 0, 1, "pass"));
  b.pass.intermediates.resize(2);
  b.pass.outputs = {b.load(2)};
  EXPECT_TRUE(pde_ptx<float>(b.pass, 0, 1, "pass"));
}

// A formula of 100 kB nests as deeply as its brackets.
TEST(PdePtx, IsWrittenOfDeepFormulas) {
  PassBuilder b;
  b.pass.inputs = 1;
  int value = b.load(0);
  for (int i = 0; i < 5000; ++i) value = b.apply(FormulaOp::negate, value);
  b.pass.outputs = {value};
  EXPECT_TRUE(pde_ptx<float>(b.pass, 0, 1, "pass"));
}

}  // namespace
}  // namespace simreel::test
