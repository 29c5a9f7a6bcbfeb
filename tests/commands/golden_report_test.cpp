// The report of `simreel golden check --report`, as a text and in a real browser.

#include "base/version.h"
#include "compare/picture.h"
#include "exec/machine.h"
#include "tests/support/browser.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::text_of;

constexpr int width = 32, height = 18;

class GoldenReport : public test::CommandTest {
 protected:
  // Three scenes: one that is as accepted, one whose accepted still is all red, and one that is wrong.
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "g");
    const std::string scene =
        "title = \"<b>&amp;</b>{{scenes}}\"\n[solver]\nkind = \"wave\"\ngrid = [32, "
        "18]\n[[solver.droplet]]\n[view]\nsize = [32, 18]\n"
        "range = [-0.1, 0.1]\n[animation]\nframes = 6\n";
    write("g/a.toml", scene);
    write("g/b.toml", scene + "# </script><script>fail()</script>\n");
    ASSERT_EQ(run("golden update g --backend cpu").exit, 0);
    write_picture(folder_ / "g/b.000005.png",
                  Picture{{width, height}, std::vector<Color>(width * height, {255, 0, 0, 255})});
    write("g/it's <i>.toml", "[solver]\nkind = \"<img src=x onerror=fail()>\"\n");
    ASSERT_EQ(run("golden check g --backend cpu --report r/x.html").exit, 2);
  }
  std::string page() const { return text_of(folder_ / "r/x.html"); }
  std::string url() const { return "file://" + (folder_ / "r/x.html"); }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(GoldenReport, HoldsEverySceneFailuresFirstAndNothingUnescaped) {
  const std::string html = page();
  EXPECT_EQ(count(html, "<details class=\"scene\""), 3u);
  EXPECT_LT(html.find("data-name=\"b\""), html.find("data-name=\"it&#39;s &lt;i&gt;\""));
  EXPECT_LT(html.find("data-name=\"it&#39;s &lt;i&gt;\""), html.find("data-name=\"a\""));
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("<img src=x"), std::string::npos);
  EXPECT_EQ(html.find("<script>fail"), std::string::npos);
  EXPECT_EQ(count(html, "&lt;b&gt;&amp;amp;&lt;/b&gt;{{scenes}}"), 4u);  // titles, and in the scenes' text
  EXPECT_TRUE(test::says(html, "golden update g b</code>"));
  EXPECT_EQ(count(html, "src=\"data:image/png;base64,"), 4u);  // b: expected, actual, difference; a: one for both
  EXPECT_EQ(count(html, "src=\""), 4u);
  EXPECT_EQ(count(html, "href=\""), 1u);
  EXPECT_EQ(html.find("://"), std::string::npos);
}

TEST_F(GoldenReport, SaysWhatTheResultDependsOn) {
  EXPECT_TRUE(
      test::says(page(), fmt::format("<p class=\"note\">simreel {}, {}</p>", version, machine_name(Executor::cpu()))));
  EXPECT_EQ(count(page(), "Tolerance: nothing may differ"), 2u);  // not of the scene that cannot be read
  write("g/a.toml", text_of(folder_ / "g/a.toml") +
                        "[golden]\nmax_diff = 3\nmax_pixels = \"0.7%\"\nmin_psnr = 40\n"
                        "min_ssim = 0.9\nmax_flip = 0.02\n");
  EXPECT_EQ(run("golden check g a --backend cpu --threads 1 --report r/x.html").exit, 0);
  EXPECT_TRUE(
      test::says(page(), "Tolerance: max_diff 3, max_pixels 0.7%, min_psnr 40 dB, min_ssim 0.9, max_flip 0.02"));
  EXPECT_TRUE(test::says(page(), machine_name(Executor::cpu(1))));
}

using GoldenReportInBrowser = GoldenReport;

TEST_F(GoldenReportInBrowser, LoadsWithoutErrorsAndAsksForNothing) {
  SKIP_WITHOUT_BROWSER();
  test::Browser browser;
  browser.open_page(url());
  EXPECT_EQ(browser.evaluate("document.images.length"), 6);  // the four, and two in the stage
  EXPECT_EQ(browser.evaluate("[...document.images].every((i) => i.complete && i.naturalWidth > 0)"), true);
  EXPECT_EQ(browser.evaluate("document.querySelectorAll('.stage').length"), 1);
  EXPECT_EQ(browser.evaluate("document.querySelector('[data-name=b] .title').textContent"), "<b>&amp;</b>{{scenes}}");
  EXPECT_EQ(browser.evaluate("document.querySelector('[data-name=b] pre').textContent"), text_of(folder_ / "g/b.toml"));
  EXPECT_TRUE(browser.problems().empty()) << browser.problems().front();
}

// Share of the stage's columns that show the red expected picture, and whether those are the left ones.
TEST_F(GoldenReportInBrowser, TheSliderShowsExpectedToItsLeft) {
  SKIP_WITHOUT_BROWSER();
  test::Browser browser;
  for (const double at : {0.0, 25.0, 50.0, 100.0}) {
    browser.open_page(url());
    browser.evaluate(
        fmt::format("(() => {{ const s = document.querySelector('.compare input'); s.value = {}; s.dispatchEvent(new "
                    "Event('input')); }})()",
                    at));
    write("stage.txt", browser.screenshot(".stage"));
    ASSERT_EQ(std::system(fmt::format("base64 -d '{0}/stage.txt' > '{0}/stage.png'", folder_ / ".").c_str()), 0);
    const Picture stage = read_picture(folder_ / "stage.png");
    const int y = stage.size.height / 2, edge = int(at / 100 * stage.size.width);
    ASSERT_GT(stage.size.width, 200);
    for (int x = 4; x < stage.size.width - 4; ++x) {
      const bool red = stage.at(x, y) == Color{255, 0, 0, 255};
      if (std::abs(x - edge) > 4) {
        EXPECT_EQ(red, x < edge) << x << " of " << stage.size.width << " at " << at << " %";
      }
    }
  }
}

TEST_F(GoldenReportInBrowser, ANameIsLookedFor) {
  SKIP_WITHOUT_BROWSER();
  test::Browser browser;
  browser.open_page(url());
  browser.evaluate(
      "(() => { const f = document.getElementById('filter'); f.value = 'IT'; f.dispatchEvent(new Event('input')); "
      "})()");
  EXPECT_EQ(browser.evaluate("document.getElementById('count').textContent"), "1 of 3 scenes");
  EXPECT_EQ(browser.evaluate("document.querySelector('[data-name=b]').checkVisibility()"), false);
}

TEST_F(GoldenReport, FramesWithoutCounterpartAreMarked) {
  std::string text = text_of(folder_ / "g/a.toml");
  text.replace(text.find("frames = 6"), 10, "frames = 8");
  write("g/a.toml", text);
  EXPECT_EQ(run("golden check g a --backend cpu --report r/x.html").exit, 4);
  EXPECT_TRUE(test::says(page(), "<i style=\"left:75.000%;width:25.000%\"></i>"));
  EXPECT_TRUE(test::says(page(), "2 of 8 frames differ: 6 to 7; 6 were accepted, 8 rendered"));
}

TEST_F(GoldenReport, AFolderThatCannotBeWrittenIsToldBeforeAnythingIsRendered) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write every folder";
  std::filesystem::permissions(folder_ / "g", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const test::Outcome updated = run("golden update g --backend cpu");
  std::filesystem::permissions(folder_ / "g", std::filesystem::perms::owner_all);
  EXPECT_EQ(updated.exit, 2);
  EXPECT_TRUE(test::says(updated.err, "g: nothing can be accepted"));
  EXPECT_EQ(updated.out, "");
}

}  // namespace
}  // namespace simreel
