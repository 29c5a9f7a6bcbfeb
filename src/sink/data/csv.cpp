#include "sink/data/csv.h"

#include <fmt/format.h>

#include <atomic>

#include "files/part_file.h"

namespace simreel {
namespace {

class Csv : public Sink {
 public:
  Csv(const std::string& target, const StreamInfo& info, Opening opening)
      : file_(open_lines(target, info, 1, opening)), written_(info.resume) {
    if (info.resume == 0) header_ = fmt::format("{}\n", fmt::join(info.diagnostics, ","));
  }

  std::optional<PixelLayout> layout() const override { return std::nullopt; }
  bool wants_diagnostics() const override { return true; }

  void write(const Frame& frame) override {
    const std::string row = header_ + fmt::format("{}\n", fmt::join(frame.diagnostics, ","));
    file_->add(row.data(), row.size(), written_);
    header_.clear();
    ++written_;
  }

  void finish() override {
    if (written_ > 0) file_->commit();
  }

  std::int64_t safe_frames() const override { return written_; }
  void sync() const override { file_->sync(); }

 private:
  std::unique_ptr<PartFile> file_;
  std::string header_;  // still to be written
  std::atomic<std::int64_t> written_;
};

}  // namespace

std::unique_ptr<Sink> open_csv(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return std::make_unique<Csv>(target, info, opening);
}

}  // namespace simreel
