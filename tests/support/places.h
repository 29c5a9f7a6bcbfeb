#pragma once
// Where tests find what they read: the repository, or the unpacked bundle that SIMREEL_ROOT names.
#include "tests/support/test.h"

extern "C" __attribute__((weak)) void __asan_init();

namespace simreel::test {

std::filesystem::path root();

// Whether AddressSanitizer watches; asked at run time, for compiled tests are linked with a build that it watches as
// well.
inline bool sanitized() { return __asan_init != nullptr; }

// The program under test is in the folder of the test program.
inline std::filesystem::path program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "simreel";
}

inline std::vector<std::filesystem::path> scenes_in(const char* folder) {
  std::vector<std::filesystem::path> scenes;
  for (const auto& entry : std::filesystem::directory_iterator(root() / folder))
    if (entry.path().extension() == ".toml") scenes.push_back(entry.path());
  std::ranges::sort(scenes);
  return scenes;
}

// What to lay over a scene so that a test can afford its bodies.
inline std::vector<std::string> few_bodies(const std::filesystem::path& scene) {
  std::ifstream file(scene);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("bodies")) return {"solver.bodies=1000"};
  return {};
}

// Whether a program can be called; a test that needs it says so and
// is skipped where not.
inline bool installed(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

// A temporary folder for one test, removed with this object.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "simreel-test-XXXXXX").string();
    if (mkdtemp(pattern.data())) path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace simreel::test
