#include "exec/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/error.h"

extern char** environ;

namespace simreel {
namespace {

int checked(const char* call, int result) {
  if (result < 0) throw RuntimeError("{}: {}", call, std::generic_category().message(errno));
  return result;
}

// The call of glibc came with 2.27.
int file_in_memory(const char* name) {
  constexpr unsigned close_on_exec = 1;
  return checked("memfd_create", static_cast<int>(syscall(SYS_memfd_create, name, close_on_exec)));
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  for (std::string rest = path ? path : ""; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    const std::string program = rest.substr(0, colon) + "/" + name;
    if (program[0] == '/' && access(program.c_str(), X_OK) == 0) return program;
    rest.erase(0, colon == std::string::npos ? colon : colon + 1);
  }
  return "";
}

Child::Child(const std::vector<std::string>& command) {
  std::array<int, 2> pair{};
  // Not a pipe: writing to a pipe without a reader raises a signal.
  checked("socketpair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()));
  input_ = pair[0];
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  try {
    output_ = file_in_memory("output");
    errors_ = file_in_memory("errors");
    posix_spawn_file_actions_adddup2(&files, pair[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output_, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors_, STDERR_FILENO);
    // A terminal and Slurm signal all processes; this one still has frames to send then.
    sigset_t none, held;
    sigemptyset(&none);
    sigaddset(&none, SIGPIPE);
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, signal);
    posix_spawnattr_setsigdefault(&attributes, &none);
    posix_spawnattr_setsigmask(&attributes, &held);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (const int error = posix_spawn(&process_, words[0], &files, &attributes, words.data(), environ); error != 0) {
      process_ = -1;
      throw RuntimeError("{}: cannot be started: {}", command[0], std::generic_category().message(error));
    }
  } catch (...) {
    for (const int file : {input_, output_, errors_})
      if (file >= 0) close(file);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    close(pair[1]);
    throw;
  }
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(pair[1]);
}

Child::~Child() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    finish();
  }
  if (input_ >= 0) close(input_);
  close(output_);
  close(errors_);
}

bool Child::send(const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::send(input_, next, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    next += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Child::finish() {
  close(input_);
  input_ = -1;
  int status = 0;
  while (waitpid(process_, &status, 0) < 0)
    if (errno != EINTR) break;  // a host program may wait for all its children itself
  process_ = -1;
  lseek(output_, 0, SEEK_SET);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string Child::last_words() const {
  std::string text;
  std::array<char, 4096> part{};
  for (off_t at = 0;;) {
    const ssize_t got = pread(errors_, part.data(), part.size(), at);
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
    at += got;
  }
  const std::size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "";
  text.resize(end + 1);
  return text.substr(text.find_last_of("\r\n") + 1);
}

}  // namespace simreel
