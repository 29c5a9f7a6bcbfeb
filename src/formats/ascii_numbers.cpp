#include "formats/ascii_numbers.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

namespace simreel {
namespace {

constexpr std::string_view white_space = " \t\r\n";

template <class Read, class Stored>
std::vector<std::byte> parse(std::string_view& text, std::uint64_t count) {
  std::vector<std::byte> bytes(std::min<std::uint64_t>(count, text.size() / 2 + 1) * sizeof(Stored));
  std::size_t taken = 0;
  for (; taken < bytes.size(); taken += sizeof(Stored)) {
    text.remove_prefix(std::min(text.find_first_not_of(white_space), text.size()));
    if (text.starts_with('+')) text.remove_prefix(1);
    Read value{};
    auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if constexpr (std::is_same_v<Read, float>) {
      double wide = 0;  // what a float cannot hold becomes 0 or infinite, as in the program that wrote it
      if (result.ec == std::errc::result_out_of_range) {
        result = std::from_chars(text.data(), text.data() + text.size(), wide);
        value = static_cast<float>(wide);
      }
    }
    if (result.ec != std::errc()) break;
    if constexpr (!std::is_same_v<Read, Stored>) {
      if (value < static_cast<Read>(std::numeric_limits<Stored>::min()) ||
          value > static_cast<Read>(std::numeric_limits<Stored>::max()))
        break;
    }
    const Stored stored = static_cast<Stored>(value);
    std::memcpy(bytes.data() + taken, &stored, sizeof stored);
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  }
  bytes.resize(taken);
  return bytes;
}

std::vector<std::byte> take_from(std::string_view& text, const Element& e, std::uint64_t count) {
  using Kind = Element::Kind;
  if (e.kind == Kind::real) return e.bytes == 4 ? parse<float, float>(text, count) : parse<double, double>(text, count);
  const bool is_signed = e.kind == Kind::signed_integer;
  switch (e.bytes) {
    case 1:
      return is_signed ? parse<std::int64_t, std::int8_t>(text, count) : parse<std::int64_t, std::uint8_t>(text, count);
    case 2:
      return is_signed ? parse<std::int64_t, std::int16_t>(text, count)
                       : parse<std::int64_t, std::uint16_t>(text, count);
    case 4:
      return is_signed ? parse<std::int64_t, std::int32_t>(text, count)
                       : parse<std::int64_t, std::uint32_t>(text, count);
    default:
      return is_signed ? parse<std::int64_t, std::int64_t>(text, count)
                       : parse<std::uint64_t, std::uint64_t>(text, count);
  }
}

}  // namespace

std::vector<std::byte> take_numbers(const FileBytes& file, std::uint64_t& at, const Element& e, std::uint64_t count) {
  constexpr std::uint64_t at_once = 1 << 22;
  std::vector<std::byte> numbers;
  while (numbers.size() / e.bytes < count && at < file.size()) {
    std::string_view text = file.view(at, std::min(at_once, file.size() - at));
    // A number that goes on after this part is one of the next.
    const std::size_t last = at + text.size() < file.size() ? text.find_last_of(white_space) : std::string_view::npos;
    if (last != std::string_view::npos) text = text.substr(0, last + 1);
    const std::size_t there = text.size();
    const std::vector<std::byte> taken = take_from(text, e, count - numbers.size() / e.bytes);
    numbers.insert(numbers.end(), taken.begin(), taken.end());
    at += there - text.size();
    if (!text.empty()) break;
  }
  return numbers;
}

}  // namespace simreel
