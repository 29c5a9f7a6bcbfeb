#!/usr/bin/env bash
# same_glyphs.sh: compiles the rasteriser of labels with every compiler found here, optimised as floating-point
# results bear it least, and compares the hashes of all glyphs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
expected=$(sed -n 's/.*glyph_hash(), 0x\([0-9a-f]*\)u.*/\1/p' tests/figure/text_test.cpp)
count=0
cmake "-Dfiles=$(printf '%s\n' src/figure/fonts/*.ttf | paste -sd ';')" "-Doutput=$folder/fonts.cpp" -Dfunction=embedded_fonts -Dheader=figure/font.h -Dtype=EmbeddedFont \
  -P cmake/embed.cmake
c++ -std=c++20 -Isrc -c "$folder/fonts.cpp" -o "$folder/fonts.o"  # numbers only, and slow to compile
check() {
  "$@" -std=c++20 -I. -Isrc src/figure/font.cpp src/figure/path.cpp "$folder/fonts.o" tests/figure/glyph_bits.cpp -o "$folder/bits"
  found=$("$folder/bits")
  echo "$found  $*"
  count=$((count + 1))
  [ "$found" = "$expected" ] || { echo "expected $expected, as text_test.cpp says" >&2; exit 1; }
}
for compiler in g++ clang++ clang++-19; do
  command -v "$compiler" >/dev/null || continue
  check "$compiler" -O3 -march=native -ffast-math
done
[ "$count" -ge 1 ]
