#include "exec/communicator.h"

#include <fmt/format.h>

#include <utility>

#include "exec/team.h"

namespace simreel {

Communicator::Communicator(std::shared_ptr<Team> team, int rank) : team_(std::move(team)), rank_(rank) {}

int Communicator::size() const { return team_ ? team_->size : 1; }

void Communicator::broadcast(void* data, std::size_t bytes) const {
  if (team_) team_->broadcast(rank_, data, bytes);
}

void Communicator::broadcast(std::string& text) const {
  std::size_t bytes = text.size();
  broadcast(&bytes, sizeof bytes);
  text.resize(bytes);
  broadcast(text.data(), bytes);
}

std::vector<std::byte> Communicator::gather_bytes(std::span<const std::byte> mine) const {
  if (alone()) return {mine.begin(), mine.end()};
  return team_->gather(rank_, mine);
}

void Communicator::exchange(const Executor& executor, std::span<const Transfer> sends,
                            std::span<const Transfer> receives) const {
  if (team_) team_->exchange(rank_, executor, sends, receives);
}

void Communicator::join(const Executor& executor) const {
  if (team_) team_->join(rank_, executor);
}

bool Communicator::reach_first(const Executor& executor) const { return !team_ || team_->reach_first(rank_, executor); }

void Communicator::collect(const Executor& executor, std::span<const Piece> pieces, void* whole) const {
  if (team_) return team_->collect(rank_, executor, pieces, whole);
  for (const Piece& piece : pieces)
    executor.copy(static_cast<std::byte*>(whole) + piece.offset, piece.memory, piece.bytes);
}

void Communicator::meet() const {
  if (team_) team_->meet();
}

void Communicator::fail(std::exception_ptr error) const noexcept {
  if (team_) team_->fail(rank_, std::move(error));
}

Communicator::Failure Communicator::failure() const { return team_ ? team_->failure() : Failure{}; }

std::string Communicator::name_of(int rank, const std::string& host) {
  return fmt::format("rank {}{}", rank, host.empty() ? "" : fmt::format(" ({})", host));
}

void Communicator::depart(int ranks) const noexcept {
  if (team_) team_->depart(ranks);
}

}  // namespace simreel
