// Checkpoints whose blocks are spread over the files of several processes.

#include "base/error.h"
#include "checkpoint/block_file.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/piece_files.h"
#include "tests/support/places.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t count = 1000;

class PiecesTest : public testing::Test {
 protected:
  static std::vector<float> field(float first) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
  }

  // Pieces of a field: values [first, end).
  static Piece piece(std::vector<float>& values, std::size_t first, std::size_t end) {
    return {values.data() + first, first * sizeof(float), (end - first) * sizeof(float)};
  }

  // A checkpoint of two ranks: rank 0 has the middle, rank 1 both ends.
  void write(std::int64_t number, std::vector<float> values) const {
    const fs::path file = checkpoint_file(folder_, number);
    const std::vector<std::vector<Piece>> parts = {{piece(values, 300, 700)},
                                                   {piece(values, 700, count), piece(values, 0, 300)}};
    std::vector<Checkpoint> ranks(2);
    std::vector<PieceRef> refs;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      ranks[rank].save_pieces(executor_, "height", count * sizeof(float), parts[rank]);
      refs.push_back(ranks[rank].write_pieces(piece_file(file, static_cast<int>(rank))));
    }
    ranks[0].save_value("step", number);
    ranks[0].link(refs);
    Checkpoint::Block head;
    write_complete(file, ranks[0].serialize(head));
  }

  std::optional<Checkpoint> read(std::int64_t number) {
    damage_.clear();
    return Checkpoint::read(checkpoint_file(folder_, number), damage_);
  }
  fs::path file_of(std::int64_t number, int rank) const { return piece_file(checkpoint_file(folder_, number), rank); }
  void expect_damage(const fs::path& file, const std::string& reason) {
    EXPECT_FALSE(read(1).has_value()) << reason;
    EXPECT_EQ(damage_, file.string() + ": " + reason);
  }

  const Executor executor_ = Executor::cpu(2);
  const test::Folder place_;
  const fs::path folder_ = place_.path();
  std::string damage_;
};

TEST_F(PiecesTest, AreReadAsOneBlock) {
  write(1, field(5));
  const std::optional<Checkpoint> found = read(1);
  ASSERT_TRUE(found) << damage_;
  EXPECT_EQ(found->load_value<std::int64_t>("step"), 1);
  EXPECT_TRUE(found->has("height"));
  EXPECT_EQ(found->bytes(), sizeof(std::int64_t)) << "pieces stay in their files";
  EXPECT_EQ(found->load_list<float>("height"), field(5));
  // Parts of it, over the borders of ranks.
  std::vector<float> loaded(count, -1), expected(count, -1);
  const std::vector<float> whole = field(5);
  std::vector<Piece> wanted;
  for (const auto& [first, end] : {std::pair{0, 1}, {250, 310}, {400, 401}, {650, 1000}}) {
    wanted.push_back(piece(loaded, static_cast<std::size_t>(first), static_cast<std::size_t>(end)));
    std::copy(whole.begin() + first, whole.begin() + end, expected.begin() + first);
  }
  found->load_pieces(executor_, "height", count * sizeof(float), wanted);
  EXPECT_EQ(loaded, expected);
  EXPECT_THROW(found->load_pieces(executor_, "height", 4, {}), RuntimeError);
}

TEST_F(PiecesTest, AreReplacedByWhatIsSaved) {
  write(1, field(5));
  std::optional<Checkpoint> found = read(1);
  ASSERT_TRUE(found) << damage_;
  const std::vector<float> other = field(9);
  found->save("height", std::span<const float>(other));
  EXPECT_EQ(found->load_list<float>("height"), other);
  Checkpoint::Block head;
  write_complete(checkpoint_file(folder_, 2), found->serialize(head));
  const std::optional<Checkpoint> again = read(2);
  ASSERT_TRUE(again) << damage_;
  EXPECT_EQ(again->load_list<float>("height"), other) << "of one file now";
}

TEST_F(PiecesTest, AreDamagedWithTheirCheckpoint) {
  const fs::path second = file_of(1, 1);
  write(1, field(5));
  fs::resize_file(second, fs::file_size(second) - 1);
  expect_damage(second, "is cut short");

  write(1, field(5));
  {
    std::fstream file(second, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('x');
  }
  expect_damage(second, "is damaged");

  write(1, field(5));
  fs::remove(second);
  expect_damage(second, "is missing");

  // Of the same lengths, but from another moment or rank.
  write(1, field(5));
  write(2, field(6));
  fs::copy_file(file_of(2, 1), second, fs::copy_options::overwrite_existing);
  expect_damage(second, "belongs to another checkpoint");
  EXPECT_TRUE(read(2).has_value()) << damage_;
}

}  // namespace
}  // namespace simreel
