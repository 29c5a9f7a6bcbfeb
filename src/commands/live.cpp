#include "commands/live.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "commands/console.h"
#include "commands/embedded_scenes.h"
#include "commands/json.h"
#include "sink/picture/png_encode.h"

namespace simreel {
namespace {

// All who connect take at most so many times these bytes and one answer, which is no larger than a picture.
constexpr unsigned max_connections = 32, seconds_idle = 5;
constexpr std::size_t connection_bytes = 16384, max_notes = 50, max_note = 2000;

std::string random_hex() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != std::ssize(bytes)) throw RuntimeError("--live: no random numbers");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// In a time that does not tell where they differ.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different = different | static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

// A socket that waits for connections, and the file that it has.
struct Listener {
  explicit Listener(const LiveOptions& options) {
    if (options.where.starts_with("unix:"))
      open_file(options.where.substr(5));
    else
      open_port(options.where, options.any_machine);
  }
  ~Listener() {
    struct stat now {};
    if (file.st_ino != 0 && lstat(path.c_str(), &now) == 0 && now.st_ino == file.st_ino && now.st_dev == file.st_dev)
      unlink(path.c_str());
  }
  Listener& operator=(Listener&&) = delete;

  int fd = -1;  // for who listens there, and closes it
  int port = 0;
  std::string path;
  struct stat file {};

 private:
  bool begins(const sockaddr* address, socklen_t size) const {
    return fd >= 0 && bind(fd, address, size) == 0 && listen(fd, SOMAXCONN) == 0;
  }

  void open_port(const std::string& where, bool any_machine) {
    const auto wanted = parse_number<std::uint16_t>(where);
    if (!wanted)
      throw UsageError(
          "--live {}: write a port from 1 to 65535, unix:PATH for a socket, or nothing for a port that is free; the "
          "scene stands before --live",
          where);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(*wanted);
    address.sin_addr.s_addr = htonl(any_machine ? INADDR_ANY : INADDR_LOOPBACK);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    const int on = 1;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!begins(plain, size) || getsockname(fd, plain, &size) != 0)
      throw UsageError("--live {}: this port cannot be had ({}); write another one, or none for one that is free",
                       where, std::strerror(errno));
    port = ntohs(address.sin_port);
  }

  void open_file(const std::string& where) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (!where.empty()) path = std::filesystem::absolute(where).string();
    if (path.empty() || path.size() >= sizeof address.sun_path)
      throw UsageError("--live unix:{}: write the path of a socket, which has 1 to {} bytes in whole", where,
                       sizeof address.sun_path - 1);
    path.copy(address.sun_path, path.size());
    const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    fchmod(fd, 0600);  // of the file too, from its first moment
    bool open = begins(plain, sizeof address);
    if (!open && errno == EADDRINUSE && is_left_over(plain, sizeof address)) {
      unlink(path.c_str());
      open = begins(plain, sizeof address);
    }
    if (!open)
      throw UsageError("--live unix:{}: {}; choose a name that nothing has", where,
                       errno == EADDRINUSE ? "there is such a file already" : std::strerror(errno));
    lstat(path.c_str(), &file);
  }

  // Whether a killed run of this user has left its socket: nothing answers there.
  bool is_left_over(const sockaddr* address, socklen_t size) const {
    struct stat there {};
    const bool own = lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode) && there.st_uid == geteuid();
    const int trial = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused = own && connect(trial, address, size) != 0 && errno == ECONNREFUSED;
    close(trial);
    errno = EADDRINUSE;
    return refused;
  }
};

class Served final : public Live {
 public:
  explicit Served(const LiveOptions& options) : options_(options), listener_(options) {
    // Threads inherit what this one has: the lowest priority, with which they take only what the run leaves of the
    // processors, and no signals.
    std::thread([this] {
      setpriority(PRIO_PROCESS, 0, 19);
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      // ITC: so it can be stopped also while it has too many connections to wait for another.
      daemon_ = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, nullptr, nullptr, &answer_of, this,
                                 MHD_OPTION_LISTEN_SOCKET, listener_.fd, MHD_OPTION_CONNECTION_LIMIT, max_connections,
                                 MHD_OPTION_CONNECTION_TIMEOUT, seconds_idle, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                 connection_bytes, MHD_OPTION_NOTIFY_COMPLETED, &completed, this,
                                 MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    }).join();
    if (!daemon_) throw UsageError("--live {}: its server does not start", options.where);
  }
  ~Served() override {
    MHD_stop_daemon(daemon_);
    if (shown_) MHD_destroy_response(shown_);
  }

  void report(const RenderProgress& progress) override {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;  // the next one follows
    if (!begun_ || progress.stage != progress_.stage) {
      begun_ = Clock::now();
      first_ = progress.done;
    }
    progress_ = progress;
  }

  void note(LogLevel level, std::string_view message) override {
    static constexpr std::array names = {"info", "warning", "error"};
    const std::lock_guard lock(mutex_);
    if (notes_.size() == max_notes) notes_.erase(0);
    notes_.push_back({{"level", names[static_cast<std::size_t>(level)]}, {"text", message.substr(0, max_note)}});
  }

  void announce() const override {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const int port = listener_.port;
    const bool file = port == 0;
    const std::string page = fmt::format(":{}/{}/", file ? 8000 : port, token_);
    const std::string machine = options_.any_machine ? host.data() : "127.0.0.1";
    say_message(LogLevel::info, "live look: " + (file ? listener_.path : "http://" + machine + page));
    const char* const login = std::getenv("SLURM_SUBMIT_HOST");
    const std::string by = login && std::string_view(login) != host.data() ? fmt::format("-J {} ", login) : "";
    const std::string there = file ? listener_.path : fmt::format("127.0.0.1:{}", port);
    say_message(LogLevel::info, fmt::format("from another machine: ssh -N -L {}:{} {}{}, then http://127.0.0.1{}",
                                            file ? 8000 : port, there, by, host.data(), page));
    if (options_.any_machine && !file)
      say_message(LogLevel::warning, "--live-any: the page and its address are not encrypted on their way");
  }

  void end(std::string_view how) override {
    std::unique_lock lock(mutex_);
    over_ = how;
    ended_ = Clock::now();
    if (Clock::now() - asked_.load() < std::chrono::seconds(2))
      told_.wait_for(lock, std::chrono::seconds(1), [this] { return told_end_; });  // the page asks more often
  }

 private:
  static MHD_Response* made(std::string text, const char* type) {
    MHD_Response* const response = MHD_create_response_from_buffer(text.size(), text.data(), MHD_RESPMEM_MUST_COPY);
    if (!response) throw std::bad_alloc();
    for (const auto& [name, value] : {std::pair("Content-Type", type),
                                      {"Cache-Control", "no-store"},
                                      {"X-Content-Type-Options", "nosniff"},
                                      {"Referrer-Policy", "no-referrer"},
                                      {"Cross-Origin-Resource-Policy", "same-origin"}})
      MHD_add_response_header(response, name, value);
    return response;
  }
  MHD_Result reply(MHD_Connection* to, unsigned code, std::string text, const char* type = "text/plain",
                   const std::string& policy = "default-src 'none'") {
    MHD_Response* const response = made(std::move(text), type);
    MHD_add_response_header(response, "Content-Security-Policy", policy.c_str());
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(response, "Allow", "GET");
    const MHD_Result result = MHD_queue_response(to, code, response);
    MHD_destroy_response(response);
    return result;
  }

  // An answer was sent, or given up.
  static void completed(void* self, MHD_Connection*, void** state, MHD_RequestTerminationCode how) {
    auto& served = *static_cast<Served*>(self);
    if (*state != &served.over_ || how != MHD_REQUEST_TERMINATED_COMPLETED_OK) return;
    const std::lock_guard lock(served.mutex_);
    served.told_end_ = true;
    served.told_.notify_all();
  }

  static MHD_Result answer_of(void* self, MHD_Connection* to, const char* url, const char* method, const char*,
                              const char*, std::size_t*, void** state) {
    const bool begins = std::exchange(*state, self) == nullptr;
    if (begins && std::string_view(method) == "GET") return MHD_YES;  // an answer now would end the connection
    try {
      return static_cast<Served*>(self)->answer(to, url, method, state);
    } catch (const std::exception&) {
      return MHD_NO;  // ends the connection
    }
  }

  MHD_Result answer(MHD_Connection* to, std::string_view url, std::string_view method, void** state) {
    if (method != "GET") return reply(to, MHD_HTTP_METHOD_NOT_ALLOWED, "This page can only be read.\n");
    const std::string_view given = url.substr(std::min<std::size_t>(url.size(), 1), token_.size());
    if (!same(given, token_)) return reply(to, MHD_HTTP_NOT_FOUND, "This is not the address that simreel has said.\n");
    const std::string_view what = url.substr(1 + token_.size());
    if (what.empty() || what == "/") return reply_page(to);
    if (what == "/status") {
      const nlohmann::ordered_json now = status();
      if (now["over"] != "") *state = &over_;  // for `completed`
      return reply_json(to, now);
    }
    if (what == "/values") return reply_json(to, {{"names", options_.diagnostics}, {"rows", rows()}});
    if (what == "/picture") return reply_picture(to);
    return reply(to, MHD_HTTP_NOT_FOUND, "There is no such thing here.\n");
  }

  MHD_Result reply_page(MHD_Connection* to) {
    const std::string once = random_hex();
    std::string text(embedded_live_page().front().text);
    for (std::size_t at = 0; (at = text.find("{{once}}", at)) != std::string::npos;) text.replace(at, 8, once);
    return reply(to, MHD_HTTP_OK, std::move(text), "text/html; charset=utf-8",
                 fmt::format("default-src 'none'; connect-src 'self'; img-src blob: data:; style-src 'nonce-{0}'; "
                             "script-src 'nonce-{0}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                             once));
  }

  MHD_Result reply_json(MHD_Connection* to, const nlohmann::ordered_json& value) {
    return reply(to, MHD_HTTP_OK, json_text(value, -1), "application/json");
  }

  nlohmann::ordered_json status() {
    asked_ = Clock::now();
    const std::lock_guard lock(mutex_);
    const double seconds =
        begun_ ? std::chrono::duration<double>((over_.empty() ? Clock::now() : ended_) - *begun_).count() : 0;
    const double rate = seconds > 0 ? static_cast<double>(progress_.done - first_) / seconds : 0;
    return {{"title", options_.title},
            {"stage", begun_ ? static_cast<int>(progress_.stage) : -1},
            {"done", progress_.done},
            {"total", progress_.total},
            {"rate", rate},
            {"over", over_},
            {"notes", notes_}};
  }

  // The last picture, unless whoever asks has it; then whether the run is over, which the page asks for less often.
  MHD_Result reply_picture(MHD_Connection* to) {
    if (const auto next = picture()) {
      if (shown_) MHD_destroy_response(shown_);  // whoever still reads it keeps it
      shown_ = made(encode_png(next->size, PixelLayout::rgb, next->rgb.data(), {}), "image/png");
      MHD_add_response_header(shown_, "X-Picture", std::to_string(++number_).c_str());
    }
    const char* const had = MHD_lookup_connection_value(to, MHD_GET_ARGUMENT_KIND, "had");
    if (!shown_ || (had && had == std::to_string(number_))) {
      const std::lock_guard lock(mutex_);
      return reply(to, over_.empty() ? MHD_HTTP_NO_CONTENT : MHD_HTTP_RESET_CONTENT, "");
    }
    return MHD_queue_response(to, MHD_HTTP_OK, shown_);
  }

  const LiveOptions options_;
  const std::string token_ = random_hex();
  Listener listener_;  // which the daemon closes; removes the file
  MHD_Daemon* daemon_ = nullptr;

  // Of the daemon's thread.
  MHD_Response* shown_ = nullptr;
  std::int64_t number_ = 0;
  std::atomic<Clock::time_point> asked_{};

  std::mutex mutex_;  // guards the rest
  RenderProgress progress_{RenderProgress::Stage::start, 0, 0};
  std::optional<Clock::time_point> begun_;
  std::int64_t first_ = 0;  // of a run that goes on
  nlohmann::ordered_json notes_ = nlohmann::ordered_json::array();
  std::string over_;
  Clock::time_point ended_;
  bool told_end_ = false;
  std::condition_variable told_;
};

}  // namespace

std::unique_ptr<Live> open_live(const LiveOptions& options) { return std::make_unique<Served>(options); }

}  // namespace simreel
