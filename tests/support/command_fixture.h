#pragma once
// Runs the program as a user does, in a folder of the test's own.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/places.h"

namespace simreel::test {

struct Outcome {
  int exit = -1;
  std::string out, err;
};

inline std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The program, or another one, at work in a folder, without a shell between, its messages in err.txt there.
class Child {
 public:
  Child(const std::string& folder, std::vector<std::string> arguments, std::string name = program().string()) {
    std::filesystem::remove(folder + "/err.txt");  // what another child wrote is not this one's
    std::vector<char*> list = {name.data()};
    for (std::string& argument : arguments) list.push_back(argument.data());
    list.push_back(nullptr);
    process_ = ::fork();
    if (process_ != 0) return;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);  // nohup and a shell's & ignore some
    if (::chdir(folder.c_str()) != 0 || !std::freopen("err.txt", "w", stderr)) ::_exit(98);
    ::execvp(name.c_str(), list.data());
    ::_exit(99);
  }
  ~Child() {
    if (!running()) return;
    send(SIGKILL);
    end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Nothing where it has ended.
  void send(int signal) const {
    if (!over_) ::kill(process_, signal);
  }
  // Signals sent from here until SIGCONT all wait together.
  void stop() {
    send(SIGSTOP);
    over_ = ::waitpid(process_, &status_, WUNTRACED) != process_ || !WIFSTOPPED(status_);
  }

  bool running() { return !over_ && !(over_ = ::waitpid(process_, &status_, WNOHANG) != 0); }

  // Waits for something that the run does, however long that takes it; false where it ends without.
  template <class Condition>
  bool reaches(const Condition& condition) {
    while (!condition()) {
      if (!running()) return condition();
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return true;
  }

  // Waits for its end: the exit code, or 1000 + the number of the signal that ended it.
  int end() {
    rusage used{};
    if (!over_ && ::wait4(process_, &status_, 0, &used) == process_) peak_kib_ = used.ru_maxrss;
    over_ = true;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + WTERMSIG(status_);
  }

  // The most memory that it had, once `end` has waited for it.
  long peak_kib() const { return peak_kib_; }

 private:
  pid_t process_ = -1;
  long peak_kib_ = 0;
  int status_ = 0;
  bool over_ = false;
};

// Give it a SetUp that writes what the program reads.
class CommandTest : public testing::Test {
 protected:
  // Runs the program in this test's folder through a shell, so that `arguments` may redirect.
  Outcome run(const std::string& arguments) {
    const std::string command =
        fmt::format("cd '{}' && '{}' {} >out.txt 2>err.txt </dev/null", folder_ / ".", program().string(), arguments);
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status, text_of(folder_ / "out.txt"),
            text_of(folder_ / "err.txt")};
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::uintmax_t size_of(const std::string& name) const {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(folder_ / name, error);
    return error ? 0 : size;
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_ / ".")) ++count;
    return count;
  }

  Folder folder_;
};

// With a scene of a moment in its folder.
class SmallScene : public CommandTest {
 protected:
  void SetUp() override {
    write("small.toml",
          "title = \"small\"\n[solver]\nkind = \"wave\"\ngrid = [64, 36]\ntimestep = 0.05\ndamping = "
          "0.002\n[[solver.droplet]]\n[view]\nsize = [64, 36]\nrange = [-0.07, 0.07]\ncolormap = \"viridis\"\n"
          "[animation]\nframes = 5\nsteps_per_frame = 4\n[output]\npath = \"small.mp4\"\n");
  }
};

}  // namespace simreel::test
