#pragma once
// A folder of golden images. Next to each scene NAME.toml are NAME.hashes, the accepted hash of every frame in the
// format of a .hashes output, NAME.000059.png for each frame that the scene's [golden] table lists, its number in at
// least six digits, NAME.golden.csv for the numbers that the table lists, and of a figure of panels NAME.svg. Files of
// NAME.2, NAME.3 and so on, without a gap, are further sets: a scene passes that is as one of them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace simreel {

// A text of such a folder without carriage returns, which a repository may put before its line ends. Throws UsageError.
std::string read_golden_text(const std::filesystem::path&);

class GoldenFolder {
 public:
  // Throws UsageError if `path` is not a folder, cannot be read or contains no scene. `recursive`: with those of the
  // folders in it, as "waves/rain".
  explicit GoldenFolder(std::filesystem::path path, bool recursive = false);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }  // of the scenes, sorted

  // The scenes that a user named ("wave" or "wave.toml"), sorted, each once; all scenes if none is named. Throws
  // UsageError for a name that does not exist, with the nearest one.
  std::vector<std::string> select(const std::vector<std::string>& wanted) const;

  std::filesystem::path scene(const std::string& name) const;
  std::filesystem::path hashes(const std::string& name) const;
  std::filesystem::path numbers(const std::string& name) const;
  std::filesystem::path page(const std::string& name) const;
  std::filesystem::path still(const std::string& name, std::int64_t frame) const;

  // The sets of a scene that were accepted: its name first, whether there is anything or not.
  std::vector<std::string> sets(const std::string& name) const;

  // The .hashes and .golden.csv files and stills of none of the sets of a scene, sorted.
  std::vector<std::string> orphans() const;

  // The folders in it that hold scenes, which are not among `names`; sorted. None if it is recursive.
  std::vector<std::string> skipped() const;

  // The stills of a scene that exist as regular files, by frame.
  std::map<std::int64_t, std::filesystem::path> stills(const std::string& name) const;

 private:
  bool has_scene(const std::string& set) const;

  std::filesystem::path path_;
  bool recursive_;
  std::vector<std::string> names_;
};

}  // namespace simreel
