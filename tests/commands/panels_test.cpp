// `simreel figure`: panels from scenes, data, images and plots on one page.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/command_fixture.h"
#include "tests/support/npy.h"

namespace simreel {
namespace {

using test::Outcome;
using test::text_of;

class PanelsCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [48, 32]\ntimestep = 0.5\n[[solver.droplet]]\nposition = [30, 15]\n"
          "radius = 4\n[view]\nrange = [-0.05, 0.05]\nsize = [320, 180]\n[animation]\nframes = 20\n"
          "steps_per_frame = 4\n");
    write("pair.toml",
          "[solver]\nkind = \"nbody\"\ninitial = \"plummer\"\nbodies = 300\n[view]\nsize = [120, 90]\n"
          "trails = 0.1\n[animation]\nframes = 12\n");
    write("run.csv", "t,energy\n0,1\n1,0.5\n2,0.25\n");
  }
  Outcome figure(const std::string& text, const std::string& outputs) {
    write("fig.toml", text);
    return run("figure fig.toml --backend cpu --overwrite " + outputs);
  }
  std::string drawn(const std::string& text) {
    const Outcome outcome = figure(text, "-o fig.svg");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return text_of(folder_ / "fig.svg");
  }
  static std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  }
  // The texts of a page, one a line.
  static std::string labels_of(const std::string& svg) {
    std::string all;
    for (std::size_t at = 0; (at = svg.find("<text ", at)) != std::string::npos;) {
      const std::size_t end = svg.find("</text>", at);
      for (bool tag = false; at < end; ++at) {
        if (svg[at] == '<') tag = true;
        if (!tag) all += svg[at];
        if (svg[at] == '>') tag = false;
      }
      all += '\n';
    }
    return all;
  }
};

// A panel has the pixels that the scene's own frame has.
TEST_F(PanelsCommand, AFieldIsThePictureOfItsFrame) {
  const Outcome outcome =
      figure("[figure]\nwidth = \"60.96mm\"\ndpi = 100\n[[panel]]\nscene = \"wave.toml\"\nframe = 7\n", "-o fig.png");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  ASSERT_EQ(run("render wave.toml --backend cpu --frames 8 --set view.size=[240,160] -o still.png").exit, 0);
  const Outcome same = run("compare fig.png still.png");
  EXPECT_EQ(same.exit, 0) << same.out << same.err;
}

TEST_F(PanelsCommand, BodiesKeepTheirTrailsAndLight) {
  const Outcome outcome = figure(
      "[figure]\nwidth = \"60.96mm\"\ndpi = 100\nletters = false\n[[panel]]\nscene = \"pair.toml\"\nframe = 11\n",
      "-o fig.png");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  ASSERT_EQ(run("render pair.toml --backend cpu --set view.size=[240,180] -o still.png").exit, 0);
  const Outcome same = run("compare fig.png still.png");
  EXPECT_EQ(same.exit, 0) << same.out << same.err;
}

// By default their camera looks at all frames, which a figure does not see.
TEST_F(PanelsCommand, BodiesThatFlyApartAreShown) {
  const std::string set = "[\"solver.initial=sphere\", \"solver.virial=3\", \"animation.fps=10\"";
  const auto exit = [&](const std::string& more) {
    return figure("[[panel]]\nscene = \"pair.toml\"\nset = " + set + more + "]\n", "-o fig.png").exit;
  };
  EXPECT_EQ(exit(""), 0);
  EXPECT_EQ(exit(", \"camera.fit=all\""), 2);
  // The exposure follows all frames before.
  ASSERT_EQ(figure("[figure]\nwidth = \"60.96mm\"\ndpi = 100\nletters = false\n[[panel]]\nscene = \"pair.toml\"\n"
                   "set = " +
                       set + ", \"view.trails=0\"]\n",
                   "-o fig.png")
                .exit,
            0);
  ASSERT_EQ(run("render pair.toml --backend cpu --set view.size=[240,180] --set view.trails=0 --set "
                "solver.initial=sphere --set solver.virial=3 --set animation.fps=10 --set camera.orbit=0 --set "
                "view.exposure=follow -o still.png")
                .exit,
            0);
  EXPECT_EQ(run("compare fig.png still.png").exit, 0);
}

TEST_F(PanelsCommand, OneRunGivesAllTimesOfAScene) {
  const std::string text =
      "[figure]\ncolumns = 2\nscene = \"wave.toml\"\ntitle = \"A tank\"\nset = [\"figure.time=t = {time:.0f}\"]\n"
      "[[panel]]\ntime = 4\n[[panel]]\ntime = 20\nset = [\"view.colormap=magma\"]\n"
      "[[panel]]\nframe = 3\nset = [\"solver.damping=0.1\"]\n[[panel]]\n";
  const Outcome outcome = figure(text, "-o a.svg -o a.pdf");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("4 panels, 2 runs of scenes, 180.0 x "), std::string::npos) << outcome.err;
  const std::string svg = text_of(folder_ / "a.svg"), labels = labels_of(svg);
  for (const char* label : {"A tank\n", "a\n", "b\n", "c\n", "d\n", "t = \n"})
    EXPECT_NE(labels.find(label), std::string::npos) << label << "in\n" << labels;
  for (const char* time : {"4\n", "20\n", "6\n", "38\n"})
    EXPECT_NE(labels.find("\n" + std::string(time)), std::string::npos) << time << "in\n" << labels;
  EXPECT_EQ(count(svg, "<image"), 4u);
  EXPECT_NE(svg.find("width=\"180."), std::string::npos) << "mm";
  ASSERT_EQ(figure(text, "-o b.svg -o b.pdf").exit, 0);
  EXPECT_TRUE(text_of(folder_ / "b.svg") == svg);
  EXPECT_TRUE(text_of(folder_ / "b.pdf") == text_of(folder_ / "a.pdf"));
}

TEST_F(PanelsCommand, SharesABarAndAxes) {
  const std::string panels =
      "[[panel]]\nframe = 2\n[[panel]]\nframe = 5\n[[panel]]\nframe = 9\n[[panel]]\nframe = 12\n";
  const std::string start =
      "[figure]\ncolumns = 2\nscene = \"wave.toml\"\n"
      "set = [\"figure.axes=ticks\", \"figure.colorbar=right\", \"figure.label=high\", \"view.range=global\"]\n";
  const std::string alone = labels_of(drawn(start + panels));
  EXPECT_EQ(count(alone, "high"), 4u) << alone;
  EXPECT_EQ(count(alone, "x (cells)"), 4u) << alone;
  EXPECT_EQ(count(alone, "y (cells)"), 4u) << alone;
  const std::string shared = labels_of(drawn(start + "share = [\"colorbar\", \"x\", \"y\"]\n" + panels));
  EXPECT_EQ(count(shared, "high"), 1u) << shared;
  EXPECT_EQ(count(shared, "x (cells)"), 2u) << shared;
  EXPECT_EQ(count(shared, "y (cells)"), 2u) << shared;
}

// The room of the panel is named where it is too small, and not with other mistakes.
TEST_F(PanelsCommand, FieldsOfOtherNamesShareABar) {
  write("a.npy", test::npy({12, 16}, std::vector<float>(192, 0.5f)));
  const std::string panels =
      "[figure]\ncolumns = 2\nshare = [\"colorbar\"]\n[[panel]]\ndata = \"a.npy\"\n[[panel]]\nscene = \"wave.toml\"\n";
  EXPECT_EQ(figure(panels, "-o p.svg").exit, 0) << text_of(folder_ / "err.txt");
  const Outcome wrong = figure(panels + "set = [\"view.colormap=virids\"]\n", "-o q.svg");
  EXPECT_NE(wrong.err.find("panel b: \"view.colormap=virids\" in \"set\": unknown colormap \"virids\""),
            std::string::npos)
      << wrong.err;
  EXPECT_EQ(wrong.err.find("the panel has the room"), std::string::npos) << wrong.err;
}

// A shared range is that of all panels, so equal heights have equal colours.
TEST_F(PanelsCommand, ASharedRangeIsThatOfAllPanels) {
  const std::string start =
      "[figure]\ncolumns = 2\nwidth = \"60.96mm\"\ndpi = 100\ngap = \"0mm\"\nletters = false\nscene = \"wave.toml\"\n"
      "set = [\"view.range=global\"]\n";
  const std::string both = "[[panel]]\nframe = 0\n[[panel]]\nframe = 19\n";
  ASSERT_EQ(figure(start + both, "-o own.png").exit, 0);
  ASSERT_EQ(figure(start + "share = [\"range\"]\n" + both, "-o shared.png").exit, 0);
  EXPECT_EQ(run("compare own.png shared.png").exit, 4);
  // A panel without waves takes part in the range and changes nothing in it.
  const std::string third = "[[panel]]\nframe = 0\nset = [\"solver.droplet.0.amplitude=0\"]\n";
  ASSERT_EQ(figure(start + "share = [\"range\"]\n" + both + third, "-o three.svg").exit, 0);
  ASSERT_EQ(figure(start + "share = [\"range\"]\n" + both, "-o two.svg").exit, 0);
  const auto first_image = [&](const char* name) {
    const std::string svg = text_of(folder_ / name);
    const std::size_t at = svg.find("href=");
    return svg.substr(at, svg.find('>', at) - at);
  };
  EXPECT_TRUE(first_image("three.svg") == first_image("two.svg"));
}

TEST_F(PanelsCommand, PlotsImagesAndDataStandBesideScenes) {
  ASSERT_EQ(run("render wave.toml --backend cpu --frames 3 -o still.png -o field.npy").exit, 0);
  const std::string svg = drawn(
      "[figure]\ncolumns = 2\n[[panel]]\nscene = \"wave.toml\"\ntitle = \"scene\"\n[[panel]]\nimage = \"still.png\"\n"
      "[[panel]]\ndata = \"field.npy\"\n[[panel]]\ntitle = \"decay\"\n[panel.plot]\nxlabel = \"$t$\"\n"
      "[[panel.plot.line]]\nfile = \"run.csv\"\nx = \"t\"\ny = \"energy\"\nlabel = \"run\"\n");
  const std::string labels = labels_of(svg);
  for (const char* label : {"scene", "decay", "energy\n", "run\n", "0.5\n"})
    EXPECT_NE(labels.find(label), std::string::npos) << label << " in\n" << labels;
  EXPECT_EQ(count(svg, "<image"), 3u);
}

TEST_F(PanelsCommand, PlotsNameTheColumnThatAllLinesHave) {
  write("two.csv", "t,s,drag,lift\n0,0,2,3\n1,1,4,10\n");
  const auto labels = [&](const std::string& x, const std::string& y) {
    const std::string line = "[[panel.plot.line]]\nfile = \"two.csv\"\n";
    return labels_of(drawn("[[panel]]\n[panel.plot]\n" + line + "x = \"t\"\ny = \"drag\"\n" + line + "x = \"" + x +
                           "\"\ny = \"" + y + "\"\n"));
  };
  const std::string other_y = labels("t", "lift"), other_x = labels("s", "drag");
  EXPECT_NE(other_y.find("t\n"), std::string::npos) << other_y;
  EXPECT_EQ(other_y.find("drag\n"), std::string::npos) << other_y;
  EXPECT_NE(other_x.find("drag\n"), std::string::npos) << other_x;
  EXPECT_EQ(other_x.find("t\n"), std::string::npos) << other_x;
}

// Other units stand on the other sides, and lines over the first one.
TEST_F(PanelsCommand, PlotsHaveSecondAxesAndRatios) {
  write("two.csv", "t,a,b\n0,2,3\n1,4,10\n2,8,32\n");
  const std::string line = "[[panel.plot.line]]\nfile = \"two.csv\"\nx = \"t\"\ny = ";
  const std::string labels =
      labels_of(drawn("[[panel]]\n[panel.plot]\nratio = \"y/first\"\nylabel = \"b over a\"\nx2 = { factor = 1000, "
                      "label = \"t (ms)\" }\n"
                      "y2 = { factor = 100, label = \"percent\" }\n" +
                      line + "\"a\"\n" + line + "\"b\"\n"));
  for (const char* label : {"t (ms)", "percent", "2000\n", "400\n", "1.5\n"})
    EXPECT_NE(labels.find(label), std::string::npos) << label << " in\n" << labels;
  EXPECT_EQ(labels.find("30\n"), std::string::npos) << "b itself is not drawn: " << labels;
  const auto error = [&](const std::string& keys) {
    return figure("[[panel]]\n[panel.plot]\n" + keys + line + "\"a\"\n", "-o out.pdf").err;
  };
  EXPECT_NE(error("x2 = { factor = 0 }\n").find("fig.toml:3:8: \"factor\" in [panel.plot.x2]"), std::string::npos);
  EXPECT_NE(error("y2 = { label = \"a\" }\n").find("\"factor\" in [panel.plot.y2] is missing"), std::string::npos);
  EXPECT_NE(error("ratio = \"first/y\"\n").find("write a second [[panel.plot.line]]"), std::string::npos);
}

// 40 x 20 cells that are twice as high as wide are a square, and its axes count in widths of cells.
TEST_F(PanelsCommand, CellsThatAreNotSquareKeepTheirProportions) {
  write("long.npy", test::npy({20, 40}, std::vector<float>(800, 1)));
  const std::string svg = drawn(
      "[[panel]]\ndata = \"long.npy\"\nset = [\"solver.spacing=[1, 2]\", \"figure.axes=ticks\", "
      "\"figure.units.length=m\"]\n");
  const auto side = [&](const char* name) {
    const std::size_t at = svg.find(name, svg.find("<image"));
    return std::stod(svg.substr(at + std::string_view(name).size(), 12));
  };
  EXPECT_NEAR(side(" width=\"") / side(" height=\""), 1, 0.01);
  EXPECT_EQ(count(labels_of(svg), "\n40\n"), 2u) << labels_of(svg) << "40 widths of cells each way";
}

// Labels inside leave the whole width of the page to the pictures, and are there.
TEST_F(PanelsCommand, LabelsInsideTakeNoRoom) {
  const std::string head =
      "[figure]\ncolumns = 2\ngap = \"0mm\"\nwidth = \"60.96mm\"\ndpi = 300\nscene = \"wave.toml\"\n";
  const std::string panels =
      "set = [\"figure.time=t = {time:.0f}\", \"figure.scale_bar=auto\"]\n[[panel]]\nframe = 3\n[[panel]]\nframe = 9\n";
  const std::string inside = drawn(head + "labels = \"inside\"\n" + panels);
  EXPECT_NE(inside.find("viewBox=\"0 0 720 240\""), std::string::npos) << inside.substr(0, 400);
  const std::string beside = drawn(head + panels);
  EXPECT_EQ(beside.find("viewBox=\"0 0 720 240\""), std::string::npos);
  for (const char* label : {"a\n", "b\n", "6\n", "18\n", "10 cells\n"}) {
    EXPECT_NE(labels_of(inside).find(label), std::string::npos) << label << "in\n" << labels_of(inside);
    EXPECT_EQ(count(labels_of(inside), label), count(labels_of(beside), label)) << label;
  }
  const Outcome small = figure(
      head + "labels = \"inside\"\nset = [\"figure.title=" + std::string(60, 'x') + "\"]\n[[panel]]\n", "-o fig.svg");
  EXPECT_EQ(small.exit, 2);
  EXPECT_NE(small.err.find("\"title\" in [figure] is wider than the picture"), std::string::npos) << small.err;
}

// The second droplet falls at step 40: frame 3 is whole and frame 19 is not.
TEST_F(PanelsCommand, ASceneThatDivergesWritesNothing) {
  write("huge.toml", text_of(folder_ / "wave.toml") + "[[solver.droplet]]\namplitude = 3e38\ntime = 20\n");
  write("out.svg", "before");
  const Outcome outcome =
      figure("[figure]\nscene = \"huge.toml\"\n[[panel]]\nframe = 3\n[[panel]]\n", "-o out.pdf -o out.svg -o out.png");
  EXPECT_EQ(outcome.exit, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("fig.toml:5:1: panel b: the simulation diverged: at step 44 (frame 11) a value is "
                             "infinite or not a number; nothing was written"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(text_of(folder_ / "out.svg"), "before");
  for (const char* name : {"out.pdf", "out.png", "out.pdf.part", "out.svg.part", "out.png.part"})
    EXPECT_FALSE(exists(name)) << name;
}

TEST_F(PanelsCommand, WhatIsStoppedWritesNothing) {
  write("fig.toml",
        "[[panel]]\nscene = \"wave.toml\"\nset = [\"solver.grid=[900, 900]\", \"animation.frames=100000\"]\n");
  test::Child child(folder_ / ".", {"figure", "fig.toml", "--backend", "cpu", "-o", "out.pdf"});
  ASSERT_TRUE(child.reaches([&] { return exists("out.pdf.part"); }));
  child.send(SIGTERM);
  EXPECT_EQ(child.end(), 128 + SIGTERM);
  EXPECT_FALSE(exists("out.pdf") || exists("out.pdf.part"));
  EXPECT_NE(text_of(folder_ / "err.txt").find("nothing was written"), std::string::npos);
}

}  // namespace
}  // namespace simreel
