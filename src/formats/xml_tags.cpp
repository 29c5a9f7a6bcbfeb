#include "formats/xml_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace simreel {
namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string without_entities(std::string_view text) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string plain;
  while (!text.empty()) {
    const auto found =
        std::ranges::find_if(entities, [&](const auto& entity) { return text.starts_with(entity.first); });
    plain += found == std::end(entities) ? text[0] : found->second;
    text.remove_prefix(found == std::end(entities) ? 1 : found->first.size());
  }
  return plain;
}

}  // namespace

std::string_view trim_lines(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  while (!text.empty() && spaces.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

void XmlTags::fail(const std::string& message) const { throw RuntimeError("{}: {}", path_, message); }

std::size_t XmlTags::line() {
  constexpr std::uint64_t at_once = 1 << 16;
  for (; counted_ < at_; counted_ += std::min(at_once, at_ - counted_))
    line_ +=
        static_cast<std::size_t>(std::ranges::count(file_.view(counted_, std::min(at_once, at_ - counted_)), '\n'));
  return line_;
}

void XmlTags::damaged() const { fail(fmt::format("a {} file whose header simreel does not understand", kind_)); }

std::string XmlTags::attribute(std::string_view name) const {
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? "" : found->second;
}

bool XmlTags::next() {
  for (;;) {
    constexpr std::uint64_t longest = 1 << 14;
    const std::uint64_t open = file_.find("<", at_), left = file_.size() - open;
    if (left == 0) return false;
    const std::string start(file_.view(open, std::min<std::uint64_t>(left, 4)));
    const std::string_view end = start == "<!--" ? "-->" : ">";
    const std::uint64_t close = file_.find(end, open);
    if (close == file_.size()) fail("the file ends within a tag");
    at_ = close + end.size();
    if (start == "<!--" || start.starts_with("<?")) continue;
    if (start.starts_with("<!") || close - open > longest) damaged();
    read_attributes(file_.view(open + 1, close - open - 1));
    return true;
  }
}

void XmlTags::read_attributes(std::string_view tag) {
  if (tag.ends_with('/')) tag.remove_suffix(1);
  const std::size_t end = std::min(tag.find_first_of(spaces), tag.size());
  name_ = tag.substr(0, end);
  attributes_.clear();
  for (tag.remove_prefix(end); !(tag = trim_lines(tag)).empty();) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string_view::npos || equals + 1 >= tag.size()) damaged();
    const char quote = tag[equals + 1];
    const std::size_t last = quote == '"' || quote == '\'' ? tag.find(quote, equals + 2) : std::string_view::npos;
    if (last == std::string_view::npos) damaged();
    attributes_[std::string(trim_lines(tag.substr(0, equals)))] =
        without_entities(tag.substr(equals + 2, last - equals - 2));
    tag.remove_prefix(last + 1);
  }
}

}  // namespace simreel
