#pragma once
// The files of a series, in order.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/several_files.h"

namespace simreel {

class FileSeries {
 public:
  // `pattern`: a path whose last component may contain one "%d" or "%05d", or the wildcards * and ?, or a list of files
  // with times, x.pvd. Finds what is there. Throws UsageError for any other use of them, RuntimeError for a list that
  // cannot be read. Of a series that is `growing`, two numbers that are not neighbours are one: what lies between may
  // come.
  explicit FileSeries(std::string pattern, bool growing = false);

  bool many() const { return kind_ != Kind::single; }
  const std::vector<std::string>& files() const { return files_; }

  // The time of a file, from 0; nullopt if the series does not know it.
  std::optional<double> time(std::size_t file) const;
  // All that is read: the files, and the list of them.
  std::vector<std::string> inputs() const;

  // In words: the first file that a list names and that does not exist, or whose number a numbered series lacks
  // although later ones exist; empty if none is missing. Numbers may have a constant distance.
  std::string missing() const;

  // Appends files that appeared since, which come after those known; of numbered ones only those before a gap, because
  // the file that is missing may still come. After a single number, one that is not the next waits for a third at the
  // same distance, unless the series is `over`. Returns whether there are any.
  bool look_again(bool over);
  // The file before which look_again stops although later ones are there; empty: there is none.
  std::string awaited() const;
  // The first file that look_again found although a later one was known before; empty: there is none.
  const std::string& late() const { return late_; }

  // Examples of what the folder holds, for the message that nothing fits.
  std::string what_is_there() const;

 private:
  enum class Kind { single, numbered, wild, listed };

  std::vector<std::string> find() const;
  void append(const std::vector<CollectionStep>&);
  bool fits(const std::string& name) const;
  std::int64_t number_of(const std::string& name) const;
  std::string numbered(std::int64_t number) const;
  std::int64_t rank(const std::string& file) const { return number_of(file.substr(folder_.size())); }
  bool in_order(const std::string& a, const std::string& b) const;
  // The first number that sorted files lack, as a file; empty: none.
  std::string gap_in(const std::vector<std::string>& files) const;
  // The number after that of the last file; nullopt while the distance of the numbers is not known.
  std::optional<std::int64_t> next_number() const;

  std::string folder_, name_, list_, late_;
  Kind kind_ = Kind::single;
  std::string before_, after_;  // of the number
  std::size_t digits_ = 0;
  std::vector<std::string> files_;
  std::vector<double> times_;       // of a list
  std::vector<std::size_t> lines_;  // of a list
};

// That a file of a numbered series is missing, and what to do.
std::string words_for_gap(const std::string& missing);

// Whether a name fits a pattern with * and ?.
bool fits_wildcards(const std::string& pattern, const std::string& name);

// Whether a comes before b where the numbers in them count as numbers: "f9" before "f10".
bool in_natural_order(const std::string& a, const std::string& b);

}  // namespace simreel
