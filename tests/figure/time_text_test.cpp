// Scale bars and the texts of times: their lengths, widths and decimals.

#include "figure/space.h"
#include "tests/support/scenery.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::mistake, test::Scenery;

TEST(ScaleBars, HaveRoundLengthsOrTheGivenOne) {
  Scenery s;
  const Rectangle field{0, 0, 400, 200};
  const auto bar = [&] { return scale_bar_of(s.stage, s.options(), FigureSpace(s.stage), field); };
  s.options().scale_bar = "auto";
  EXPECT_EQ(bar().label, "20 cells");  // 200 cells in 400 pixels
  EXPECT_EQ(bar().pixels, 40);
  s.options().units.length = "mm";
  s.options().units.cell = 0.1;
  EXPECT_EQ(bar().label, "2 mm");
  s.options().scale_bar = "5 mm";
  EXPECT_EQ(bar().pixels, 100);
  for (const auto& [text, words] : {std::pair{"5 cm", "the unit of lengths here is \"mm\""},
                                    {"-5 mm", "\"auto\", or a length"},
                                    {"500 mm", "the picture is 20 mm wide"}}) {
    s.options().scale_bar = text;
    const std::string error = test::thrown(bar);
    EXPECT_TRUE(test::says(error, words)) << text << ": " << error;
  }
}

TEST(TimeTexts, HaveNumbersOfFixedWidth) {
  Scenery s;  // 100 frames of 10 steps, 0.5 apart: up to 49.5
  s.options().time = "t = {time:.2f} ms, {step}";
  const TimeText text(s.stage);
  ASSERT_EQ(text.parts().size(), 2u);
  EXPECT_EQ(text.parts()[0].text, "t = ");
  EXPECT_EQ(text.parts()[1].text, " ms, ");
  EXPECT_EQ(text.parts()[0].number.width, 5u);
  EXPECT_EQ(text.parts()[1].number.width, 3u);
  EXPECT_EQ(text.write(text.parts()[0].number, {3, 30, 1.5, {}}), "1.50");
  EXPECT_EQ(text.write(text.parts()[1].number, {99, 990, 49.5, {}}), "990");
  s.options().units.step = 0.05;  // of a unit in a step
  EXPECT_EQ(text.write(text.parts()[0].number, {3, 30, 1.5, {}}), "1.50");
  EXPECT_EQ(text.write(text.parts()[0].number, {4, 40, 2, {}}), "2.00");
  s.options().time = "auto";
  s.options().units.step = {};
  EXPECT_EQ(TimeText(s.stage).parts()[0].number.decimals, 1) << "frames are 0.5 apart";
  s.stage.figure.time_unit = "hours since 2024-02-20";
  s.stage.figure.times = {0, 6, 90};
  const TimeText dates(s.stage);
  EXPECT_EQ(dates.write(dates.parts()[0].number, {2, 2, 90, {}}), "2024-02-23 18:00");
  s.options().units.time = "h";
  EXPECT_EQ(TimeText(s.stage).parts()[0].text, "t = ");
}

TEST(TimeTexts, HaveTheDecimalsThatTheFramesNeed) {
  Scenery s;
  const auto third = [&](double interval) {
    s.stage.interval = interval;
    const TimeText text(s.stage);
    return text.write(text.parts()[0].number, {3, 30, 3 * interval, {}});
  };
  for (const char* time : {"auto", "{time}"}) {
    s.options().time = time;
    for (const auto& [interval, text] : std::vector<std::pair<double, std::string>>{{1.5, "4.5"},
                                                                                    {2, "6"},
                                                                                    {5.5, "16.5"},
                                                                                    {5.25, "15.75"},
                                                                                    {1.0 / 24, "0.12"},
                                                                                    {1.0 / 75, "0.040"},
                                                                                    {0.06, "0.18"},
                                                                                    {2e-12, "6.000e−12"},
                                                                                    {1.3714, "4.1"}})
      EXPECT_EQ(third(interval), text) << time << ", frames are " << interval << " apart";
  }
  // The first frame may lie between.
  s.stage.animation.steps_per_frame = 2;
  s.stage.animation.start = 1;
  EXPECT_EQ(third(1), "3.0");
}

TEST(TimeTexts, HaveTheDecimalsOfTheSlowestFrames) {
  Scenery s;  // a step is 0.05
  s.options().time = "auto";
  s.stage.animation.speed = {{0, 1}, {0.5, 1}, {0.6, 0.1}};
  for (const std::optional<double> step : {std::optional<double>(), std::optional<double>(0.001)}) {
    s.options().units.step = step;
    EXPECT_EQ(TimeText(s.stage).parts()[0].number.decimals, step ? 3 : 2);
  }
}

TEST(TimeTexts, WriteAnyDiagnosticInTheirWidth) {
  Scenery s;
  s.options().time = "{energy:.2f} {energy}";
  const TimeText text(s.stage);
  EXPECT_TRUE(text.names_diagnostics());
  for (const double v : {0.0, -1.0, 12345.678, -1e9, 3e200, -3e-300, 1.0 / 0.0}) {
    const double values[] = {0, 0, v};
    for (const TimePart& part : text.parts()) {
      const std::string written = text.write(part.number, {0, 0, 0, values});
      const std::size_t letters =
          static_cast<std::size_t>(std::ranges::count_if(written, [](char c) { return (c & 0xC0) != 0x80; }));
      EXPECT_LE(letters, part.number.width) << v << ": " << written;
    }
  }
  const double values[] = {0, 0, -1.5};
  EXPECT_EQ(text.write(text.parts()[0].number, {0, 0, 0, values}), "−1.50");
  EXPECT_EQ(text.write(text.parts()[1].number, {0, 0, 0, values}), "−1.500e+00");
}

TEST(TimeTexts, SayWhatTheyCannotWrite) {
  const auto complaint = [](const std::string& time) {
    Scenery s;
    s.options().time = time;
    return mistake(s);
  };
  EXPECT_EQ(complaint("{tim}"), "there is no \"tim\", but: time, step, frame, date, energy; did you mean \"time\"?");
  EXPECT_TRUE(test::says(complaint("{time:%d}"), "is no way to write time; there are \".2f\""));
  EXPECT_TRUE(test::says(complaint("{time"), "a { is not closed"));
  EXPECT_EQ(complaint("{{x}} $t_{0}$ = {time}"), "");
}

}  // namespace
}  // namespace simreel
