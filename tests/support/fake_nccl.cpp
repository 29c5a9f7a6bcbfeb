// A stand-in of libnccl.so.2 that moves memory of the CPU between threads or processes of one host, through files, and
// fails as it is told. Like NCCL's communicators that do not block, its calls return at once, and what was begun goes
// on while ncclCommGetAsyncError is asked.
//
// $FAKE_NCCL = "FAILURE RANK NUMBER" makes one rank fail, in its group of that number, from 1, where that matters:
// "id", "init", "post" (ncclGroupEnd says so), "break" (the connection to another breaks),
// "stall" (never done), "hold" (stall, the next rank fails, and ncclCommAbort never returns), "exit" (the process
// dies), "slow" (ncclCommFinalize takes two seconds, and who aborts it dies).

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

enum Result { success, system_error = 2, invalid_usage = 5, remote_error = 6, in_progress = 7 };

struct Id {
  char folder[128];
};

struct Message {
  bool out = false;
  char* memory = nullptr;
  std::size_t bytes = 0;
  int peer = 0;
};

// `number` 0: whichever group.
bool told(const char* failure, int rank, int number) {
  const char* const text = std::getenv("FAKE_NCCL");
  if (!text) return false;
  std::istringstream words(text);
  std::string what;
  int at_rank = 0, at_number = 0;
  words >> what >> at_rank >> at_number;
  return what == failure && at_rank == rank && (number == 0 || at_number == number);
}

}  // namespace

struct ncclComm {
  ncclComm(int own, int count, fs::path path) : rank(own), size(count), folder(std::move(path)) {}

  int rank, size;
  fs::path folder;
  int groups = 0;
  bool connected = false, broken = false;
  std::chrono::steady_clock::time_point over = {};  // when ncclCommFinalize is done
  std::deque<Message> queue;                        // of all groups that are not done
  std::map<std::pair<int, bool>, int> passed;       // by peer and direction: messages so far

  fs::path file(const Message& message) {
    const int from = message.out ? rank : message.peer, to = message.out ? message.peer : rank;
    return folder / (std::to_string(from) + "-" + std::to_string(to) + "-" +
                     std::to_string(passed[{message.peer, message.out}]));
  }

  Result go_on() {
    if (!connected) {
      std::ofstream(folder / ("here" + std::to_string(rank)));
      for (int other = 0; other < size; ++other)
        if (!fs::exists(folder / ("here" + std::to_string(other)))) return in_progress;
      connected = true;
    }
    if (std::chrono::steady_clock::now() < over) return in_progress;
    if (groups == 0) return success;
    for (const char* failure : {"stall", "hold"})
      if (told(failure, rank, groups)) return in_progress;
    if (told("break", rank, groups)) broken = true;
    if (told("exit", rank, groups)) _exit(9);
    if (broken) return remote_error;
    // Messages of a pair in their order; those of others do not wait for them.
    std::map<std::pair<int, bool>, bool> held;
    for (auto message = queue.begin(); message != queue.end();) {
      bool& hold = held[{message->peer, message->out}];
      if (!hold && pass(*message)) {
        message = queue.erase(message);
        continue;
      }
      hold = true;
      ++message;
    }
    return queue.empty() ? success : in_progress;
  }

  bool pass(const Message& message) {
    const fs::path path = file(message);
    if (message.out) {
      std::ofstream(path.string() + ".part", std::ios::binary).write(message.memory, static_cast<long>(message.bytes));
      fs::rename(path.string() + ".part", path);
    } else {
      if (!fs::exists(path)) return false;
      // NCCL loses or mixes up messages whose two sides differ.
      if (fs::file_size(path) != message.bytes) std::abort();
      std::ifstream(path, std::ios::binary).read(message.memory, static_cast<long>(message.bytes));
      fs::remove(path);
    }
    ++passed[{message.peer, message.out}];
    return true;
  }
};

namespace {

thread_local int depth = 0;
thread_local ncclComm* grouped = nullptr;

Result give(const Message& message, ncclComm* comm) {
  if (depth == 0 || message.bytes == 0 || message.peer == comm->rank) return invalid_usage;
  grouped = comm;
  comm->queue.push_back(message);
  return success;
}

int end(ncclComm* comm) {
  delete comm;
  return success;
}

}  // namespace

extern "C" {

int simreel_nccl_of_the_host = 1;

int ncclGetVersion(int* version) {
  const char* const text = std::getenv("FAKE_NCCL_VERSION");
  *version = text ? std::atoi(text) : 22809;
  return success;
}

int ncclGetUniqueId(Id* id) {
  if (told("id", 0, 0)) return system_error;
  std::string folder = (fs::temp_directory_path() / "fake_nccl.XXXXXX").string();
  if (!mkdtemp(folder.data())) return system_error;
  std::snprintf(id->folder, sizeof id->folder, "%s", folder.c_str());
  return success;
}

int ncclCommInitRankConfig(ncclComm** comm, int size, Id id, int rank, void*) {
  if (told("init", rank, 0)) return system_error;
  *comm = new ncclComm(rank, size, id.folder);
  return in_progress;
}

int ncclGroupStart() {
  ++depth;
  return success;
}
int ncclGroupEnd() {
  --depth;
  ncclComm* const comm = grouped;
  grouped = nullptr;
  if (!comm) return success;
  ++comm->groups;
  const bool fails = told("post", comm->rank, comm->groups) || told("hold", comm->rank - 1, comm->groups);
  return fails ? system_error : in_progress;
}
int ncclSend(const void* memory, std::size_t bytes, int type, int peer, ncclComm* comm, void*) {
  if (type != 0) return invalid_usage;
  return give({true, static_cast<char*>(const_cast<void*>(memory)), bytes, peer}, comm);
}
int ncclRecv(void* memory, std::size_t bytes, int type, int peer, ncclComm* comm, void*) {
  if (type != 0) return invalid_usage;
  return give({false, static_cast<char*>(memory), bytes, peer}, comm);
}

int ncclCommGetAsyncError(ncclComm* comm, int* state) {
  *state = comm->go_on();
  return success;
}

int ncclCommFinalize(ncclComm* comm) {
  if (told("slow", comm->rank, 0)) comm->over = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  return in_progress;
}
int ncclCommDestroy(ncclComm* comm) {
  if (comm->rank == 0) fs::remove_all(comm->folder);
  return end(comm);
}
int ncclCommAbort(ncclComm* comm) {
  while (told("hold", comm->rank, comm->groups)) pause();
  if (told("slow", comm->rank, 0)) std::abort();
  return end(comm);
}

const char* ncclGetErrorString(int result) { return result == remote_error ? "remote process exited" : "system error"; }
const char* ncclGetLastError(ncclComm*) { return "the cable is out"; }
}
