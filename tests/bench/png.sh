#!/usr/bin/env bash
# PNG sequences of simreel beside stb_image_write as it comes, on the same pictures.
#   tests/bench/png.sh SIMREEL [SCENE...]
# Prints for each scene milliseconds and bytes a picture: simreel's on one of its threads (it uses one a core), encoding and then writing
# with fsync; stb's on its only thread, encoding and writing without.
set -euo pipefail
simreel=$(realpath "$1")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
shift
[ $# -gt 0 ] || set -- "$root"/scenes/rain.toml "$root"/scenes/ripple_tank.toml "$root"/scenes/karman.toml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ -O3 -w -I/usr/include/stb "$root/tests/bench/png_stb.cpp" -o "$folder/png_stb"
frames=40

profile() { # the number behind a key of the program's own profile
  sed -n "s/^ *\"$1\": \([0-9.e-]*\),*/\1/p" profile.json | tail -1
}

printf '%-24s %10s %10s %10s %14s %14s %14s\n' scene 'encode ms' 'write ms' 'stb ms' 'stb / encode' 'simreel bytes' 'stb bytes'
for scene in "$@"; do
  scene=$(realpath "$scene")
  (
    cd "$folder"
    rm -rf p
    "$simreel" render "$scene" -o p/%06d.png --set view.size=[1920,1080] --set animation.frames=$frames --set view.range=first \
      --progress none --json >profile.json 2>/dev/null
    bytes=$(cat p/*.png | wc -c)
    read -r stb stb_bytes < <(./png_stb p/0000[0-3]5.png)
    awk -v name="$(basename "$scene")" -v e="$(profile encode)" -v w="$(profile write)" -v n=$frames -v s="$stb" -v B="$bytes" \
      -v S="$stb_bytes" 'BEGIN { printf "%-24s %10.2f %10.2f %10.2f %14.1f %14d %14d\n", name, 1e3 * e / n, 1e3 * w / n, 1e3 * s,
                                  s * n / e, B / n, S }'
  )
done
