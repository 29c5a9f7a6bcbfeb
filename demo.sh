#!/usr/bin/env bash
# From a clean clone to a video: installs what is missing, builds simreel and renders scenes/droplets.toml to out/droplets.mp4.
#   ./demo.sh [--cpu | --cuda]     builds for the GPU of this machine, or without CUDA where it has none
#   --cpu   leaves CUDA out in any case
#   --cuda  needs nvcc, but no GPU: builds for GPUs elsewhere
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

take_preset "cpu cuda" "$@"
[ $# -eq 0 ] || [ -n "$preset" ] || fail "unknown argument \"$1\"; usage: ./demo.sh [--cpu | --cuda]"

install_packages packages.txt
[ -n "$preset" ] || preset=$(preset_for_machine)
configure "$preset"
build "$preset" simreel

video=out/droplets.mp4
mkdir -p out
"build/$preset/bin/simreel" render scenes/droplets.toml --set "view.size=[1280,720]" -o "$video" --overwrite ||
  fail "rendering failed; the reason is above."

printf '\n%s: %s' "$video" "$(du -h --apparent-size "$video" | cut -f1)B"
if command -v ffprobe >/dev/null; then
  ffprobe -v error -select_streams v:0 -show_entries stream=width,height,nb_frames:format=duration -of default=nk=1:nw=1 "$video" |
    xargs printf ', %s x %s pixels, %s frames, %.1f s'
fi
printf '\n\nNext:\n'
printf '  %s\n' "ls scenes" \
  "build/$preset/bin/simreel render scenes/droplets.toml -o out/magma.png --set view.colormap=magma" \
  "build/$preset/bin/simreel --help" "./test.sh"
