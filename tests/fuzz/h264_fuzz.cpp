// Random small clips through the H.264 encoder and libavcodec's decoder, compared bit for bit:
//   h264_fuzz CLIPS [FIRST_SEED]
// Exits 1 at the first difference, with what makes it again. Build it with -fsanitize=address,undefined.

#include <fmt/format.h>

#include "tests/support/clips.h"
#include "tests/support/h264_decoder.h"

int main(int count, char** words) {
  using namespace simreel;
  if (count < 2) {
    fmt::print(stderr, "usage: h264_fuzz CLIPS [FIRST_SEED]\n");
    return 2;
  }
  const auto clips = static_cast<std::uint32_t>(std::atol(words[1]));
  const auto first = count > 2 ? static_cast<std::uint32_t>(std::atol(words[2])) : 0u;
  const Executor executor = Executor::cpu();
  for (std::uint32_t seed = first; seed < first + clips; ++seed) {
    const test::RandomClip clip(seed);
    if (const int wrong = test::first_wrong_picture(executor, clip); wrong >= 0) {
      fmt::print("seed {}: picture {} of clip {}, {} x {}, quality {}\n", seed, wrong, static_cast<int>(clip.clip),
                 clip.size.width, clip.size.height, clip.quality);
      return 1;
    }
    if ((seed - first) % 1000 == 999) fmt::print("{} clips\n", seed - first + 1), std::fflush(stdout);
  }
  fmt::print("{} clips, all exact\n", clips);
  return 0;
}
