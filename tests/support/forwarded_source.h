#pragma once
// A source that does what another one does, but for `stop_when`, for tests that change or watch one of its functions.

#include "source/source.h"

#include "tests/support/test.h"

namespace simreel::test {

class ForwardedSource : public Source {
 public:
  explicit ForwardedSource(std::unique_ptr<Source> source) : source_(std::move(source)) {}

  std::optional<std::int64_t> frames() const override { return source_->frames(); }
  std::int64_t work_to(std::int64_t frame) const override { return source_->work_to(frame); }
  void advance_towards(std::int64_t frame) override { source_->advance_towards(frame); }
  std::int64_t steps_done() const override { return source_->steps_done(); }
  double time() const override { return source_->time(); }
  std::span<const FieldInfo> fields() const override { return source_->fields(); }
  View view(std::string_view field) override { return source_->view(field); }
  DividedFields* divided() override { return source_->divided(); }
  const Color* picture() override { return source_->picture(); }
  std::vector<double> diagnose() override { return source_->diagnose(); }
  bool finite() override { return source_->finite(); }
  std::string divergence() override { return source_->divergence(); }
  std::vector<std::string> findings() override { return source_->findings(); }
  bool saves_state() const override { return source_->saves_state(); }
  bool resumable() const override { return source_->resumable(); }
  void save(Checkpoint& checkpoint) const override { source_->save(checkpoint); }
  void load(const Checkpoint& checkpoint) override { source_->load(checkpoint); }
  SavedPieces* pieces() override { return source_->pieces(); }

 private:
  std::unique_ptr<Source> source_;
};

}  // namespace simreel::test
