#pragma once
// What the names of outputs say: the frame's number in "out/%06d.png", and the extension.

#include <cstdint>
#include <string>

namespace simreel {

class FilePattern {
 public:
  // Takes "%d" or "%0Nd" (N from 1 to 18) once, in the file's or a folder's name, and "%%" for a percent sign. Throws
  // UsageError for any other use of the percent sign and for a second number; a text without a number is a pattern of
  // one file.
  explicit FilePattern(const std::string& text);

  bool numbered() const { return numbered_; }
  // index >= 0. One that has more than N digits keeps them all.
  std::string name(std::int64_t index) const;

 private:
  std::string before_, after_;
  int digits_ = 0;
  bool numbered_ = false;
};

// ".png" of "out/A.PNG", in lower case; empty where there is none.
std::string extension_of(const std::string& target);

}  // namespace simreel
