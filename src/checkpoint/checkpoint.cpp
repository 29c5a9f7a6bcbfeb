#include "checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "checkpoint/block_file.h"
#include "files/own_file.h"

namespace simreel {
namespace {

constexpr std::string_view refs_block = "piece files";      // of a checkpoint in pieces: PieceRef of each rank
constexpr std::size_t longest_band = std::size_t{1} << 26;  // bytes that are read or sent at a time

std::vector<std::span<const std::byte>> with_head(std::span<const NamedBytes> blocks, Checkpoint::Block& head) {
  head = make_head(blocks);
  std::vector<std::span<const std::byte>> contents = {head};
  for (const NamedBytes& block : blocks) contents.push_back(block.bytes);
  return contents;
}

// Copies what bytes of a block, from `at` on, have of pieces.
void copy_band(const Executor& executor, std::span<const Piece> pieces, std::size_t at,
               std::span<const std::byte> band) {
  for (const Piece& piece : pieces) {
    const std::size_t begin = std::max(piece.offset, at), end = std::min(piece.offset + piece.bytes, at + band.size());
    if (begin < end)
      executor.copy(static_cast<std::byte*>(piece.memory) + (begin - piece.offset), band.data() + (begin - at),
                    end - begin);
  }
}

[[noreturn]] void refuse_size(std::string_view name, std::size_t found, std::size_t bytes) {
  throw RuntimeError("block \"{}\" of the checkpoint has {} bytes, not {}", name, found, bytes);
}

}  // namespace

std::string Checkpoint::load_text(std::string_view name) const {
  const std::vector<char> text = load_list<char>(name);
  return {text.begin(), text.end()};
}

void Checkpoint::nest(std::string_view prefix, Checkpoint part) {
  for (auto& [name, block] : part.blocks_)
    blocks_.insert_or_assign(fmt::format("{}{}", prefix, name), std::move(block));
}

Checkpoint Checkpoint::nested(std::string_view prefix) const {
  Checkpoint part;
  for (const auto& [name, block] : blocks_)
    if (name.starts_with(prefix)) part.blocks_.emplace(name.substr(prefix.size()), block);
  return part;
}

std::size_t Checkpoint::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, block] : blocks_) bytes += block.size();
  for (const auto& [name, own] : own_)
    for (const OwnPiece& piece : own.pieces) bytes += piece.bytes.size();
  return bytes;
}

void Checkpoint::save_pieces(const Executor& executor, std::string_view name, std::size_t bytes,
                             std::span<const Piece> pieces) {
  leave_files(name);
  remove(name);
  refs_.clear();
  auto found = own_.find(name);
  if (found == own_.end()) found = own_.emplace(name, OwnPieces()).first;
  found->second.whole = bytes;
  found->second.pieces.resize(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    OwnPiece& own = found->second.pieces[i];
    own.offset = pieces[i].offset;
    own.bytes.resize(pieces[i].bytes);
    executor.copy(own.bytes.data(), pieces[i].memory, pieces[i].bytes);
  }
}

Checkpoint Checkpoint::together(const Checkpoint* own, const Communicator& ranks) {
  Checkpoint checkpoint;
  checkpoint.ranks_ = &ranks;
  checkpoint.first_ = own;
  // The piece files, if there are some and every rank sees them.
  std::size_t count = own && own->files_ ? own->files_->refs().size() : 0;
  ranks.broadcast(&count, sizeof count);
  if (count == 0) return checkpoint;
  std::vector<PieceRef> refs = own ? own->files_->refs() : std::vector<PieceRef>(count);
  ranks.broadcast(refs.data(), count * sizeof(PieceRef));
  std::string name = own ? std::filesystem::absolute(own->files_->checkpoint()).string() : "";
  ranks.broadcast(name);
  std::string damage;
  std::optional<PieceFiles> files = PieceFiles::open(name, std::move(refs), damage);
  const char sees = files ? 1 : 0;
  if (std::ranges::count(ranks.gather(std::span(&sees, 1)), 0) == 0)
    checkpoint.files_ = std::make_shared<const PieceFiles>(std::move(*files));
  return checkpoint;
}

void Checkpoint::load_pieces(const Executor& executor, std::string_view name, std::size_t bytes,
                             std::span<const Piece> pieces) const {
  if (files_ && files_->has(name)) {
    if (files_->bytes(name) != bytes) refuse_size(name, files_->bytes(name), bytes);
    Block band;  // not received_: ranks that are threads load from one object
    for (const Piece& piece : pieces)
      for (std::size_t at = 0; at < piece.bytes; at += longest_band) {
        band.resize(std::min(longest_band, piece.bytes - at));
        files_->read(name, piece.offset + at, band);
        copy_band(executor, {&piece, 1}, piece.offset + at, band);
      }
    return;
  }
  const Checkpoint* const source = ranks_ ? first_ : this;  // null: all comes from rank 0
  const PieceFiles* const files =
      source && source->files_ && source->files_->has(name) ? source->files_.get() : nullptr;
  if (files && files->bytes(name) != bytes) refuse_size(name, files->bytes(name), bytes);
  const Block* const whole = source && !files ? &source->block(name, bytes) : nullptr;
  for (std::size_t at = 0; at < bytes; at += longest_band) {
    const std::size_t band = std::min(longest_band, bytes - at);
    if (!whole) received_.resize(band);
    if (files) files->read(name, at, received_);
    const std::byte* const from = whole ? whole->data() + at : received_.data();
    if (ranks_) ranks_->broadcast(const_cast<std::byte*>(from), band);  // rank 0's is only read
    copy_band(executor, pieces, at, {from, band});
  }
  if (!whole) received_ = Block();
}

std::vector<std::span<const std::byte>> Checkpoint::serialize(Block& head) const {
  std::vector<NamedBytes> blocks;
  for (const auto& [name, block] : blocks_) blocks.push_back({name, block});
  if (!own_.empty()) blocks.push_back({std::string(refs_block), std::as_bytes(std::span(refs_))});
  return with_head(blocks, head);
}

PieceRef Checkpoint::write_pieces(const std::filesystem::path& file) const {
  std::vector<NamedBytes> blocks;
  for (const auto& [name, own] : own_) {
    if (own.pieces.empty()) blocks.push_back({piece_name(name, 0, own.whole), {}});  // so that its length is known
    for (const OwnPiece& piece : own.pieces) blocks.push_back({piece_name(name, piece.offset, own.whole), piece.bytes});
  }
  Block head;
  const auto contents = with_head(blocks, head);
  write_complete(file, contents);
  std::uint64_t bytes = 0;
  for (const auto& part : contents) bytes += part.size();
  return {bytes, checksum_in(head)};
}

std::optional<Checkpoint> Checkpoint::read(const std::filesystem::path& file, std::string& damage) {
  const auto damaged = [&](const char* reason) {
    damage = fmt::format("{}: {}", file.string(), reason);
    return std::nullopt;
  };
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::ifstream in = open_plain(file);
  if (error || !in) return damaged("cannot be read as a plain file");
  BlockHead head;
  if (const char* const reason = read_head(in, size, head)) return damaged(reason);
  Checkpoint checkpoint;
  for (const BlockEntry& entry : head.entries) {
    Block& block = checkpoint.resized(entry.name, entry.bytes);
    if (!fill(in, block)) return damaged("is cut short");
    if (XXH3_64bits(block.data(), block.size()) != entry.checksum) return damaged("is damaged");
  }
  if (!checkpoint.has(refs_block)) return checkpoint;
  std::optional<PieceFiles> files = PieceFiles::open(file, checkpoint.load_list<PieceRef>(refs_block), damage);
  if (!files || !files->intact(damage)) return std::nullopt;
  checkpoint.remove(refs_block);
  checkpoint.files_ = std::make_shared<const PieceFiles>(std::move(*files));
  return checkpoint;
}

Checkpoint::Block& Checkpoint::resized(std::string_view name, std::size_t bytes) {
  leave_files(name);
  if (const auto own = own_.find(name); own != own_.end()) own_.erase(own);
  auto found = blocks_.find(name);
  if (found == blocks_.end()) found = blocks_.emplace(name, Block()).first;
  found->second.resize(bytes);
  return found->second;
}

const Checkpoint::Block& Checkpoint::block(std::string_view name) const {
  if (ranks_) {
    const Block* const whole = first_ ? &first_->block(name) : nullptr;
    std::size_t bytes = whole ? whole->size() : 0;
    ranks_->broadcast(&bytes, sizeof bytes);
    if (!whole) received_.resize(bytes);
    ranks_->broadcast(const_cast<std::byte*>(whole ? whole->data() : received_.data()), bytes);
    return whole ? *whole : received_;
  }
  const auto found = blocks_.find(name);
  if (found == blocks_.end() && files_ && files_->has(name)) {
    received_.resize(files_->bytes(name));
    files_->read(name, 0, received_);
    return received_;
  }
  if (found == blocks_.end()) throw RuntimeError("the checkpoint has no block \"{}\"", name);
  return found->second;
}

const Checkpoint::Block& Checkpoint::block(std::string_view name, std::size_t bytes) const {
  const Block& found = block(name);
  if (found.size() != bytes) refuse_size(name, found.size(), bytes);
  return found;
}

}  // namespace simreel
