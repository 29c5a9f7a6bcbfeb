#include "source/source.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace simreel {

std::optional<std::size_t> find_field(std::span<const FieldInfo> fields, std::string_view name) {
  if (name.empty()) return 0;
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

std::string field_choices(std::span<const FieldInfo> fields, std::string_view name) {
  std::vector<std::string_view> names;
  for (const FieldInfo& field : fields) names.push_back(field.name);
  return choices(name, names);
}

std::size_t Source::field_index(std::string_view field) const {
  if (const std::optional<std::size_t> index = find_field(fields(), field)) return *index;
  throw UsageError("there is no field \"{}\"; choose from: {}", field, field_choices(fields(), field));
}

}  // namespace simreel
