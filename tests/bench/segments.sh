#!/usr/bin/env bash
# Time and size of H.264 over lengths of segments, threads of an encoder (of x264: threads, lookahead threads) and encoders.
#   tests/bench/segments.sh SIMREEL [CLIP...]     CLIP: SCENE:FRAMES:WIDTHxHEIGHT; --quick: one run each and no long clip
# Prints for each clip and setting the seconds of the run, the processor's seconds, the bytes, and both as parts of those of the first
# row (two seconds and four threads). Seconds are the least of three runs. "default" is
# what simreel does by itself.
set -euo pipefail
simreel=$(realpath "$1")
shift
runs=3
if [ "${1:-}" = --quick ]; then runs=1; shift; fi
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
if [ $# -eq 0 ]; then
  set -- droplets:480:1920x1080 karman:480:1920x1080 droplets:240:1920x1080 droplets:240:3840x2160 karman:240:3840x2160
  [ $runs -eq 1 ] || set -- "$@" droplets:1920:1920x1080
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TIMEFORMAT='%R %U %S'

measure() { # name, scene, frames, size, further arguments
  local name=$1 scene=$2 frames=$3 size=$4 least='' wall user kernel bytes processor
  shift 4
  for _ in $(seq $runs); do
    { time "$simreel" render "$scene" -o "$folder/x.mp4" --overwrite --frames "$frames" --set "view.size=[$size]" --progress none \
      --checkpoint-every off "$@" >/dev/null 2>"$folder/log"; } 2>"$folder/time" || { cat "$folder/log" >&2; exit 1; }
    read -r wall user kernel < <(tail -1 "$folder/time")
    if [ -z "$least" ] || awk "BEGIN { exit !($wall < $least) }"; then
      least=$wall
      processor=$(awk "BEGIN { print $user + $kernel }")
    fi
  done
  bytes=$(stat -c %s "$folder/x.mp4")
  [ -n "$first_bytes" ] || { first_bytes=$bytes; first_wall=$least; }
  awk -v n="$name" -v w="$least" -v p="$processor" -v b="$bytes" -v W="$first_wall" -v B="$first_bytes" \
    'BEGIN { printf "%-34s %8.2f %9.1f %11d %8.3f %8.4f\n", n, w, p, b, w / W, b / B }'
}

echo "$(nproc) cores"
for clip in "$@"; do
  IFS=: read -r scene frames size <<<"$clip"
  [ -f "$scene" ] || scene=$root/scenes/$scene.toml
  size=${size/x/,}
  first_bytes=''
  printf '\n%s, %s frames, %s\n%-34s %8s %9s %11s %8s %8s\n' "$(basename "$scene" .toml)" "$frames" "${size/,/ x }" setting seconds \
    processor bytes time size
  try() { measure "$1" "$scene" "$frames" "$size" "${@:2}"; }
  try '2 s, 4 threads' --set output.segment=2 --set output.options.x264-params=threads=4
  try 'default'
  for seconds in 1 0.6667 0.5; do try "$seconds s" --set output.segment=$seconds; done
  for threads in 8 12; do
    for seconds in 2 1; do
      try "$seconds s, $threads threads" --set output.segment=$seconds --set output.options.x264-params="threads=$threads"
    done
    try "2 s, $threads threads, 2 look ahead" --set output.segment=2 \
      --set output.options.x264-params="threads=$threads:lookahead-threads=2"
  done
  try "2 s, --encoders $(nproc)" --set output.segment=2 --encoders "$(nproc)"
done
