#pragma once
// A page of the run for a browser, while it works: option --live. Only this machine reaches it, and only who knows the
// address, which has a secret in it.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "run/live_view.h"
#include "run/render_loop.h"

namespace simreel {

struct LiveOptions {
  std::string where;         // a port, 0 for any that is free, or "unix:PATH"
  bool any_machine = false;  // may reach the port
  std::string title = {};
  std::vector<std::string> diagnostics = {};  // names
};

class Live : public LiveView {
 public:
  virtual ~Live() = default;  // all who look are cut off

  // Any thread may call these.
  virtual void report(const RenderProgress&) = 0;
  virtual void note(LogLevel, std::string_view message) = 0;
  // Says how to reach the page.
  virtual void announce() const = 0;
  // The run is over. If a page is open, this waits until the page has learned of it, a second at most.
  virtual void end(std::string_view how) = 0;
};

// Begins to serve. Throws UsageError for a place that cannot be had, and in a build without libmicrohttpd.
std::unique_ptr<Live> open_live(const LiveOptions&);

}  // namespace simreel
