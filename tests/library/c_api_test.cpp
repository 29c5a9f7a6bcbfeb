// include/simreel/simreel.h: the same frames as a scene that reads these arrays.

#include "simreel/simreel.h"

#include <new>

#include "library/c_guard.h"
#include "tests/support/c_api_fixture.h"

namespace simreel::test {
namespace {

TEST_F(CApi, PushedFramesAreThoseOfFiles) {
  simreel_video* const video = open("a.hashes");
  ASSERT_NE(video, nullptr) << last_error();
  const std::int64_t shape[] = {rows, columns};
  float values[rows * columns];
  for (int i = 0; i < 5; ++i) {
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x) values[y * columns + x] = value(i, y, x);
    const simreel_array field = array(values, SIMREEL_FLOAT32, shape);
    ASSERT_EQ(simreel_video_write(video, &field, i, &error_), SIMREEL_DONE) << last_error();
    std::ranges::fill(values, -1.0f);  // the caller's again
  }
  EXPECT_EQ(simreel_video_frames(video), 5);
  ASSERT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
  EXPECT_EQ(text_of(folder_ / "a.hashes"), expected(5));
}

TEST_F(CApi, BodiesAreThoseOfFiles) {
  const std::int64_t shape[] = {3, 3}, list[] = {3};
  const double at[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, moves[] = {1, 0, 0, 0, 2, 0, 0, 0, 3}, mass[] = {1, 2, 3};
  const simreel_array position = array(at, SIMREEL_FLOAT64, shape), velocity = array(moves, SIMREEL_FLOAT64, shape),
                      weight = array(mass, SIMREEL_FLOAT64, list, nullptr, 1);
  const std::string look = "[view]\nfield = \"speed\"\nsize = [64, 48]\n";
  simreel_video* const video = open("b.hashes", look.c_str());
  ASSERT_EQ(simreel_video_write_bodies(video, &position, &velocity, &weight, 0, &error_), SIMREEL_DONE) << last_error();
  ASSERT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();

  std::vector<double> bodies;
  for (std::size_t i = 0; i < 3; ++i)
    bodies.insert(bodies.end(),
                  {at[3 * i], at[3 * i + 1], at[3 * i + 2], moves[3 * i], moves[3 * i + 1], moves[3 * i + 2], mass[i]});
  write("bodies.npy", npy({3, 7}, bodies));
  write("b.toml", "[solver]\nkind = \"data\"\nfiles = \"bodies.npy\"\n" + look);
  ASSERT_EQ(run("render b.toml -o file.hashes").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "b.hashes"), text_of(folder_ / "file.hashes"));
  EXPECT_TRUE(says(text_of(folder_ / "err.txt"), "rows of 7 numbers are taken as bodies"));
}

// Nobody knows how wide the numbers will become, but they stand beside their text as in a video of known length.
TEST_F(CApi, NumbersOfAnEndlessVideoStandBesideTheirText) {
  const auto hashes = [&](const std::string& name, double first, double second, const std::string& more) {
    const std::string look =
        "[view]\nsize = [480, 240]\nrange = [0, 60]\n[figure]\ntime = \"step {step}, t = {time:.2f} s\"\n" + more;
    simreel_video* const video = open(name, look.c_str());
    for (const double time : {first, second})
      EXPECT_EQ(simreel_video_write(video, &field_, time, &error_), SIMREEL_DONE) << last_error();
    EXPECT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
    return text_of(folder_ / name);
  };
  EXPECT_EQ(hashes("a.hashes", 0, 1.9, ""), hashes("b.hashes", 0, 1.9, "[animation]\nframes = 2\n"));
  // Nothing is left of the text where it stood before.
  const std::string longer = hashes("c.hashes", 9, 10, ""), shorter = hashes("d.hashes", 10, 10, "");
  EXPECT_EQ(longer.substr(longer.find('\n')), shorter.substr(shorter.find('\n')));
}

// The same frames, and messages with the places of the text, in the words of the caller.
TEST_F(CApi, ATextIsASceneWhosePathsStartAtItsFolder) {
  const std::string whole = expected(2), output = folder_ / "t.hashes", folder = folder_ / "";
  const char* const outputs[] = {output.c_str()};
  device_.text_folder = folder.c_str();
  ASSERT_EQ(simreel_check(data_scene, nullptr, 0, outputs, 1, &device_, nullptr, &error_), SIMREEL_DONE)
      << last_error();
  ASSERT_EQ(simreel_render(data_scene, nullptr, 0, outputs, 1, &device_, nullptr, nullptr, &error_), SIMREEL_DONE)
      << last_error();
  EXPECT_EQ(text_of(output), whole);
  const auto refusal = [&](const auto& call) {
    EXPECT_EQ(call(), SIMREEL_USAGE);
    return last_error();
  };
  const auto check = [&] {
    return simreel_check("\n[solver]\nkynd = 1\n", nullptr, 0, outputs, 1, &device_, nullptr, &error_);
  };
  const auto figure = [&] {
    return simreel_figure("[figure]\n[[panel]]\nscene = \"none.toml\"\n", outputs, 1, &device_, nullptr, nullptr,
                          &error_);
  };
  EXPECT_TRUE(refusal(check).starts_with("scene:2:1: "));
  EXPECT_TRUE(refusal(figure).starts_with("figure:2:1: "));
  device_.view_name = "";
  EXPECT_TRUE(refusal(check).starts_with("the required key"));
  device_.view_name = "my scene";
  EXPECT_TRUE(refusal(check).starts_with("my scene:2:1: "));
  device_.struct_size = offsetof(simreel_device, text_folder);  // of an older header: it is the name of a file
  EXPECT_TRUE(says(refusal(check), "cannot read the scene"));
}

TEST_F(CApi, ARunThatIsStoppedCompletesItsOutputs) {
  expected(20);
  const std::string scene = folder_ / "a.toml", output = folder_ / "s.hashes";
  const char* const outputs[] = {output.c_str()};
  static volatile std::int32_t stop = 0;
  const simreel_run run{sizeof(simreel_run), [](void*, std::int64_t frame, std::int64_t) { stop = frame == 3 ? 1 : 0; },
                        nullptr, &stop};
  simreel_result* result = nullptr;
  ASSERT_EQ(simreel_render(scene.c_str(), nullptr, 0, outputs, 1, &device_, &run, &result, &error_), SIMREEL_DONE);
  EXPECT_EQ(simreel_result_frames(result), 3);
  EXPECT_EQ(simreel_result_stopped(result), 1);
  EXPECT_TRUE(exists("s.hashes"));
  simreel_result_free(result);
}

// What is called is not copied: a copy may take memory, and what that throws would pass through the C interface.
TEST(CGuard, WorkIsCalledWhereItIs) {
  struct Work {
    int* calls;
    explicit Work(int* count) : calls(count) {}
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    void operator()() const {
      if (++*calls == 2) throw std::bad_alloc();
    }
  };
  int calls = 0;
  const Work work(&calls);
  simreel_error* error = nullptr;
  EXPECT_EQ(guarded(&error, {}, work), SIMREEL_DONE);
  EXPECT_EQ(error, nullptr);
  EXPECT_EQ(guarded(&error, {}, work), SIMREEL_FAILED);
  EXPECT_STREQ(simreel_error_message(error), "out of memory");
  simreel_error_free(error);
}

// Programs that were compiled with an older header pass structs of these shapes.
TEST(CAbi, StructsKeepTheirShape) {
  EXPECT_EQ(sizeof(simreel_array), 56u);
  EXPECT_EQ(offsetof(simreel_array, data), 8u);
  EXPECT_EQ(offsetof(simreel_array, type), 16u);
  EXPECT_EQ(offsetof(simreel_array, axes), 20u);
  EXPECT_EQ(offsetof(simreel_array, shape), 24u);
  EXPECT_EQ(offsetof(simreel_array, strides), 32u);
  EXPECT_EQ(offsetof(simreel_array, memory), 40u);
  EXPECT_EQ(offsetof(simreel_array, name), 48u);
  EXPECT_EQ(sizeof(simreel_device), 56u);
  EXPECT_EQ(offsetof(simreel_device, overwrite), 20u);
  EXPECT_EQ(offsetof(simreel_device, overwrite_words), 24u);
  EXPECT_EQ(offsetof(simreel_device, view_name), 40u);
  EXPECT_EQ(offsetof(simreel_device, text_folder), 48u);
  EXPECT_EQ(sizeof(simreel_run), 32u);
  EXPECT_EQ(offsetof(simreel_run, stop), 24u);
  EXPECT_EQ(sizeof(simreel_tolerance), 48u);
  EXPECT_EQ(offsetof(simreel_tolerance, max_diff), 40u);
  EXPECT_EQ(sizeof(simreel_comparison), 344u);
  EXPECT_EQ(offsetof(simreel_comparison, first), 88u);
  EXPECT_EQ(SIMREEL_BOOL, 11);
  EXPECT_EQ(SIMREEL_GPU, 1);
  EXPECT_EQ(SIMREEL_CUDA, 2);
  EXPECT_EQ(SIMREEL_DIVERGED, 3);
  EXPECT_EQ(SIMREEL_DIVERGENCE, 3);
}

}  // namespace
}  // namespace simreel::test
