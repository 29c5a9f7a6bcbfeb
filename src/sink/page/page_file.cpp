#include "sink/page/page_file.h"

#include "base/error.h"
#include "base/escape.h"
#include "files/pattern.h"

namespace simreel {
namespace {

std::string picture_of(const std::string& target) {
  return target.substr(0, target.size() - extension_of(target).size()) + "-picture.png";
}

}  // namespace

bool is_page_extension(const std::string& extension) {
  return extension == ".tex" || group_document(extension) != nullptr;
}

PageFile::PageFile(const std::string& target, bool overwrite, Opening opening) : file_(target, overwrite, opening) {
  if (extension_of(target) != ".tex") return;
  picture_.emplace(picture_of(target), overwrite, opening);
  // The text has the name of the picture, and the scene may have given it.
  const std::string name = picture_->target().filename().string();
  if (name.find_first_of("\\{}%#$&~^\n\t") != std::string::npos || printable(name) != name)
    throw UsageError("{}: LaTeX takes no picture whose name has \\ {{ }} % # $ & ~ ^ or a control character; rename it",
                     target);
}

void PageFile::write(const PageGroup& group, const PageFacts& facts) {
  const std::string target = file_.target().string();
  if (!picture_) return file_.write(group_document(extension_of(target))(group, facts));
  const TexPage page = tex_of(group, facts, picture_->target().filename().string());
  has_picture_ = !page.picture.empty();
  picture_->write(page.picture);
  file_.write(page.text);
}

void PageFile::commit() {
  if (picture_ && has_picture_) picture_->commit();
  file_.commit();
}

}  // namespace simreel
