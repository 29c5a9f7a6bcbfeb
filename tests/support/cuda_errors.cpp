// Fails the test that leaves a CUDA error behind, which otherwise the first check of a later one would take for its
// own.

#include <gtest/gtest.h>

#include "exec/driver.h"

namespace simreel::test {
namespace {

class CudaErrors : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    EXPECT_EQ(unchecked_cuda_error(), "") << "the error of a CUDA call that nobody checked";
  }
};

// The list owns it.
[[maybe_unused]] const auto listens = (testing::UnitTest::GetInstance()->listeners().Append(new CudaErrors),
                                       true);  // NOLINT(cppcoreguidelines-owning-memory)

}  // namespace
}  // namespace simreel::test
