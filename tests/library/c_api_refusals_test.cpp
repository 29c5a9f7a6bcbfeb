// What the C interface refuses, and in whose words.

#include "tests/support/c_api_fixture.h"

namespace simreel::test {
namespace {

TEST_F(CApi, MistakesAreErrors) {
  EXPECT_EQ(open("a.avi"), nullptr);
  EXPECT_EQ(simreel_error_code(error_), SIMREEL_USAGE);
  EXPECT_TRUE(says(last_error(), "did you mean \".mp4\"?"));
  EXPECT_EQ(open("a.hashes", "[view]\ncolourmap = \"magma\"\n"), nullptr);
  EXPECT_TRUE(says(last_error(), "view:2:1: unknown key \"colourmap\" in [view]; did you mean \"colormap\"?"));

  const std::int64_t shape[] = {rows, columns}, other[] = {columns, rows};
  const std::vector<float> values(rows * columns);
  const simreel_array field = array(values.data(), SIMREEL_FLOAT32, shape),
                      turned = array(values.data(), SIMREEL_FLOAT32, other);
  simreel_video* video = open("a.hashes", "[view]\nsize = [64, 48]\n");
  EXPECT_EQ(simreel_video_write(video, &field, 0, &error_), SIMREEL_USAGE);
  EXPECT_TRUE(says(last_error(), "set range = [low, high] or \"first\" in [view]"));
  simreel_video_abandon(video);
  EXPECT_FALSE(exists("a.hashes"));

  video = open("a.hashes");
  ASSERT_EQ(simreel_video_write(video, &field, 0, &error_), SIMREEL_DONE) << last_error();
  EXPECT_EQ(simreel_video_write(video, &turned, 1, &error_), SIMREEL_USAGE);
  EXPECT_EQ(last_error(), "frame 1 is 8 x 6, and the first one 6 x 8 (rows x columns)");
  simreel_array old = field;
  old.struct_size = 4;
  EXPECT_EQ(simreel_video_write(video, &old, 1, &error_), SIMREEL_USAGE);
  EXPECT_EQ(last_error(), "simreel_array.struct_size is 4; set it to sizeof(simreel_array)");
  EXPECT_EQ(simreel_video_write(video, nullptr, 1, nullptr), SIMREEL_USAGE);
  EXPECT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE);
  EXPECT_EQ(simreel_video_write(nullptr, &field, 0, &error_), SIMREEL_USAGE);

  video = open("a.hashes");
  EXPECT_EQ(video, nullptr) << "it exists";
  EXPECT_TRUE(says(last_error(), "a.hashes"));
  EXPECT_EQ(simreel_video_close(nullptr, nullptr, nullptr), SIMREEL_DONE);
}

// The caller of a video has written no scene, and knows nothing of solvers and files of input.
TEST_F(CApi, MessagesOfAVideoSpeakOfNoSolver) {
  EXPECT_EQ(open("a.hashes", "[solver]\nkind = \"wave\"\n"), nullptr);
  EXPECT_EQ(
      last_error(),
      "view:1:1: unknown table [solver]; the known keys are title, seed, [view], [camera], [animation], [output], "
      "[figure], [[overlay]]");
  EXPECT_EQ(open("a.hashes", "[view\n"), nullptr);
  EXPECT_TRUE(last_error().starts_with("view:1:")) << last_error();
  const std::string text = std::string(view) + "[animation]\nframes = 2\n";
  simreel_video* const video = open("a.hashes", text.c_str());
  for (int i = 0; i < 2; ++i) ASSERT_EQ(simreel_video_write(video, &field_, i, &error_), SIMREEL_DONE) << last_error();
  simreel_result* result = nullptr;
  ASSERT_EQ(simreel_video_close(video, &result, &error_), SIMREEL_DONE) << last_error();
  EXPECT_STREQ(simreel_result_text(result, SIMREEL_REMARK, 0),
               "all 2 frames are the same picture: nothing in it moves");
  simreel_result_free(result);
}

TEST_F(CApi, MessagesAreInTheWordsOfTheCaller) {
  const std::int64_t shape[] = {3, 3}, list[] = {3}, shorter[] = {2};
  const double at[9] = {}, values[] = {1, 2, -3};
  const simreel_array position = array(at, SIMREEL_FLOAT64, shape);
  simreel_array weight = array(values, SIMREEL_FLOAT64, list, nullptr, 1);
  const auto refused = [&](simreel_video* video, const simreel_array* velocity, const simreel_array* mass) {
    EXPECT_EQ(simreel_video_write_bodies(video, &position, velocity, mass, 0, &error_), SIMREEL_USAGE);
    return last_error();
  };
  simreel_video* video = open("a.hashes");
  EXPECT_EQ(refused(video, nullptr, &weight), "the mass of body 2 is -3");
  EXPECT_EQ(refused(video, &weight, nullptr), "the speed of body 2 is -3");
  weight.name = "weight";
  EXPECT_EQ(refused(video, nullptr, &weight), "the weight of body 2 is -3");
  EXPECT_EQ(refused(video, &weight, nullptr), "the weight of body 2 is -3");
  weight.shape = shorter;
  EXPECT_EQ(refused(video, nullptr, &weight), "weight is 2 x 1; it must be 3 x 1");
  weight.struct_size = offsetof(simreel_array, name);  // of an older header
  EXPECT_EQ(refused(video, nullptr, &weight), "mass is 2 x 1; it must be 3 x 1");
  EXPECT_EQ(simreel_video_write_bodies(video, &position, nullptr, nullptr, 0, &error_), SIMREEL_DONE) << last_error();
  simreel_video_abandon(video);

  const std::string left = folder_ / "a.hashes.part: an earlier run did not finish this file";
  const auto way_out = [&](const std::string& message) {
    return message.starts_with(left) ? message.substr(message.rfind("; ")) : message;
  };
  EXPECT_EQ(open("a.hashes"), nullptr);
  EXPECT_EQ(way_out(last_error()), "; move the file or pass simreel_device.overwrite = 1");
  device_.overwrite_words = "overwrite=True";
  EXPECT_EQ(open("a.hashes"), nullptr);
  EXPECT_EQ(way_out(last_error()), "; move the file or pass overwrite=True");
  expected(1);
  const std::string scene = folder_ / "a.toml", output = folder_ / "expected.hashes";
  const char* const outputs[] = {output.c_str()};
  EXPECT_EQ(simreel_render(scene.c_str(), nullptr, 0, outputs, 1, &device_, nullptr, nullptr, &error_), SIMREEL_USAGE);
  EXPECT_EQ(last_error(), output + ": exists already; choose another name or pass overwrite=True");

  device_.view_name = "the view";
  EXPECT_EQ(open("b.hashes", "[view]\nsize = 3\n"), nullptr);
  EXPECT_TRUE(last_error().starts_with("the view:2:"));
  device_.view_name = "";
  EXPECT_EQ(open("b.hashes", "[view]\nsize = 3\n"), nullptr);
  EXPECT_TRUE(last_error().starts_with("\"size\" in [view]"));
  device_.struct_size = offsetof(simreel_device, overwrite_words);  // of an older header
  EXPECT_EQ(open("b.hashes", "[view]\nsize = 3\n"), nullptr);
  EXPECT_TRUE(last_error().starts_with("view:2:"));
}

TEST_F(CApi, AnArrayOnAGpuIsRefusedOnTheCpu) {
  simreel_video* const video = open("a.hashes");
  EXPECT_EQ(simreel_video_stream(video), nullptr);
  EXPECT_EQ(simreel_video_set_stream(video, nullptr), SIMREEL_DONE);
  EXPECT_EQ(simreel_video_set_stream(nullptr, nullptr), SIMREEL_USAGE);
  field_.memory = SIMREEL_GPU;
  EXPECT_EQ(simreel_video_write(video, &field_, 0, &error_), SIMREEL_USAGE);
  EXPECT_EQ(last_error(),
            "the array lies on a GPU, and this video is drawn on the CPU; draw it on the GPU, with a simreel that was "
            "built with CUDA, or copy the array to host memory");
  field_.memory = SIMREEL_HOST;
  EXPECT_EQ(simreel_video_write(video, &field_, 0, &error_), SIMREEL_DONE) << last_error();
  field_.struct_size = offsetof(simreel_array, memory);  // of a program from before there was `memory`
  field_.memory = 77;
  EXPECT_EQ(simreel_video_write(video, &field_, 0, &error_), SIMREEL_DONE) << last_error();
  EXPECT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
}

TEST_F(CApi, FramesBeyondThoseThatWereAskedForAreRefused) {
  simreel_video* const video = open("a.hashes", "[view]\nsize = [64, 48]\nrange = [0, 1]\n[animation]\nframes = 2\n");
  for (int i = 0; i < 2; ++i) ASSERT_EQ(simreel_video_write(video, &field_, i, &error_), SIMREEL_DONE) << last_error();
  EXPECT_EQ(simreel_video_write(video, &field_, 2, &error_), SIMREEL_USAGE);
  EXPECT_EQ(last_error(),
            "the 2 frames that [animation] asks for are written; set more frames there, or leave the key out");
  EXPECT_EQ(simreel_video_close(video, nullptr, &error_), SIMREEL_DONE) << last_error();
  EXPECT_EQ(open("b.hashes", "[camera]\norbit = 90\n"), nullptr);
  EXPECT_TRUE(says(last_error(), "set frames in [animation]"));
}

TEST_F(CApi, KeysOfOtherFramesAreRefused) {
  const std::int64_t colors[] = {48, 64, 3}, shape[] = {rows, columns}, places[] = {3, 3};
  const std::vector<std::uint8_t> bytes(48 * 64 * 3);
  const std::vector<float> values(rows * columns);
  const double at[9] = {};
  const simreel_array picture = array(bytes.data(), SIMREEL_UINT8, colors, nullptr, 3),
                      field = array(values.data(), SIMREEL_FLOAT32, shape), bodies = array(at, SIMREEL_FLOAT64, places);
  int videos = 0;
  const auto refusal = [&](const simreel_array& frame, const std::string& text) {
    simreel_video* const video = open(fmt::format("{}.hashes", ++videos), text.c_str());
    EXPECT_NE(video, nullptr) << last_error();
    const int code = &frame == &bodies ? simreel_video_write_bodies(video, &frame, nullptr, nullptr, 0, &error_)
                                       : simreel_video_write(video, &frame, 0, &error_);
    simreel_video_abandon(video);
    EXPECT_EQ(code, SIMREEL_USAGE) << text;
    return code == SIMREEL_USAGE ? last_error() : "";
  };
  for (const std::string key : {"crop = [0, 0, 4, 4]", "fit = \"cover\"", "alpha = [[0, 0], [1, 1]]", "trails = 1"})
    EXPECT_TRUE(
        says(refusal(picture, "[view]\n" + key + "\n"), "is for fields or bodies, and these frames are pictures"))
        << key;
  EXPECT_TRUE(says(refusal(picture, "[camera]\nfov = 30\n"), "[camera] is for bodies"));
  for (const std::string key : {"crop = [0, 0, 4, 4]", "fit = \"cover\"", "alpha = [[0, 0], [1, 1]]"})
    EXPECT_TRUE(says(refusal(bodies, "[view]\n" + key + "\n"), "is for fields, but this video shows bodies")) << key;
  EXPECT_TRUE(says(refusal(bodies, "[camera]\nfit = \"all\"\n"), "cannot be fitted to all of them"));
  EXPECT_TRUE(
      says(refusal(field, "[view]\nrange = [0, 1]\ntrails = 1\n"), "is for bodies, but this video shows a field"));
}

}  // namespace
}  // namespace simreel::test
