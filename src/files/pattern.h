#pragma once
// Names of outputs: the frame number in "out/%06d.png", and the extension.

#include <cstdint>
#include <optional>
#include <string>

namespace simreel {

class FilePattern {
 public:
  // Accepts "%d" or "%0Nd" (N from 1 to 18) once in the file name, and "%%" there for a percent sign. Throws UsageError
  // for any other use of the percent sign and for a second number. Folder names are taken literally, unless the file
  // name has no number and a folder name has one, written the same way. A text without a number is a pattern of one
  // file.
  explicit FilePattern(const std::string& text);

  bool numbered() const { return numbered_; }
  // index >= 0. An index of more than N digits keeps them all.
  std::string name(std::int64_t index) const;

  // The same pattern as an absolute name without links and dots.
  FilePattern placed() const;
  // The index whose name is `name`.
  std::optional<std::int64_t> index_of(const std::string& name) const;
  // Whether a name of this one can be a name of the other; both are numbered and placed.
  bool may_meet(const FilePattern& other) const;

  // The folder that contains the component with the number ("out" of "out/%d/x.png"; "." for none), and that component
  // as its own pattern ("%d").
  std::string folder() const;
  FilePattern component() const;

  // A name in that folder that no other pattern and no frame has: "out/%06d.png.lock".
  std::string lock_name() const;
  // The pattern that has this lock; nullopt if none has. A pattern and its lock have the same folder.
  static std::optional<FilePattern> from_lock_name(const std::string& lock);

 private:
  FilePattern() = default;
  bool parse(const std::string& text, std::string& mistake);

  std::string before_, after_;
  int digits_ = 0;
  bool numbered_ = false;
};

// ".png" of "out/A.PNG", in lower case; empty if there is none.
std::string extension_of(const std::string& target);

// The same text for every name of one file: absolute, without dots and links, whether it exists or not.
std::string identity_of(const std::string& file);

}  // namespace simreel
