// include/simreel/simreel.hpp: videos, figures and comparisons from C++.

#include "simreel/simreel.hpp"

#include "tests/support/command_fixture.h"
#include "tests/support/thrown.h"

namespace simreel::test {
namespace {

const std::string view = "[view]\nsize = [64, 48]\nrange = [0, 60]\n";

class CppApi : public CommandTest {
 protected:
  api::VideoOptions cpu() const {
    api::VideoOptions options;
    options.device = api::Device::cpu;
    return options;
  }
  // The hashes of a video of one frame.
  std::string hashes(const std::string& name, const api::Array& field) {
    api::Video video({folder_ / name}, view, cpu());
    video.write(field, 0.5);
    EXPECT_EQ(video.frames(), 1);
    const api::VideoResult result = video.close();
    EXPECT_EQ(result.frames, 1);
    EXPECT_EQ(result.outputs, std::vector<std::string>{folder_ / name});
    EXPECT_EQ(result.range, (std::pair<double, double>{0, 60}));
    return text_of(folder_ / name);
  }
  template <class T>
  static std::vector<T> values() {
    std::vector<T> all;
    for (int i = 0; i < 48; ++i) all.push_back(static_cast<T>(i));
    return all;
  }
};

TEST_F(CppApi, TheTypeOfAnArrayFollowsFromItsNumbers) {
  EXPECT_EQ(api::Array::type_of<float>(), SIMREEL_FLOAT32);
  EXPECT_EQ(api::Array::type_of<double>(), SIMREEL_FLOAT64);
  EXPECT_EQ(api::Array::type_of<bool>(), SIMREEL_BOOL);
  EXPECT_EQ(api::Array::type_of<std::int8_t>(), SIMREEL_INT8);
  EXPECT_EQ(api::Array::type_of<std::int64_t>(), SIMREEL_INT64);
  EXPECT_EQ(api::Array::type_of<std::uint16_t>(), SIMREEL_UINT16);
  EXPECT_EQ(api::Array::type_of<std::uint32_t>(), SIMREEL_UINT32);
  const std::vector<float> floats = values<float>();
  const std::string plain = hashes("float.hashes", {floats.data(), 6, 8});
  EXPECT_EQ(hashes("double.hashes", {values<double>().data(), 6, 8}), plain);
  EXPECT_EQ(hashes("short.hashes", {values<std::int16_t>().data(), 6, 8}), plain);
  EXPECT_EQ(hashes("byte.hashes", {values<std::uint8_t>().data(), 6, 8}), plain);
  EXPECT_EQ(hashes("strides.hashes", {floats.data(), {6, 8}, {8, 1}, SIMREEL_FLOAT32}), plain);
  EXPECT_NE(hashes("turned.hashes", {floats.data() + 40, {6, 8}, {-8, 1}, SIMREEL_FLOAT32}), plain);
}

TEST_F(CppApi, AVideoThatIsNotClosedStaysAPart) {
  const std::vector<float> floats = values<float>();
  {
    api::Video video({folder_ / "a.hashes"}, view, cpu());
    video.write({floats.data(), 6, 8});
    api::Video moved = std::move(video);
    moved.write({floats.data(), 6, 8});
    EXPECT_THROW(video.frames(), api::UsageError);
  }
  EXPECT_FALSE(exists("a.hashes"));
  EXPECT_TRUE(exists("a.hashes.part"));
}

TEST_F(CppApi, MistakesAreExceptions) {
  EXPECT_THROW(api::Video({folder_ / "a.avi"}, view, cpu()), api::UsageError);
  const std::vector<float> floats = values<float>();
  api::Video video({folder_ / "a.hashes"}, view, cpu());
  EXPECT_EQ(test::thrown<api::UsageError>([&] {
              video.write({floats.data(), 48});
            }),
            "the field has 1 axes; it needs 2, [rows, columns], or 3, [rows, columns, 3 or 4], for a picture");
  EXPECT_EQ(video.close().frames, 0);
  EXPECT_THROW(video.close(), api::UsageError);
  EXPECT_FALSE(exists("a.hashes"));
  EXPECT_THROW(api::Array(floats.data(), {6, 8}, {1}, SIMREEL_FLOAT32), api::UsageError);
}

TEST_F(CppApi, FiguresAreThoseOfTheProgram) {
  write("a.toml", "[solver]\nkind = \"wave\"\ngrid = [32, 24]\n[view]\nrange = [-1, 1]\n[animation]\nframes = 6\n");
  write("fig.toml", "[figure]\nwidth = \"80mm\"\ndpi = 100\n[[panel]]\nscene = \"a.toml\"\nframe = 4\n");
  ASSERT_EQ(run("figure fig.toml -o program.svg --backend cpu").exit, 0) << text_of(folder_ / "err.txt");
  api::FigureOptions options;
  options.device = api::Device::cpu;
  std::int64_t last = 0;
  options.progress = [&](std::int64_t done, std::int64_t total) {
    last = done;
    EXPECT_EQ(total, 5);
  };
  const api::FigureResult result = api::figure(folder_ / "fig.toml", {folder_ / "x.svg"}, options);
  EXPECT_EQ(text_of(folder_ / "x.svg"), text_of(folder_ / "program.svg"));
  EXPECT_EQ(last, 5);
  EXPECT_TRUE(result.summary.starts_with("1 panel, 1 run of scenes, ")) << result.summary;
  EXPECT_EQ(result.outputs, std::vector<std::string>{folder_ / "x.svg"});

  api::figure(api::Text(text_of(folder_ / "fig.toml"), folder_.path()), {folder_ / "text.svg"}, options);
  EXPECT_EQ(text_of(folder_ / "text.svg"), text_of(folder_ / "program.svg"));
  EXPECT_THROW(api::figure(folder_ / "fig.toml", {folder_ / "x.svg"}, options), api::UsageError) << "it exists";
  options.stop = [] { return true; };
  const api::FigureResult stopped = api::figure(folder_ / "fig.toml", {folder_ / "y.svg"}, options);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_TRUE(stopped.outputs.empty());
  EXPECT_FALSE(exists("y.svg"));
  EXPECT_FALSE(exists("y.svg.part"));
}

// From C: the same, and codes.
TEST_F(CppApi, FiguresFromC) {
  write("a.toml",
        "[solver]\nkind = \"wave\"\ngrid = [48, 32]\ntimestep = 0.5\n[[solver.droplet]]\namplitude = 3e38\ntime = 20\n"
        "[view]\nrange = [-1, 1]\n[animation]\nframes = 20\nsteps_per_frame = 4\n");
  write("fig.toml", "[figure]\nwidth = \"80mm\"\ndpi = 100\n[[panel]]\nscene = \"a.toml\"\n");
  const std::string file = folder_ / "fig.toml", output = folder_ / "x.png";
  const char* const outputs[] = {output.c_str()};
  const simreel_device device = {sizeof(simreel_device), SIMREEL_CPU, 0, 0, 0, nullptr, nullptr, nullptr, nullptr};
  simreel_error* error = nullptr;
  simreel_result* result = nullptr;
  EXPECT_EQ(simreel_figure(nullptr, outputs, 1, &device, nullptr, nullptr, &error), SIMREEL_USAGE);
  simreel_error_free(error);
  EXPECT_EQ(simreel_figure(file.c_str(), outputs, 1, &device, nullptr, &result, &error), SIMREEL_DIVERGED);
  EXPECT_EQ(std::string(simreel_error_message(error)).find("the simulation diverged"), (file + ":4:1: ").size())
      << simreel_error_message(error);
  simreel_error_free(error);
  EXPECT_EQ(simreel_result_frames(result), 0);
  EXPECT_NE(simreel_result_text(result, SIMREEL_DIVERGENCE, 0), nullptr);
  simreel_result_free(result);
  EXPECT_FALSE(exists("x.png"));
  write("fig.toml",
        "[figure]\nwidth = \"80mm\"\ndpi = 100\n[[panel]]\nscene = \"a.toml\"\nset = [\"animation.frames=1\"]\n");
  EXPECT_EQ(simreel_figure(file.c_str(), outputs, 1, &device, nullptr, &result, &error), SIMREEL_DONE)
      << simreel_error_message(error);
  EXPECT_EQ(simreel_result_frames(result), 1);
  EXPECT_NE(simreel_result_text(result, SIMREEL_FINDING, 0), nullptr);
  simreel_result_free(result);
  EXPECT_TRUE(exists("x.png"));
}

TEST_F(CppApi, HashesAreCompared) {
  const std::vector<float> floats = values<float>(), zeros(48);
  hashes("a.hashes", {floats.data(), 6, 8});
  hashes("b.hashes", {floats.data(), 6, 8});
  hashes("c.hashes", {zeros.data(), 6, 8});
  EXPECT_TRUE(api::compare(folder_ / "a.hashes", folder_ / "b.hashes").same);
  const api::Comparison found = api::compare(folder_ / "a.hashes", folder_ / "c.hashes");
  EXPECT_FALSE(found.same);
  EXPECT_EQ(found.different, 1);
  EXPECT_EQ(found.first, "frame 0: the hashes differ");
  api::Tolerance tolerance;
  tolerance.max_diff = 3;
  EXPECT_THROW(api::compare(folder_ / "a.hashes", folder_ / "b.hashes", tolerance), api::UsageError);
  tolerance.max_diff = 256;
  EXPECT_THROW(api::compare(folder_ / "a.hashes", folder_ / "b.hashes", tolerance), api::UsageError);
}

}  // namespace
}  // namespace simreel::test
