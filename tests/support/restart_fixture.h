#pragma once
// Runs that are killed or interrupted, and resumed, in a folder of the test's own.

#include "tests/support/command_fixture.h"

namespace simreel::test {

class RestartTest : public CommandTest {
 protected:
  void SetUp() override {
    write(
        "wave.toml",
        "[solver]\nkind = \"wave\"\ngrid = [96, 54]\nkernel = \"tiled\"\n[solver.rain]\nrate = 2\n[view]\nsize = [96, "
        "54]\nrange = \"global\"\n[animation]\nframes = 240\nsteps_per_frame = 7\nstart = 5\n");
    write("flow.toml",
          "[solver]\nkind = \"lbm\"\ngrid = [96, 48]\nprecision = \"half\"\nvelocity = 0.05\nviscosity = 0.02\n"
          "initial = \"uniform\"\n[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\nbottom = \"wall\"\ntop = "
          "\"wall\"\n[[solver.obstacle]]\nshape = \"circle\"\ncenter = [24, 24]\nradius = 5\n[view]\nfield = "
          "\"tracer\"\nsize = [96, 48]\nrange = \"first\"\n[animation]\nframes = 240\nsteps_per_frame = 3\n");
  }

  Child start(const std::string& arguments) {
    std::istringstream text(arguments);
    return {folder_ / ".", {std::istream_iterator<std::string>(text), std::istream_iterator<std::string>()}};
  }

  int interrupt(const std::string& arguments, int signal, double seconds) {
    Child child = start(arguments);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    child.send(signal);
    return child.end();
  }

  // Sends the signal once `reached` holds. Where this process gets the CPU too late to end the run, the run is repeated
  // with the folder as it was.
  template <typename Condition>
  int interrupt_once(const std::string& arguments, int signal, const Condition& reached) {
    std::set<std::filesystem::path> before;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".")) before.insert(entry.path());
    int exit = 0;
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::filesystem::remove(folder_ / "err.txt");
      Child child = start(arguments);
      if (child.reaches(reached)) child.send(signal);
      exit = child.end();
      if (exit != 0) break;
      for (const auto& entry : std::filesystem::directory_iterator(folder_ / "."))
        if (!before.contains(entry.path())) std::filesystem::remove_all(entry.path());
    }
    return exit;
  }

  // Once `file` has so many bytes; one that is written a line a frame has at least ten a frame.
  int interrupt_at(const std::string& arguments, int signal, const std::string& file, std::size_t bytes) {
    return interrupt_once(arguments, signal, [&] { return size_of(file) >= bytes; });
  }

  // In a folder of checkpoints; empty if there is none yet.
  std::filesystem::path newest_state(const std::string& folder) const {
    std::filesystem::path newest;
    std::error_code gone;
    for (std::filesystem::directory_iterator entry(folder_ / folder, gone), end; !gone && entry != end;
         entry.increment(gone))
      if (entry->path().extension() == ".state") newest = std::max(newest, entry->path());
    return newest;
  }
  // Whether that is this one or a later one.
  bool has_state(const std::string& folder, int state) const {
    const std::filesystem::path newest = newest_state(folder);
    return !newest.empty() && std::stoi(newest.stem().string()) >= state;
  }
  int interrupt_at_state(const std::string& arguments, int signal, const std::string& folder, int state) {
    return interrupt_once(arguments, signal, [&] { return has_state(folder, state); });
  }

  std::map<std::string, std::string> files(const std::string& folder) const {
    std::map<std::string, std::string> contents;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator entry(folder_ / folder, error), end; !error && entry != end;
         ++entry)
      if (entry->is_regular_file())
        contents[std::filesystem::relative(entry->path(), folder_ / folder).string()] = text_of(entry->path().string());
    return contents;
  }

  void expect_same_files(const std::string& folder, const std::map<std::string, std::string>& expected) const {
    const auto found = files(folder);
    for (const auto& [name, bytes] : found) EXPECT_TRUE(expected.contains(name)) << name << " is left behind";
    for (const auto& [name, bytes] : expected) {
      ASSERT_TRUE(found.contains(name)) << name;
      EXPECT_TRUE(found.at(name) == bytes) << name << " differs";
    }
  }
};

}  // namespace simreel::test
