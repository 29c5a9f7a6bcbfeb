#include "compare/hash_list.h"

#include <string_view>

#include "base/error.h"
#include "base/numbers.h"
#include "compare/picture.h"

namespace simreel {

std::vector<FrameHash> read_hashes(const std::filesystem::path& path) {
  const std::string text = read_file(path, limits::text_bytes);
  if (text.empty()) throw UsageError("{}: empty; a .hashes file has a line a frame", path.string());
  std::vector<FrameHash> hashes;
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);  // of a repository that writes Windows' line ends
    FrameHash hash;
    hash.frame = take_leading<std::int64_t>(line).value_or(-1);
    const bool well_formed = hash.frame >= 0 && line.size() == 17 && line[0] == ' ' &&
                             line.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
    // A truncated file ends inside a line.
    if (!well_formed || end == std::string_view::npos)
      throw UsageError("{}:{}: not a frame's index, a space, 16 hexadecimal digits and a line end", path.string(),
                       number);
    if (!hashes.empty() && hash.frame <= hashes.back().frame)
      throw UsageError("{}:{}: frame {} follows frame {}; the indices of a .hashes file rise", path.string(), number,
                       hash.frame, hashes.back().frame);
    hash.digits = line.substr(1);
    hashes.push_back(hash);
    rest.remove_prefix(end + 1);
  }
  return hashes;
}

HashDifferences compare_hash_lists(const std::vector<FrameHash>& expected, const std::vector<FrameHash>& actual) {
  HashDifferences result;
  auto a = expected.begin();
  auto b = actual.begin();
  while (a != expected.end() || b != actual.end()) {
    if (b == actual.end() || (a != expected.end() && a->frame < b->frame)) {
      result.missing.push_back(a++->frame);
    } else if (a == expected.end() || b->frame < a->frame) {
      result.extra.push_back(b++->frame);
    } else {
      if (a->digits != b->digits) result.differing.push_back(a->frame);
      ++a, ++b;
    }
  }
  return result;
}

}  // namespace simreel
