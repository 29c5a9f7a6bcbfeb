#!/usr/bin/env bash
# Speed and size of H.264 by x264 and by h264_fast; with droplets:60:960x540 the table of docs/outputs.md.
#   tests/bench/codecs.sh SIMREEL [CLIP...]     CLIP: SCENE:FRAMES:WIDTHxHEIGHT
# Prints for each clip and codec the seconds of the whole run (the least of three, from the program's start to the closed file), frames per
# second, kilobytes per frame, and the mean PSNR (RGB, dB) and SSIM of the first 60 frames against a lossless video. "hashes only" is the
# run without a video.
set -euo pipefail
simreel=$(realpath "$1")
shift
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
[ $# -gt 0 ] || set -- droplets:600:1920x1080 karman:600:1920x1080 collision:600:1920x1080 droplets:240:3840x2160
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TIMEFORMAT=%R

render() { # output, further arguments
  "$simreel" render "$scene" -o "$1" --overwrite --frames "$count" --set "view.size=[$size]" --progress none --checkpoint-every off \
    "${@:2}" >/dev/null 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
}
least() {
  for _ in 1 2 3; do { time render "$@"; } 2>&1; done | sort -n | head -1
}
row() { # name, further arguments
  local seconds bytes quality
  count=$frames
  seconds=$(least "$folder/x.mp4" "${@:2}")
  bytes=$(stat -c %s "$folder/x.mp4")
  count=60
  render "$folder/x.mp4" "${@:2}"
  quality=$({ "$simreel" compare "$folder/lossless.mkv" "$folder/x.mp4" --json || true; } | sed '/"differing_frames"/,$!d' |
    awk '/"psnr"/ { p += $2; n++ } /"ssim"/ { s += $2 } END { printf "%8.2f %8.4f", p / n, s / n }')
  awk -v n="$1" -v s="$seconds" -v f="$frames" -v b="$bytes" -v q="$quality" \
    'BEGIN { printf "%-18s %8.2f %10.0f %10.2f %s\n", n, s, f / s, b / f / 1000, q }'
}

"$simreel" info | grep -E '^(cpu|gpu)' || true
for clip in "$@"; do
  IFS=: read -r scene frames size <<<"$clip"
  [ -f "$scene" ] || scene=$root/scenes/$scene.toml
  size=${size/x/,}
  printf '\n%s, %s frames, %s\n%-18s %8s %10s %10s %8s %8s\n' "$(basename "$scene" .toml)" "$frames" "${size/,/ x }" codec seconds frames/s kB/frame \
    PSNR SSIM
  count=60
  render "$folder/lossless.mkv" --set 'output.pixel_format="yuv420p"'
  count=$frames
  awk -v s="$(least "$folder/x.hashes")" -v f="$frames" 'BEGIN { printf "%-18s %8.2f %10.0f\n", "hashes only", s, f / s }'
  row 'h264'
  row 'h264 ultrafast' --set output.preset=ultrafast
  for quality in 20 26; do row "h264_fast, $quality" --set output.codec=h264_fast --set output.quality=$quality; done
done
