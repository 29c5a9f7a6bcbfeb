#include "exec/driver.h"

#include "base/error.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

TEST(Driver, AnOlderOneIsNamedWithWhatIsNeeded) {
  EXPECT_EQ(old_driver_text(12040, 13000),
            "the NVIDIA driver supports CUDA 12.4, this build needs 13.0 (driver 580 or later)");
  // From the same major version on a runtime accepts its driver, so that is what is needed.
  EXPECT_EQ(old_driver_text(11080, 12090),
            "the NVIDIA driver supports CUDA 11.8, this build needs 12.0 (driver 525 or later)");
  EXPECT_EQ(old_driver_text(12040, 12090), "");
  EXPECT_EQ(old_driver_text(13000, 13000), "");
  EXPECT_EQ(old_driver_text(14000, 13000), "");
  EXPECT_EQ(old_driver_text(0, 13000), "") << "no driver is no old driver";
}

TEST(Driver, TheDefaultNumberOfAGpuIsNoWish) {
  EXPECT_EQ(device_or_any(Wanted::automatic, 0), -1);
  EXPECT_EQ(device_or_any(Wanted::automatic, 3), cuda_devices().empty() ? -1 : 3);
  EXPECT_EQ(device_or_any(Wanted::cuda, 0), 0);
  EXPECT_EQ(device_or_any(Wanted::cuda, 3), 3);
  EXPECT_EQ(open_executor(Wanted::cpu, device_or_any(Wanted::cpu, 3), 1, {}).backend(), Backend::cpu);
}

TEST(Driver, KernelsComeFromTheProgramTheDriverOrNowhere) {
  const auto program = KernelOrigin::program, driver = KernelOrigin::driver, nowhere = KernelOrigin::nowhere;
  struct Case {
    int major, minor;
    const char* architectures;
    KernelOrigin origin;
  };
  for (const Case& c : {Case{9, 0, "75-virtual;90-real", program}, Case{8, 0, "75-virtual;90-real", driver},
                        Case{7, 5, "75-virtual;90-real", driver}, Case{10, 0, "75-virtual,90-real", driver},
                        Case{7, 0, "75-virtual;90-real", nowhere},
                        // Machine code of 8.0 runs on 8.6, that of 8.6 not on 8.0, and none on another major version.
                        Case{8, 6, "80-real", program}, Case{8, 0, "86-real", nowhere}, Case{9, 0, "80-real", nowhere},
                        Case{9, 0, "80", driver}, Case{8, 0, "80", program}, Case{9, 0, "90a-real", program},
                        Case{9, 1, "90a", nowhere}, Case{10, 3, "100f-real", program},
                        Case{12, 1, "75-virtual;100-real;120-real", program}, Case{12, 0, "90-virtual", driver},
                        Case{8, 9, "all-major", program}, Case{8, 9, "", nowhere}}) {
    EXPECT_EQ(kernel_origin(c.major, c.minor, c.architectures), c.origin)
        << c.major << "." << c.minor << " of " << c.architectures;
  }
}

// Sets the variables of the driver's cache and puts them back.
class KernelCacheTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, value] : before_)
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  }
  void set(const char* name, const char* value) {
    const char* const is = std::getenv(name);
    before_.emplace(name, is ? std::optional<std::string>(is) : std::nullopt);  // the first time counts
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }

  std::map<std::string, std::optional<std::string>> before_;
  const DeviceInfo gpu_{.name = "NVIDIA A100", .uuid = "", .capability_major = 8, .capability_minor = 0};
};

TEST_F(KernelCacheTest, KernelsAreCompiledOnceWhereTheCacheKeepsThem) {
  set("CUDA_CACHE_DISABLE", nullptr);
  set("CUDA_CACHE_MAXSIZE", nullptr);
  set("CUDA_CACHE_PATH", nullptr);
  set("HOME", "/home/ada");
  EXPECT_TRUE(kernel_cache().keeps_all_kernels());
  const std::string once = compiling_text(gpu_, kernel_cache());
  EXPECT_EQ(once.find("compiling kernels for NVIDIA A100, once: "), 0u) << once;
  EXPECT_TRUE(test::says(once, "compute capability 8.0"));
  EXPECT_TRUE(test::says(once, "/home/ada/.nv/ComputeCache"));
  set("CUDA_CACHE_PATH", "/scratch/kernels");
  EXPECT_TRUE(test::says(compiling_text(gpu_, kernel_cache()), "keeps them in /scratch/kernels"));
}

TEST_F(KernelCacheTest, WhyItIsNotOnceIsSaid) {
  set("HOME", "/home/ada");
  set("CUDA_CACHE_PATH", nullptr);
  set("CUDA_CACHE_MAXSIZE", nullptr);
  const auto text = [&] {
    EXPECT_FALSE(kernel_cache().keeps_all_kernels());
    const std::string words = compiling_text(gpu_, kernel_cache());
    EXPECT_EQ(words.find("compiling kernels for NVIDIA A100, at every start: "), 0u) << words;
    return words;
  };
  set("CUDA_CACHE_DISABLE", "1");
  EXPECT_TRUE(test::says(text(), "CUDA_CACHE_DISABLE turns its cache off"));
  set("CUDA_CACHE_DISABLE", "0");
  EXPECT_TRUE(kernel_cache().keeps_all_kernels());
  set("CUDA_CACHE_MAXSIZE", "1000000");
  EXPECT_TRUE(test::says(text(), "CUDA_CACHE_MAXSIZE=1000000 is too small"));
  set("CUDA_CACHE_MAXSIZE", nullptr);
  set("HOME", nullptr);
  EXPECT_TRUE(test::says(text(), "set HOME or CUDA_CACHE_PATH"));
}

TEST_F(KernelCacheTest, ItsSizeIsEnlargedUnlessTheUserChoseOne) {
  set("CUDA_CACHE_MAXSIZE", nullptr);
  enlarge_kernel_cache();
  EXPECT_STREQ(std::getenv("CUDA_CACHE_MAXSIZE"), "1073741824");
  set("CUDA_CACHE_MAXSIZE", "300000000");
  enlarge_kernel_cache();
  EXPECT_STREQ(std::getenv("CUDA_CACHE_MAXSIZE"), "300000000");
}

TEST(Driver, AutomaticComputesOnTheCpuWhereThereIsNoGpu) {
  if (!cuda_devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(open_executor(Wanted::automatic, -1, 2, {}).name(), "CPU, 2 threads");
  EXPECT_EQ(open_executor(Wanted::cpu, 3, 1, {}).backend(), Backend::cpu);
  EXPECT_THROW(open_executor(Wanted::cuda, -1, 1, {}), UsageError);
  EXPECT_THROW(open_executor(Wanted::automatic, 0, 1, {}), UsageError);
}

}  // namespace
}  // namespace simreel
