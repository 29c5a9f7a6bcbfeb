// MPI as a module of its own: exec/mpi_module.h says why. Needs no other file of simreel.

#include "exec/mpi_module.h"

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace {

// MPI counts in int, so longer messages are cut.
constexpr std::size_t longest = std::size_t{1} << 30;

struct Request {
  std::vector<MPI_Request> parts;
};

MPI_Comm data = MPI_COMM_NULL, talk = MPI_COMM_NULL;
int rank = 0, size = 1, local_rank = 0, local_size = 1;
char host[MPI_MAX_PROCESSOR_NAME + 1] = "";

// begin(offset, count, request) for each part of so many bytes; an empty message has none.
template <class Begin>
void* in_parts(std::size_t bytes, const Begin& begin) {
  auto* const request = new Request;
  for (std::size_t at = 0; at < bytes; at += longest)
    begin(at, static_cast<int>(std::min(longest, bytes - at)), &request->parts.emplace_back(MPI_REQUEST_NULL));
  return request;
}

void* send(const void* from, std::size_t bytes, int to) {
  return in_parts(bytes, [=](std::size_t at, int count, MPI_Request* request) {
    MPI_Isend(static_cast<const std::byte*>(from) + at, count, MPI_BYTE, to, 0, data, request);
  });
}
void* receive(void* to, std::size_t bytes, int from) {
  return in_parts(bytes, [=](std::size_t at, int count, MPI_Request* request) {
    MPI_Irecv(static_cast<std::byte*>(to) + at, count, MPI_BYTE, from, 0, data, request);
  });
}
void* broadcast(void* memory, std::size_t bytes) {
  return in_parts(bytes, [=](std::size_t at, int count, MPI_Request* request) {
    MPI_Ibcast(static_cast<std::byte*>(memory) + at, count, MPI_BYTE, 0, data, request);
  });
}
void* gather(const void* mine, std::size_t bytes, void* all) {
  auto* const request = new Request{{MPI_REQUEST_NULL}};
  const int count = static_cast<int>(bytes);
  MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, data, request->parts.data());
  return request;
}
void* barrier() {
  auto* const request = new Request{{MPI_REQUEST_NULL}};
  MPI_Ibarrier(data, request->parts.data());
  return request;
}
int done(void* pending) {
  auto* const request = static_cast<Request*>(pending);
  int all = 0;
  MPI_Testall(static_cast<int>(request->parts.size()), request->parts.data(), &all, MPI_STATUSES_IGNORE);
  if (all != 0) delete request;
  return all;
}

// Short enough to leave at once, without waiting for the receiver.
void tell(const char* text, std::size_t bytes, int to) {
  MPI_Request request = MPI_REQUEST_NULL;
  auto* const kept = new std::vector<char>(text, text + bytes);  // for as long as the process lives: it may leave late
  MPI_Isend(kept->data(), static_cast<int>(bytes), MPI_CHAR, to, 0, talk, &request);
  MPI_Request_free(&request);
}
long hear(char* text, std::size_t capacity, int* from) {
  int waiting = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, talk, &waiting, &status);
  if (waiting == 0) return -1;
  int bytes = 0;
  MPI_Get_count(&status, MPI_CHAR, &bytes);
  std::vector<char> whole(static_cast<std::size_t>(bytes));
  MPI_Recv(whole.data(), bytes, MPI_CHAR, status.MPI_SOURCE, 0, talk, MPI_STATUS_IGNORE);
  *from = status.MPI_SOURCE;
  const std::size_t kept = std::min(capacity, whole.size());
  std::copy_n(whole.data(), kept, text);
  return static_cast<long>(kept);
}

void end() { MPI_Finalize(); }
void abort_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

SimreelMpi table = {};

}  // namespace

extern "C" const SimreelMpi* simreel_start_mpi() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return nullptr;
  if (provided < MPI_THREAD_FUNNELED) {  // it may not be used in a process with threads
    MPI_Finalize();
    return nullptr;
  }
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &data);
  MPI_Comm_dup(MPI_COMM_WORLD, &talk);
  MPI_Comm_rank(data, &rank);
  MPI_Comm_size(data, &size);
  MPI_Comm_split_type(data, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
  MPI_Comm_rank(local, &local_rank);
  MPI_Comm_size(local, &local_size);
  MPI_Comm_free(&local);
  int length = 0;
  MPI_Get_processor_name(host, &length);
  table = {simreel_mpi_version, rank,   size,    local_rank, local_size, host, send, receive,
           broadcast,           gather, barrier, done,       tell,       hear, end,  abort_all};
  return &table;
}
