#pragma once
// What the tests of `simreel golden` share: a folder g/ with two small scenes.

#include <map>

#include "compare/picture.h"
#include "tests/support/command_fixture.h"

namespace simreel::test {

// Six frames of 32 x 18 pixels: still enough until the droplet falls at frame 3, so that it moves later frames only.
inline std::string scene_text(const std::string& golden = "", const std::string& amplitude = "0.07") {
  return "title = \"a droplet\"\n[solver]\nkind = \"wave\"\ngrid = [32, 18]\ntimestep = 0.5\n[[solver.droplet]]\ntime "
         "= 5\n"
         "position = [9, 6]\namplitude = " +
         amplitude +
         "\n[view]\nsize = [32, 18]\nrange = [-0.1, 0.1]\n[animation]\nframes = 6\nsteps_per_frame = 4\n[golden]\n" +
         (golden.empty() ? "frames = [0, 5]\n" : golden);
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class GoldenCommand : public CommandTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "g");
    write("g/a.toml", scene_text());
    write("g/b.toml", scene_text());
  }
  Outcome accept() { return run("golden update g --backend cpu"); }
  Outcome check(const std::string& rest = "") { return run("golden check g --backend cpu " + rest); }

  // What lies in g/, with its bytes and the time of its last change.
  std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> content() const {
    std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "g"))
      found[entry.path().filename()] = {text_of(entry.path()), entry.last_write_time()};
    return found;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& [name, file] : content()) found.push_back(name);
    return found;
  }
  // One step of one channel of one pixel of a still.
  void nudge(const std::string& still, int by = 1) {
    Picture picture = read_picture(folder_ / still);
    picture.at(7, 3).g = static_cast<std::uint8_t>(picture.at(7, 3).g + by);
    write_picture(folder_ / still, picture);
  }
};

}  // namespace simreel::test
