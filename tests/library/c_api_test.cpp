// include/simreel/simreel.h: the same frames as a scene that reads these arrays.

#include "simreel/simreel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

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

TEST_F(CApi, AnyTypeAndStrideIsTaken) {
  const std::string whole = expected(1);
  const std::int64_t shape[] = {rows, columns};
  std::vector<double> plain(rows * columns);
  std::vector<std::int16_t> fortran(rows * columns), wide(2 * rows * columns), reversed(rows * columns);
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t x = 0; x < columns; ++x) {
      const auto v = static_cast<std::int16_t>(value(0, y, x));
      plain[static_cast<std::size_t>(y * columns + x)] = v;
      fortran[static_cast<std::size_t>(x * rows + y)] = v;
      wide[static_cast<std::size_t>(2 * (y * columns + x))] = v;
      reversed[static_cast<std::size_t>((rows - 1 - y) * columns + x)] = v;
    }
  const std::int64_t by_column[] = {1, rows}, by_two[] = {2 * columns, 2}, upwards[] = {-columns, 1};
  const simreel_array arrays[] = {array(plain.data(), SIMREEL_FLOAT64, shape),
                                  array(fortran.data(), SIMREEL_INT16, shape, by_column),
                                  array(wide.data(), SIMREEL_INT16, shape, by_two),
                                  array(reversed.data() + (rows - 1) * columns, SIMREEL_INT16, shape, upwards)};
  for (std::size_t i = 0; i < std::size(arrays); ++i) {
    simreel_video* const video = open(fmt::format("{}.hashes", i));
    ASSERT_EQ(simreel_video_write(video, &arrays[i], 0, &error_), SIMREEL_DONE) << last_error();
    ASSERT_EQ(simreel_video_close(video, nullptr, nullptr), SIMREEL_DONE);
    EXPECT_EQ(text_of(folder_ / fmt::format("{}.hashes", i)), whole) << i;
  }
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
  EXPECT_NE(text_of(folder_ / "err.txt").find("rows of 7 numbers are taken as bodies"), std::string::npos);
}

// Nobody knows how wide the numbers will become, but they stand beside their text as in a video of known length.
TEST_F(CApi, NumbersOfAnEndlessVideoStandBesideTheirText) {
  const std::int64_t shape[] = {rows, columns};
  const std::vector<float> values(rows * columns);
  const simreel_array field = array(values.data(), SIMREEL_FLOAT32, shape);
  const auto hashes = [&](const std::string& name, double first, double second, const std::string& more) {
    const std::string look =
        "[view]\nsize = [480, 240]\nrange = [0, 60]\n[figure]\ntime = \"step {step}, t = {time:.2f} s\"\n" + more;
    simreel_video* const video = open(name, look.c_str());
    for (const double time : {first, second})
      EXPECT_EQ(simreel_video_write(video, &field, time, &error_), SIMREEL_DONE) << last_error();
    EXPECT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
    return text_of(folder_ / name);
  };
  EXPECT_EQ(hashes("a.hashes", 0, 1.9, ""), hashes("b.hashes", 0, 1.9, "[animation]\nframes = 2\n"));
  // Nothing is left of the text where it stood before.
  const std::string longer = hashes("c.hashes", 9, 10, ""), shorter = hashes("d.hashes", 10, 10, "");
  EXPECT_EQ(longer.substr(longer.find('\n')), shorter.substr(shorter.find('\n')));
}

TEST_F(CApi, AnAbandonedVideoStaysAPart) {
  const std::int64_t shape[] = {rows, columns};
  const std::vector<float> values(rows * columns);
  const simreel_array field = array(values.data(), SIMREEL_FLOAT32, shape);
  simreel_video* const video = open("a.hashes");
  for (int i = 0; i < 20; ++i) ASSERT_EQ(simreel_video_write(video, &field, i, &error_), SIMREEL_DONE) << last_error();
  simreel_video_abandon(video);
  EXPECT_FALSE(exists("a.hashes"));
  const std::string part = text_of(folder_ / "a.hashes.part");
  EXPECT_EQ(std::ranges::count(part, '\n'), 20) << "every frame that was taken";
}

TEST_F(CApi, TwoVideosAreWrittenAtOnce) {
  const std::string whole = expected(20);
  const auto push = [&](const std::string& name) {
    const std::string path = folder_ / name;
    const char* const outputs[] = {path.c_str()};
    simreel_video* const video = simreel_video_open(outputs, 1, view, &device_, nullptr);
    const std::int64_t shape[] = {rows, columns};
    float values[rows * columns];
    for (int i = 0; i < 20; ++i) {
      for (std::int64_t k = 0; k < rows * columns; ++k) values[k] = value(i, 0, k);
      const simreel_array field = array(values, SIMREEL_FLOAT32, shape);
      simreel_video_write(video, &field, i, nullptr);
    }
    simreel_video_close(video, nullptr, nullptr);
  };
  std::thread one(push, "1.hashes"), two(push, "2.hashes");
  one.join();
  two.join();
  EXPECT_EQ(text_of(folder_ / "1.hashes"), whole);
  EXPECT_EQ(text_of(folder_ / "2.hashes"), whole);
}

TEST_F(CApi, AScenesFramesAreRendered) {
  const std::string whole = expected(3), scene = folder_ / "a.toml", output = folder_ / "r.hashes";
  const char* const outputs[] = {output.c_str()};
  const char* const set[] = {"animation.frames=2"};
  ASSERT_EQ(simreel_check(scene.c_str(), set, 1, outputs, 1, &device_, nullptr, &error_), SIMREEL_DONE) << last_error();
  std::vector<std::int64_t> done;
  const simreel_run run{sizeof(simreel_run),
                        [](void* list, std::int64_t frame, std::int64_t) {
                          static_cast<std::vector<std::int64_t>*>(list)->push_back(frame);
                        },
                        &done, nullptr};
  simreel_result* result = nullptr;
  ASSERT_EQ(simreel_render(scene.c_str(), set, 1, outputs, 1, &device_, &run, &result, &error_), SIMREEL_DONE)
      << last_error();
  EXPECT_EQ(simreel_result_frames(result), 2);
  EXPECT_EQ(done, (std::vector<std::int64_t>{1, 2}));
  double low = -1, high = -1;
  EXPECT_EQ(simreel_result_range(result, &low, &high), 1);
  EXPECT_EQ(low, 0);
  EXPECT_EQ(high, 60);
  EXPECT_EQ(simreel_result_text(result, SIMREEL_OUTPUT, 0), output);
  EXPECT_EQ(simreel_result_text(result, SIMREEL_OUTPUT, 1), nullptr);
  EXPECT_EQ(simreel_result_text(result, SIMREEL_DIVERGENCE, 0), nullptr);
  EXPECT_EQ(simreel_result_stopped(result), 0);
  simreel_result_free(result);
  EXPECT_TRUE(whole.starts_with(text_of(output)));
  EXPECT_EQ(simreel_check("none.toml", nullptr, 0, outputs, 1, &device_, nullptr, &error_), SIMREEL_USAGE);
  EXPECT_NE(last_error().find("none.toml: cannot read the scene"), std::string::npos);
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
  EXPECT_NE(refusal(check).find("cannot read the scene"), std::string::npos);
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

TEST_F(CApi, PicturesAndHashesAreCompared) {
  const std::int64_t shape[] = {rows, columns};
  const auto picture = [&](const std::string& name, float lifted) {
    float values[rows * columns];
    for (std::int64_t k = 0; k < rows * columns; ++k) values[k] = value(0, 0, k) + lifted;
    const simreel_array field = array(values, SIMREEL_FLOAT32, shape);
    for (const char* kind : {".png", ".hashes"}) {
      simreel_video* const video = open(name + kind);
      EXPECT_EQ(simreel_video_write(video, &field, 0, &error_), SIMREEL_DONE) << last_error();
      EXPECT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
    }
  };
  picture("a", 0);
  picture("b", 0);
  picture("c", 10);
  const auto compare = [&](const std::string& other, double psnr = 0) {
    simreel_comparison found{};
    found.struct_size = sizeof found;
    simreel_tolerance tolerance{};
    tolerance.struct_size = sizeof tolerance;
    tolerance.min_psnr = psnr;
    EXPECT_EQ(simreel_compare((folder_ / ("a" + other.substr(1))).c_str(), (folder_ / other).c_str(), &tolerance,
                              &found, &error_),
              SIMREEL_DONE)
        << last_error();
    return found;
  };
  EXPECT_EQ(compare("b.png").same, 1);
  EXPECT_EQ(compare("b.png").identical, 1);
  EXPECT_TRUE(std::isinf(compare("b.png").psnr));
  const simreel_comparison far = compare("c.png");
  EXPECT_EQ(far.same, 0);
  EXPECT_EQ(far.different, 1);
  EXPECT_GT(far.max_diff, 20);
  EXPECT_GT(std::strlen(far.first), 0u);
  EXPECT_EQ(compare("c.png", far.psnr - 0.1).same, 1);
  EXPECT_EQ(compare("b.hashes").same, 1);
  EXPECT_EQ(compare("c.hashes").same, 0);
  EXPECT_STREQ(compare("c.hashes").first, "frame 0: the hashes differ");
  EXPECT_EQ(simreel_compare("none.png", "none.png", nullptr, nullptr, &error_), SIMREEL_USAGE);
}

TEST_F(CApi, BoolsHalvesAndRowsThatRepeatAreTaken) {
  const std::int64_t shape[] = {rows, columns}, repeated[] = {0, 1};
  std::vector<std::uint16_t> halves(columns);
  std::vector<float> floats(rows * columns), truths(rows * columns);
  std::vector<std::uint8_t> bools(rows * columns);
  for (std::size_t i = 0; i < columns; ++i) halves[i] = static_cast<std::uint16_t>(0x3c00 + (i << 6));  // 1 + i / 16
  for (std::size_t k = 0; k < floats.size(); ++k) {
    floats[k] = 1 + static_cast<float>(k % columns) / 16;
    bools[k] = k % 3 == 0 ? 0 : static_cast<std::uint8_t>(k);
    truths[k] = k % 3 == 0 ? 0 : 1;
  }
  const std::string look = "[view]\nsize = [64, 48]\nrange = [0, 2]\n";
  const auto hash = [&](const std::string& name, const simreel_array& field) {
    simreel_video* const video = open(name, look.c_str());
    EXPECT_EQ(simreel_video_write(video, &field, 0, &error_), SIMREEL_DONE) << last_error();
    EXPECT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
    return text_of(folder_ / name);
  };
  EXPECT_EQ(hash("1.hashes", array(halves.data(), SIMREEL_FLOAT16, shape, repeated)),
            hash("2.hashes", array(floats.data(), SIMREEL_FLOAT32, shape)));
  EXPECT_EQ(hash("3.hashes", array(bools.data(), SIMREEL_BOOL, shape)),
            hash("4.hashes", array(truths.data(), SIMREEL_FLOAT32, shape)));
}

TEST_F(CApi, LabelsAreWrittenIntoFrames) {
  const std::int64_t shape[] = {rows, columns};
  const std::vector<float> values(rows * columns);
  const simreel_array field = array(values.data(), SIMREEL_FLOAT32, shape);
  const std::string look = "[view]\nsize = [320, 240]\nrange = [0, 1]\n",
                    labels =
                        "[figure]\ncolorbar = \"right\"\naxes = \"ticks\"\nlabel = \"u\"\ntime = \"t = {time:.2f}\"\n";
  std::string hashes[2];
  for (int with = 0; with < 2; ++with) {
    const std::string name = fmt::format("{}.hashes", with);
    simreel_video* const video = open(name, (with ? look + labels : look).c_str());
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(simreel_video_write(video, &field, 0.5 * i, &error_), SIMREEL_DONE) << last_error();
    ASSERT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
    hashes[with] = text_of(folder_ / name);
  }
  EXPECT_NE(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0].substr(2, 16), hashes[0].substr(hashes[0].find('\n') + 3, 16)) << "the same field";
  EXPECT_NE(hashes[1].substr(2, 16), hashes[1].substr(hashes[1].find('\n') + 3, 16)) << "another time";
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
