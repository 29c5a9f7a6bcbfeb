#pragma once
// The tags of VTK's XML files, one after the other. A reader that knows no declarations and only the entities of the
// language itself cannot be led astray.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "formats/file_bytes.h"

namespace simreel {

class XmlTags {
 public:
  // `file` must outlive it; `path` and `kind` (".vti") are for messages.
  XmlTags(const FileBytes& file, std::string path, std::string kind)
      : file_(file), path_(std::move(path)), kind_(std::move(kind)) {}

  // Moves past the next tag; false at the end of the file. Comments and processing instructions are passed over.
  // Throws RuntimeError with the path.
  bool next();

  const std::string& name() const { return name_; }          // "DataSet", "/DataSet"
  std::string attribute(std::string_view name) const;        // empty: it is not there
  std::uint64_t at() const { return at_; }                   // after the tag
  std::size_t line();                                        // on which it ends, from 1
  [[noreturn]] void fail(const std::string& message) const;  // throws RuntimeError
  [[noreturn]] void damaged() const;                         // that the file cannot be understood

 private:
  void read_attributes(std::string_view tag);

  const FileBytes& file_;
  std::string path_, kind_;
  std::uint64_t at_ = 0, counted_ = 0;
  std::size_t line_ = 1;  // at `counted_`
  std::string name_;
  std::map<std::string, std::string, std::less<>> attributes_;
};

// Without white space at both ends.
std::string_view trim_lines(std::string_view);

}  // namespace simreel
