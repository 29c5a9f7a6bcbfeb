// Prints the hash of all glyphs; tests/scripts/same_glyphs.sh compiles it in many ways.

#include "tests/figure/glyph_hash.h"
#include "tests/support/test.h"

int main() { std::printf("%016llx\n", static_cast<unsigned long long>(simreel::test::glyph_hash())); }
