#include "base/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

namespace simreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t pointer_bytes = 1024;  // of a pointer of Git LFS, by its specification

fs::path root;  // without links; empty: everywhere. Set before threads start.

// Where links lead; a part of the name may not exist.
fs::path without_links(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path.empty() ? "." : behind_links(path), error), error);
  if (error) return fs::absolute(path, error).lexically_normal();  // as a link to itself, which cannot be opened
  return real.has_filename() ? real : real.parent_path();          // "a/" names "a"
}

bool begins_with(const fs::path& real, const fs::path& folder) {
  return std::ranges::mismatch(folder, real).in1 == folder.end();
}

}  // namespace

bool lies_below(const fs::path& file, const fs::path& folder) {
  return begins_with(without_links(file), without_links(folder));
}

fs::path behind_links(const fs::path& path) {
  std::error_code error;
  fs::path end = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(end, error)); ++links) {
    if (links == 40) return path;  // as many as Linux follows
    // The folder without links first: ".." in a link is that of the folder where the link is.
    const fs::path folder = fs::weakly_canonical(end.has_parent_path() ? end.parent_path() : ".", error);
    end = folder / fs::read_symlink(end, error);
  }
  return end;
}

void confine_to(const fs::path& folder) { root = without_links(folder); }

std::string refusal_to_write(const fs::path& path) {
  if (root.empty() || begins_with(without_links(path), root)) return "";
  return fmt::format("it lies outside of {}, where the scene is confined; --confine=DIR names a wider folder",
                     root.string());
}

std::string refusal_of_pointer(std::string_view text) {
  const bool is_pointer = text.size() <= pointer_bytes && text.starts_with("version https://git-lfs.github.com/spec/");
  return is_pointer ? "it is a pointer of Git LFS, not the file; fetch that with: git lfs pull" : "";
}

std::string refusal_to_read(const fs::path& path) {
  if (const std::string why = refusal_to_write(path); !why.empty()) return why;
  std::error_code error;
  switch (fs::status(path, error).type()) {
    case fs::file_type::fifo: return "it is a pipe, not a file";
    case fs::file_type::socket: return "it is a socket, not a file";
    case fs::file_type::character:
    case fs::file_type::block: return "it is a device, not a file";
    default: break;
  }
  const fs::path real = without_links(path);
  const bool is_of_system = std::ranges::any_of(std::array{"/proc", "/sys", "/dev"},
                                                [&](const char* folder) { return begins_with(real, folder); });
  if (is_of_system && !begins_with(real, "/dev/shm")) return "it is a file of the system";
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > pointer_bytes || error) return "";
  std::string text(pointer_bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), std::ssize(text));
  return refusal_of_pointer(std::string_view(text).substr(0, static_cast<std::size_t>(file.gcount())));
}

}  // namespace simreel
