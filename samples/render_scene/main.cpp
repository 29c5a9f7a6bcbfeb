// render_scene SCENE OUTPUT...: renders a scene with the installed library.

#include <cstdio>
#include <simreel/simreel.hpp>
#include <string>

int main(int argc, char** argv) {
  using namespace simreel;
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SCENE OUTPUT...\n", argv[0]);
    return 2;
  }
  api::RenderOptions options;
  options.outputs.assign(argv + 2, argv + argc);
  options.overwrite = true;
  options.log = [](api::Level, std::string_view message) {
    std::fprintf(stderr, "%s\n", std::string(message).c_str());
  };
  try {
    const api::RenderResult result = api::render(argv[1], options);
    if (!result.divergence.empty()) std::fprintf(stderr, "diverged: %s\n", result.divergence.c_str());
    std::printf("simreel %s: %lld frames in %.2f s\n", api::version(), static_cast<long long>(result.frames),
                result.seconds);
    return result.divergence.empty() ? 0 : 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
