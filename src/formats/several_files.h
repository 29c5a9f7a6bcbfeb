#pragma once
// Several files as one: pieces of an image, side by side, and files of one snapshot, one after the other.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/array_file.h"

namespace simreel {

// ParaView's lists of files with times, .pvd and .series.

struct CollectionStep {
  std::string file;  // as a path from where the program runs; several pieces with line breaks between
  double time = 0;
  std::size_t line = 0;  // of the list, from 1
};

// The files of a step.
std::vector<std::string> pieces_of(const std::string& file);

bool is_collection(std::string_view path);  // by its name

// The files of a list by rising times; a repeated line counts once, and several files of a time are its pieces (.pvd).
// Throws RuntimeError if it cannot be read or is no such list.
std::vector<CollectionStep> read_collection(const std::string& path);

class JoinedFile : public ArrayFile {
 public:
  using Files = std::vector<std::unique_ptr<ArrayFile>>;

  void read(const ArrayInfo&, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override;
  // Those of the first file.
  std::optional<double> attribute(std::string_view name) const override { return files_[0]->attribute(name); }
  std::optional<std::string> text(std::string_view name) const override { return files_[0]->text(name); }
  std::vector<double> attribute_list(std::string_view name, std::size_t max) const override {
    return files_[0]->attribute_list(name, max);
  }

 protected:
  // A part of an array: an array of a file, and where its first value lies.
  struct Part {
    std::size_t file;
    std::size_t array;
    Extents at;
  };

  JoinedFile(std::string path, Files files) : ArrayFile(std::move(path)), files_(std::move(files)) {}

  void add(ArrayInfo whole, std::vector<Part> parts);

  Files files_;

 private:
  std::vector<std::vector<Part>> parts_;  // of arrays_
};

// Images whose points are those of one grid, each with its steps (ArrayInfo). `path` is for messages. Throws
// RuntimeError where they leave gaps or do not fit.
std::unique_ptr<ArrayFile> join_images(std::string path, JoinedFile::Files);

// A snapshot of Gadget that lies in several files, x.0.hdf5, x.1.hdf5 and so on, of which this is the first; any other
// file as it is. Throws RuntimeError if it is not the first, or one is missing.
std::unique_ptr<ArrayFile> with_other_files(std::unique_ptr<ArrayFile> file);

}  // namespace simreel
