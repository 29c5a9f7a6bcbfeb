// The page of --live: what it shows, to whom, and that neither lookers nor attackers change or hold up the run.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <nlohmann/json.hpp>

#include "compare/picture.h"
#include "tests/support/browser.h"
#include "tests/support/command_fixture.h"

namespace simreel::test {
namespace {

// A connection to a port of this machine, or to the file of a socket.
class Client {
 public:
  explicit Client(const std::string& place) {
    sockaddr_un file{AF_UNIX, {}};
    sockaddr_in port{AF_INET, htons(std::uint16_t(std::atoi(place.c_str()))), {htonl(INADDR_LOOPBACK)}, {}};
    place.copy(file.sun_path, sizeof file.sun_path - 1);
    const bool named = place.starts_with('/');
    socket_ = ::socket(named ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::connect(socket_, named ? reinterpret_cast<sockaddr*>(&file) : reinterpret_cast<sockaddr*>(&port),
              named ? sizeof file : sizeof port);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // As much of it as the other side takes.
  void say(const std::string& text) const {
    [[maybe_unused]] const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  // All that comes until the other side ends the connection.
  std::string hear() const {
    std::string all;
    std::array<char, 65536> part{};
    for (ssize_t count = 0; (count = ::recv(socket_, part.data(), part.size(), 0)) > 0;)
      all.append(part.data(), std::size_t(count));
    return all;
  }

 private:
  int socket_ = -1;
};

std::string ask(const std::string& place, const std::string& path, const std::string& method = "GET") {
  const Client client(place);
  client.say(method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  return client.hear();
}
std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
int code_of(const std::string& answer) { return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0; }

class LiveTest : public SmallScene {
 protected:
  void SetUp() override {
    SmallScene::SetUp();
    if (run("render small.toml -o x.hashes --live=70000").err.find("no server") != std::string::npos)
      GTEST_SKIP() << "this build has no live look";
    ASSERT_EQ(::mkfifo((folder_ / "stream").c_str(), 0600), 0);
  }

  // A run that waits for `pass`, in another process.
  std::unique_ptr<Child> start(const std::string& more, int frames = 100'000) {
    const std::string command =
        fmt::format("exec '{}' render small.toml --frames {} --progress none --overwrite -o - -o x.hashes {} >stream",
                    program().string(), frames, more);
    auto child = std::make_unique<Child>(folder_ / ".", std::vector<std::string>{"-c", command}, "/bin/sh");
    stream_.open(folder_ / "stream", std::ios::binary);
    const auto said = [&] { return text_of(folder_ / "err.txt"); };
    child->reaches([&] { return said().find("from another machine") != std::string::npos; });
    const std::string text = said(), before = "http://127.0.0.1:";
    if (const auto at = text.find(before); at != std::string::npos) {
      const auto slash = text.find('/', at + before.size());
      port_ = text.substr(at + before.size(), slash - at - before.size());
      path_ = text.substr(slash, 33);
    }
    return child;
  }
  // Lets the run write so many frames more.
  void pass(int frames = 1) {
    std::string frame(64 * 36 * 3 / 2 + 6, ' ');
    for (int i = 0; i < frames && stream_; ++i) stream_.read(frame.data(), std::streamsize(frame.size()));
  }
  nlohmann::json status() const { return nlohmann::json::parse(body_of(ask(port_, path_ + "/status"))); }

  std::ifstream stream_;
  std::string port_, path_;
};

TEST_F(LiveTest, ShowsFramesOfARunWhoseBytesStayTheSame) {
  ASSERT_EQ(run("render small.toml --frames 300 -o plain.hashes -o plain.mp4 -o plain%d.png").exit, 0);
  const auto child = start("-o x.mp4 --live", 300);
  ASSERT_EQ(code_of(ask(port_, path_ + "/picture")), 204);
  std::string answer;
  for (int i = 0; i < 100 && code_of(answer) != 200; ++i) {
    pass();
    answer = ask(port_, path_ + "/picture");
  }
  ASSERT_EQ(code_of(answer), 200);
  EXPECT_EQ(code_of(ask(port_, path_ + "/picture?had=1")) % 2, 0);
  const Picture shown = decode_png(body_of(answer), "shown");
  int same = 0;
  for (int frame = 0; frame < 300; ++frame)
    same += read_picture(folder_ / fmt::format("plain{}.png", frame)).pixels == shown.pixels ? 1 : 0;
  EXPECT_EQ(same, 1);

  nlohmann::json values;
  for (int i = 0; i < 100 && (values.is_null() || values["rows"].empty()); ++i) {
    pass();
    values = nlohmann::json::parse(body_of(ask(port_, path_ + "/values")));
  }
  EXPECT_EQ(values["names"], nlohmann::json({"step", "time", "energy", "max_abs"}));
  ASSERT_FALSE(values["rows"].empty());
  EXPECT_EQ(values["rows"][0].size(), 5);
  EXPECT_EQ(values["rows"][0][0], values["rows"][0][2]);
  const auto now = status();
  EXPECT_EQ(now["title"], "small");
  EXPECT_EQ(now["total"], 300);
  EXPECT_GT(now["done"], 0);
  EXPECT_EQ(now["over"], "");
  pass(300);
  EXPECT_EQ(child->end(), 0);
  EXPECT_EQ(text_of(folder_ / "x.hashes"), text_of(folder_ / "plain.hashes"));
  EXPECT_EQ(text_of(folder_ / "x.mp4"), text_of(folder_ / "plain.mp4"));
}

TEST_F(LiveTest, IsForWhoKnowsTheAddressAndReads) {
  const auto child = start("--live");
  for (const std::string& path : {path_, path_ + "/"}) {
    const std::string page = ask(port_, path);
    EXPECT_EQ(code_of(page), 200);
    EXPECT_TRUE(says(page, "Content-Security-Policy: default-src 'none'"));
    EXPECT_EQ(page.find("{{once}}"), std::string::npos);
  }
  std::string other = path_;
  other.back() = other.back() == '0' ? '1' : '0';
  for (const std::string& path : {std::string("/"), other + "/status", path_.substr(0, 32) + "/status",
                                  path_ + "0/status", path_ + "/../status", "/%00" + path_})
    EXPECT_EQ(code_of(ask(port_, path)), 404) << path;
  for (const std::string method : {"POST", "PUT", "HEAD", "DELETE"})
    EXPECT_EQ(code_of(ask(port_, path_ + "/status", method)), 405) << method;
  const Client with_body(port_);
  with_body.say("GET " + path_ + "/status HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nabc");
  EXPECT_EQ(with_body.hear().find("\"title\""), std::string::npos);
  const Outcome second = run("render small.toml -o y.hashes --live " + port_);
  EXPECT_EQ(second.exit, 2);
  EXPECT_TRUE(says(second.err, "this port cannot be had (Address already in use)"));
  EXPECT_FALSE(exists("y.hashes"));
}

TEST_F(LiveTest, OutlivesClientsThatHangOrSendRubbish) {
  const auto child = start("--live");
  std::string noise;
  for (int i = 0; i < 40000; ++i) noise += char(i * 7919 >> 3);
  for (const std::string& rubbish :
       {noise, "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n",
        "GET " + path_ + "/status HTTP/1.1\r\n" + std::string(100'000, 'b'), std::string("\r\n\r\n\r\n")}) {
    const Client client(port_);
    client.say(rubbish);
  }
  EXPECT_EQ(status()["title"], "small");
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<Client>(port_));
    if (i % 4 == 1) clients.back()->say("GET /");
    if (i % 4 == 2)  // and never reads
      for (int j = 0; j < 20; ++j) clients.back()->say("GET " + path_ + "/ HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % 4 == 3) clients.back()->say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nabc");
    if (i % 8 == 1) clients.back().reset();
  }
  pass(200);                                                    // goes on
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // by then no more connections are taken
  child->send(SIGTERM);
  const auto asked = std::chrono::steady_clock::now();
  pass(1000);
  stream_.close();
  EXPECT_EQ(child->end(), 128 + SIGTERM);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(4));  // when silent ones are given up
  EXPECT_TRUE(says(text_of(folder_ / "err.txt"), "ended by signal 15 after"));
  EXPECT_LT(child->peak_kib(), 512 * 1024);
}

TEST_F(LiveTest, ASocketIsItsOwnersAndGoesWithTheRun) {
  const std::string file = folder_ / "s";
  {
    const auto child = start("--live unix:s");
    struct stat made {};
    ASSERT_EQ(::lstat(file.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode, S_IFSOCK | 0600);
    EXPECT_EQ(code_of(ask(file, path_ + "/status")), 200);
    const Outcome second = run("render small.toml -o y.hashes --live unix:s");
    EXPECT_EQ(second.exit, 2);
    EXPECT_EQ(second.err, "--live unix:s: there is such a file already; choose a name that nothing has\n");
    EXPECT_FALSE(exists("y.hashes"));
  }  // killed
  EXPECT_TRUE(exists("s"));
  EXPECT_EQ(run("render small.toml -o y.hashes --live unix:s").exit, 0);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(file)));
  for (const char* target : {"small.toml", "nowhere"}) {
    std::filesystem::create_symlink(target, file);
    EXPECT_EQ(run("render small.toml -o z.hashes --live unix:s").exit, 2);
    EXPECT_TRUE(std::filesystem::is_symlink(file));
    std::filesystem::remove(file);
  }
  EXPECT_FALSE(exists("nowhere"));
}

TEST_F(LiveTest, InABrowser) {
  SKIP_WITHOUT_BROWSER();
  write("small.toml", "title = \"<b>s</b>\"\n" + text_of(folder_ / "small.toml").substr(16));
  const auto child = start("--live", 300);
  Browser browser;
  browser.call("Emulation.setDeviceMetricsOverride",
               {{"width", 360}, {"height", 740}, {"deviceScaleFactor", 1}, {"mobile", true}});
  browser.open_page(fmt::format("http://127.0.0.1:{}{}/", port_, path_));
  const auto is = [&](const std::string& expression) {
    for (int i = 0; i < 80; ++i) {
      if (browser.evaluate(expression) == true) return true;
      pass();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  };
  EXPECT_TRUE(is("document.getElementById('image').naturalWidth === 64"));
  EXPECT_TRUE(is("document.querySelectorAll('polyline').length === 2"));
  EXPECT_EQ(browser.evaluate("document.getElementById('title').textContent"), "<b>s</b>");
  EXPECT_EQ(browser.evaluate("document.documentElement.scrollWidth"), 360);
  pass(300);
  EXPECT_EQ(child->end(), 0);
  EXPECT_TRUE(is("document.getElementById('state').textContent === 'finished'"));
  EXPECT_TRUE(is("document.getElementById('image').naturalWidth === 64"));
  for (const std::string& problem : browser.problems())
    EXPECT_TRUE(problem.starts_with(fmt::format("asks for http://127.0.0.1:{}{}/", port_, path_)) ||
                problem.starts_with("asks for blob:"))
        << problem;
}

}  // namespace
}  // namespace simreel::test
