#pragma once
// Debian's chromium without a window, driven through the DevTools protocol
// (https://chromedevtools.github.io/devtools-protocol/): JSON texts on two pipes, each ended by a zero byte.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/support/places.h"

namespace simreel::test {

class Browser {
 public:
  static bool installed() { return test::installed("chromium"); }

  Browser() {
    std::array<int, 2> to{}, from{};
    if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    const std::string profile = "--user-data-dir=" + (folder_ / "profile");
    child_ = fork();
    if (child_ == 0) {
      setpgid(0, 0);
      // Numbers 3 and 4 are the protocol's; the pipes may have them already, the wrong way round.
      const int in = fcntl(to[0], F_DUPFD, 10), out = fcntl(from[1], F_DUPFD, 10), null = open("/dev/null", O_RDWR);
      dup2(in, 3);
      dup2(out, 4);
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
      execlp("chromium", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--window-size=1400,1000", "--remote-debugging-pipe",
             profile.c_str(), "about:blank", nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
    const auto target = call("Target.createTarget", {{"url", "about:blank"}});
    session_ = call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
    for (const char* domain : {"Page", "Runtime", "Log", "Network"}) call(fmt::format("{}.enable", domain));
  }
  ~Browser() {
    close(to_);
    close(from_);
    kill(-child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open_page(const std::string& url) {
    loaded_ = false;
    call("Page.navigate", {{"url", url}});
    while (!loaded_) receive();
  }

  // The value of a JavaScript expression. Throws where it throws.
  nlohmann::json evaluate(const std::string& expression) {
    const auto result =
        call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
    if (result.contains("exceptionDetails")) throw std::runtime_error(expression + ": " + result.dump());
    return result["result"].value("value", nlohmann::json());
  }

  // A PNG of the first element that a selector finds, in base64.
  std::string screenshot(const std::string& selector) {
    const auto box = evaluate(
        fmt::format("(() => {{ const b = document.querySelector({}).getBoundingClientRect();"
                    "return {{x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height, scale: 1}}; }})()",
                    nlohmann::json(selector).dump()));
    return call("Page.captureScreenshot", {{"clip", box}, {"captureBeyondViewport", true}})["data"];
  }

  // Exceptions, errors on the console, and requests for anything but the page itself and what is in it.
  const std::vector<std::string>& problems() const { return problems_; }

  nlohmann::json call(const std::string& method, nlohmann::json params = nlohmann::json::object()) {
    nlohmann::json message = {{"id", ++last_}, {"method", method}, {"params", std::move(params)}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = message.dump() + '\0';
    if (::write(to_, text.data(), text.size()) != ssize_t(text.size())) throw std::runtime_error("chromium went away");
    while (true) {
      const nlohmann::json answer = receive();
      if (answer.value("id", 0) != last_) continue;
      if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
      return answer["result"];
    }
  }

 private:
  nlohmann::json receive() {
    std::size_t end = 0;
    while ((end = buffer_.find('\0')) == std::string::npos) {
      pollfd ready{from_, POLLIN, 0};
      std::array<char, 65536> bytes{};
      if (poll(&ready, 1, 60'000) != 1) throw std::runtime_error("chromium did not answer for a minute");
      const ssize_t count = ::read(from_, bytes.data(), bytes.size());
      if (count <= 0) throw std::runtime_error("chromium went away");
      buffer_.append(bytes.data(), std::size_t(count));
    }
    const auto message = nlohmann::json::parse(buffer_.substr(0, end));
    buffer_.erase(0, end + 1);
    note(message);
    return message;
  }

  void note(const nlohmann::json& message) {
    const std::string method = message.value("method", "");
    const nlohmann::json params = message.value("params", nlohmann::json::object());
    if (method == "Page.loadEventFired") loaded_ = true;
    const bool console = method == "Runtime.consoleAPICalled" && params["type"] != "log";
    if (method == "Runtime.exceptionThrown" || method == "Log.entryAdded" || console)
      problems_.push_back(params.dump());
    if (method != "Network.requestWillBeSent") return;
    const std::string url = params["request"]["url"];
    if (!url.starts_with("file:") && !url.starts_with("data:")) problems_.push_back("asks for " + url);
  }

  Folder folder_;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1, last_ = 0;
  bool loaded_ = false;
  std::string session_, buffer_;
  std::vector<std::string> problems_;
};

}  // namespace simreel::test

// In a test that needs a browser: says so, and ends the test, where there is none.
#define SKIP_WITHOUT_BROWSER() \
  if (!simreel::test::Browser::installed()) GTEST_SKIP() << "chromium is not installed (packages-dev.txt)"
