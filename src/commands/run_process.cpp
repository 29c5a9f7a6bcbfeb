#include "commands/run_process.h"

#include <fcntl.h>
#include <signal.h>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace simreel {

RunProcess::RunProcess(const std::vector<std::string>& arguments, const OwnFile& claim) {
  const auto fail = [&](const char* call) {
    const int error = errno;
    if (said_ >= 0) ::close(said_);
    throw RuntimeError("a run cannot be started: {}: {}", call, std::generic_category().message(error));
  };
  constexpr unsigned close_on_exec = 1;
  said_ = static_cast<int>(::syscall(SYS_memfd_create, "said", close_on_exec));  // a call of glibc since 2.27
  if (said_ < 0) fail("memfd_create");
  std::vector<std::string> words = {"simreel"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) fail("fork");
  if (process_ > 0) return;
  // Between fork and exec a process of several threads may call little.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(128 + SIGTERM);  // it has died before
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(said_, STDOUT_FILENO);
  ::dup2(said_, STDERR_FILENO);
  claim.keep_in_children();
  ::execv("/proc/self/exe", list.data());
  constexpr std::string_view problem = "the program was not found under /proc/self/exe\n";
  ::_exit(::write(STDERR_FILENO, problem.data(), problem.size()) > 0 ? static_cast<int>(ExitCode::failed) : 127);
}

RunProcess::~RunProcess() {
  if (process_ > 0) {
    send(SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }
  ::close(said_);
}

void RunProcess::send(int signal) const {
  if (process_ > 0) ::kill(process_, signal);
}

std::optional<int> RunProcess::ended() {
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double RunProcess::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string RunProcess::said() const {
  constexpr off_t most = 1 << 16;
  const off_t size = ::lseek(said_, 0, SEEK_END), from = std::max<off_t>(0, size - most);
  std::string text(static_cast<std::size_t>(size - from), '\0');
  const ssize_t got = ::pread(said_, text.data(), text.size(), from);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace simreel
