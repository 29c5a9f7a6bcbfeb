#pragma once
// Videos by the C interface, and the frames of a scene that reads the same arrays.

#include <fmt/format.h>

#include "simreel/simreel.h"
#include "tests/support/command_fixture.h"
#include "tests/support/npy.h"

namespace simreel::test {

inline constexpr std::int64_t rows = 6, columns = 8;
inline constexpr const char* view =
    "[view]\nsize = [64, 48]\nrange = [0, 60]\ncolormap = \"magma\"\n[output]\ncodec = \"ffv1\"\n";
inline constexpr const char* data_scene =
    "[solver]\nkind = \"data\"\nfiles = \"d/%d.npy\"\n[view]\nsize = [64, 48]\nrange = [0, 60]\ncolormap = \"magma\"\n";

class CApi : public CommandTest {
 protected:
  void SetUp() override { device_.backend = SIMREEL_CPU; }
  void TearDown() override { simreel_error_free(error_); }

  simreel_video* open(const std::string& output, const char* text = view) {
    const std::string path = folder_ / output;
    const char* const outputs[] = {path.c_str()};
    last_error();
    return simreel_video_open(outputs, 1, text, &device_, &error_);
  }
  template <class T>
  static simreel_array array(const T* data, int type, const std::int64_t* shape, const std::int64_t* strides = nullptr,
                             int axes = 2) {
    return {sizeof(simreel_array), data, type, axes, shape, strides, SIMREEL_HOST, nullptr};
  }
  // The message of the last error.
  std::string last_error() {
    const std::string text = simreel_error_message(error_);
    simreel_error_free(error_);
    error_ = nullptr;
    return text;
  }
  static float value(int frame, std::int64_t y, std::int64_t x) {
    return static_cast<float>(frame) + static_cast<float>(8 * y + x);
  }
  // The frames of a scene that reads the same values.
  std::string expected(int frames) {
    std::filesystem::create_directory(folder_ / "d");
    for (int i = 0; i < frames; ++i) {
      std::vector<float> values;
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x) values.push_back(value(i, y, x));
      write(fmt::format("d/{}.npy", i), npy({rows, columns}, values));
    }
    write("a.toml", data_scene);
    EXPECT_EQ(run("render a.toml -o expected.hashes --overwrite").exit, 0) << text_of(folder_ / "err.txt");
    return text_of(folder_ / "expected.hashes");
  }

  simreel_device device_{sizeof(simreel_device), SIMREEL_CPU, 0, 2, 0, nullptr, nullptr, nullptr, nullptr};
  simreel_error* error_ = nullptr;
  const std::int64_t shape_[2] = {rows, columns};
  const std::vector<float> zeros_ = std::vector<float>(rows * columns);
  simreel_array field_ = array(zeros_.data(), SIMREEL_FLOAT32, shape_);
};

}  // namespace simreel::test
