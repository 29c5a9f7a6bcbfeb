// The time stb_image_write takes, as it comes and on one thread, for pictures that are given as PNG files.
//   g++ -O3 -I/usr/include/stb png_stb.cpp -o png_stb && ./png_stb FILE...

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image.h>
#include <stb_image_write.h>

#include <chrono>
#include <cstdio>
#include <vector>

int main(int count, char** files) {
  double seconds = 0;
  long bytes = 0;
  for (int i = 1; i < count; ++i) {
    int width = 0, height = 0, channels = 0;
    stbi_uc* const pixels = stbi_load(files[i], &width, &height, &channels, 0);
    if (!pixels) return 1;
    const auto start = std::chrono::steady_clock::now();
    if (!stbi_write_png("png_stb.out.png", width, height, channels, pixels, width * channels)) return 1;
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    stbi_image_free(pixels);
    if (std::FILE* const written = std::fopen("png_stb.out.png", "rb")) {
      std::fseek(written, 0, SEEK_END);
      bytes += std::ftell(written);
      std::fclose(written);
    }
  }
  std::remove("png_stb.out.png");
  std::printf("%.4f %ld\n", seconds / (count - 1), bytes / (count - 1));
}
