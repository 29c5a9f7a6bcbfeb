#pragma once
// A folder of golden images. Beside each scene NAME.toml lie NAME.hashes, the accepted hash of every frame in the
// format of a .hashes output, and NAME.000059.png for each frame that the scene's [golden] table names, its number in
// at least six digits.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace simreel {

class GoldenFolder {
 public:
  // Throws UsageError where `path` is no folder, cannot be read or holds no scene.
  explicit GoldenFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }  // of the scenes, sorted

  // The scenes that a user named ("wave" or "wave.toml"), sorted, each once; all where none is named. Throws UsageError
  // for a name that is not there, with the nearest one.
  std::vector<std::string> select(const std::vector<std::string>& wanted) const;

  std::filesystem::path scene(const std::string& name) const;
  std::filesystem::path hashes(const std::string& name) const;
  std::filesystem::path still(const std::string& name, std::int64_t frame) const;

  // The files of hashes whose scene is not there (any more), sorted.
  std::vector<std::string> orphans() const;

  // The stills of a scene that are there as regular files, by frame.
  std::map<std::int64_t, std::filesystem::path> stills(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::vector<std::string> names_;
};

}  // namespace simreel
