#!/usr/bin/env bash
# On a host with several GPUs, in an unpacked bundle: the bits and the speed of runs on all of them, as threads and as processes.
#   ./check_gpus.sh RESULTS [PART...]   writes what each part printed into that folder, and a summary to stdout; exit 1 if anything failed;
#                                       parts: tests hashes resumes failures speed drawing whole, all of them by default
# Processes need mpirun. $WAYS chooses how `hashes` divides its runs, a regular expression: 'threads4|host' (see `ways`).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
results=${1:?"usage: ./check_gpus.sh RESULTS [PART...]"}
shift
parts=("$@")
[ $# -gt 0 ] || parts=(tests hashes resumes failures speed drawing whole)
mkdir -p "$results"
results=$(cd "$results" && pwd)
. ./parts.sh

gpus=$(nvidia-smi -L | wc -l)
[ "$gpus" -ge 2 ] || { echo "check_gpus.sh: this host has $gpus GPUs, and two at least are needed" >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=${TMPDIR:-/tmp}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export folder gpus

# first N: "0,1,2" for the first N GPUs
first() { seq -s, 0 $(($1 - 1)); }
counts() { for n in 2 3 4 8; do [ "$n" -gt "$gpus" ] || echo "$n"; done; }

# How a run is divided, a line each: a name, what stands in front of the program, and its options.
ways() { all_ways | grep -E "^(${WAYS:-.*})[|]"; }
all_ways() {
  local n
  for n in $(counts); do
    echo "threads$n||--devices $(first "$n")"
    command -v mpirun >/dev/null && echo "host$n|mpirun --quiet -n $n|"
  done
}

# render_by WAY SCENE ARGUMENT...: a run that is divided in this way; `cpu` is none, it is that of the CPU.
render_by() {
  local way=$1 scene=$2 front="" options="--backend cpu --threads 8"
  shift 2
  if [ "$way" != cpu ]; then
    IFS='|' read -r _ front options < <(all_ways | grep "^$way|") || return
    options="--backend cuda $options"
  fi
  # shellcheck disable=SC2086
  timeout 100 env $front bin/simreel render "$scene" $options --progress none "$@" </dev/null
}

# compare_ways SCENE: whether each way gives the hashes and the table of the CPU. What is too small for so many ranks says so itself.
compare_ways() {
  local scene=$1 name out way
  name=$(basename "$scene" .toml)
  out=$folder/$name
  mkdir -p "$out"
  # by WAY
  by() { render_by "$1" "$scene" --frames 3 --checkpoint-every off -o "$out/$1.hashes" -o "$out/$1.csv" >"$out/$1.txt" 2>&1; }
  by cpu || { echo "$name cpu: FAILED: $(tail -n 1 "$out/cpu.txt")" && return; }
  while IFS='|' read -r way _; do
    if ! by "$way"; then
      if grep -q 'runs\? on . ranks\? at most' "$out/$way.txt"; then
        echo "$name $way: too small"
      else
        echo "$name $way: FAILED: $(tail -n 2 "$out/$way.txt")"
      fi
    elif cmp -s "$out/cpu.hashes" "$out/$way.hashes" && cmp -s "$out/cpu.csv" "$out/$way.csv"; then
      echo "$name $way: same"
    else
      echo "$name $way: DIFFERENT"
    fi
  done < <(ways)
}
export -f render_by compare_ways ways all_ways counts first

hashes() {
  printf '%s\n' tests/golden/*.toml scenes/*.toml | xargs -P $((($(nproc) + 5) / 6)) -I{} bash -c 'compare_ways {}' | tee "$folder/hashes.txt"
  sed 's/^[^ ]* //; s/FAILED.*/FAILED/' "$folder/hashes.txt" | sort | uniq -c
  grep -q same "$folder/hashes.txt" && ! grep -q 'FAILED\|DIFFERENT' "$folder/hashes.txt"
}

# resume_ways SCENE: whether runs that one way saved and another went on with have the bytes of one run on the CPU.
resume_ways() {
  local scene=$1 name out from to
  name=$(basename "$scene" .toml)
  # by WAY FRAMES ARGUMENT...
  by() {
    local way=$1 frames=$2
    shift 2
    render_by "$way" "$scene" --frames "$frames" --keep-checkpoint "$@" -o "$out.hashes" -o "$out.csv" -o "$out.mp4" >>"$out.txt" 2>&1
  }
  out=$folder/$name.whole
  by cpu 6 || { echo "$name cpu: FAILED: $(tail -n 1 "$out.txt")" && return; }
  while read -r from to; do
    out=$folder/$name.$from.$to
    if ! by "$from" 3 || ! by "$to" 6 --resume; then
      echo "$name $from, then $to: FAILED: $(tail -n 2 "$out.txt")"
    elif cmp -s "$out.hashes" "$folder/$name.whole.hashes" && cmp -s "$out.csv" "$folder/$name.whole.csv" &&
      cmp -s "$out.mp4" "$folder/$name.whole.mp4"; then
      echo "$name $from, then $to: same"
    else
      echo "$name $from, then $to: DIFFERENT"
    fi
  done < <(resumed_ways)
}
# What saves and what goes on: each kind of processes on all GPUs, on fewer, and the CPU.
resumed_ways() {
  local most
  most=$(counts | tail -n 1)
  echo "threads$most cpu"
  command -v mpirun >/dev/null || return 0
  printf '%s\n' "host$most cpu" "cpu host2" "threads$most host2"
}

export -f resume_ways resumed_ways

resumes() {
  printf '%s.toml\n' tests/golden/{wave_absorbing,light_pixels} scenes/{karman,shear_layer} |
    xargs -P 4 -I{} bash -c 'resume_ways {}' | tee "$folder/resumes.txt"
  ! grep -q 'FAILED\|DIFFERENT' "$folder/resumes.txt"
}

# fails NAME CODE SIGNAL RANK COMMAND...: the run gets the signal after two seconds of frames, and all ends within five with that code.
fails() {
  local name=$1 code=$2 signal=$3 victim=$4 start got pid
  shift 4
  "$@" --progress none --overwrite -o "$folder/$name.mp4" -o "$folder/$name.csv" >"$folder/$name.txt" 2>&1 &
  pid=$!
  for _ in $(seq 200); do [ -s "$folder/$name.csv.part" ] && break; sleep 0.1; done
  sleep 2
  if [ "$victim" = self ]; then kill "-$signal" $pid; else kill "-$signal" "$(pgrep -f "simreel render.*$name.mp4" | sed -n "$((victim + 1))p")"; fi
  start=$(date +%s%N)
  wait $pid
  got=$?
  echo "$name: exit $got after $((($(date +%s%N) - start) / 1000000)) ms: $(tail -n 1 "$folder/$name.txt")"
  [ "$got" = "$code" ]
}
failures() {
  local long="scenes/rain.toml --backend cuda --set solver.grid=[4096,4096] --set animation.frames=1000000" bad=0
  fails term_threads 143 TERM self bin/simreel render $long --devices "$(first "$gpus")" || bad=1
  command -v mpirun >/dev/null || return $bad
  fails term_processes 143 TERM 2 mpirun --quiet -n "$gpus" bin/simreel render $long || bad=1
  fails kill_processes 137 KILL 2 mpirun --quiet -n "$gpus" bin/simreel render $long || bad=1
  return $bad
}

tests() { SIMREEL_ROOT=$PWD bin/kernel_tests --gtest_brief=1 --gtest_filter='*OnAGpu*:*Gpus*:Communicator*:Ranked*:Divided*'; }

# A grid of noise, for what is measured: zeros move faster than data.
wave=(scenes/droplets.toml --kernels tiled --set solver.initial=noise --set 'solver.droplet=[]' --set solver.rain.rate=0)
flow=(tests/data/lbm_channel.toml --kernels fused)
cylinder=(--set 'solver.obstacle=[{center=[500,500],radius=100.0}]')
bodies=(scenes/plummer.toml --kernels symmetric --precisions exact --set solver.softening=0.01)

powers() { counts | grep -v 3; }
# bench ARGUMENT...: on one GPU, on several, and by processes
bench() {
  local n
  bin/simreel bench "$@" --backend cuda --device 0 --csv | tail -n +2 | sed 's/^/one /'
  for n in $(powers); do
    bin/simreel bench "$@" --backend cuda --devices "$(first "$n")" --csv | tail -n +2 | sed "s/^/threads$n /"
  done
  command -v mpirun >/dev/null || return 0
  n=$(powers | tail -n 1)
  timeout 100 mpirun --quiet -n "$n" bin/simreel bench "$@" --backend cuda --csv | tail -n +2 | sed "s/^/host$n /"
}
# weak N DEVICES NAME
weak() {
  bin/simreel bench "${wave[@]}" --grids "16384x$((16384 * $1))" --backend cuda --devices "$2" --csv | tail -n 1 | sed "s/^/$3 /"
  bin/simreel bench "${flow[@]}" --grids "8192x$((8192 * $1))" --backend cuda --devices "$2" --csv | tail -n 1 | sed "s/^/$3 /"
}
# short NAME DEVICES STEPS GRID ARGUMENT...: a flow for so many steps, a tenth of a second, before a GPU reaches its limit of power.
short() {
  bin/simreel bench "${flow[@]}" "${@:5}" --grids "$4" --backend cuda --devices "$2" --runs 1 --steps "$3" --csv | tail -n 1 | sed "s/^/$1 /"
  sleep 0.5
}
speed() {
  local n
  for n in 2048 4096 16384; do bench "${wave[@]}" --grids "$n"; done
  for n in 2048 8192; do bench "${flow[@]}" --grids "$n" "${cylinder[@]}"; done
  bench "${flow[@]}" --grids 8192
  bench "${flow[@]}" --grids 8192 --precisions half
  bench "${bodies[@]}" --bodies 16384,65536,262144,1048576
  # A grid that grows with the GPUs, which are as fast as the slowest one: each of them alone, at the size of its part. The times of
  # GPUs that have been idle differ from those of the same ones a few seconds later, so all is done twice.
  for _ in 1 2; do
    for n in $(seq 0 $((gpus - 1))); do weak 1 "$n" "alone$n"; done
    for n in $(powers); do weak "$n" "$(first "$n")" "weak$n"; done
    for n in 1 $(powers); do
      short "short$n" "$(first "$n")" $((150 * n)) 8192 "${cylinder[@]}"
      short "shortweak$n" "$(first "$n")" 150 "8192x$((8192 * n))"
    done
  done
}

# What a frame of 1080p takes: the stages of a run that draws all steps.
drawing() {
  local scene device
  for scene in "scenes/droplets.toml --set solver.grid=[8192,8192]" "tests/data/lbm_channel.toml --set solver.grid=[8192,8192]"; do
    for device in "--device 0" "--devices $(first "$gpus")"; do
      echo "== $scene $device"
      bin/simreel render $scene $device --backend cuda --profile --progress none --overwrite --set view.size=[1920,1080] --set view.range=[-1,1] \
        --set animation.steps_per_frame=1 --frames 200 --checkpoint-every off -o "$folder/a.hashes" || return 1
    done
  done
}

# Whole runs at full size, on one GPU and on all: a wave of 32768 x 16384 cells and four million bodies, as 4K videos. Then where the time goes.
whole() {
  local devices size=(--set 'view.size=[3840,2160]' --set output.codec=h264_fast --checkpoint-every off --progress none --overwrite)
  local sea=(scenes/rain.toml "${size[@]}" --set 'solver.grid=[32768,16384]' --set solver.damping=0.0005 --set solver.rain.radius=200
    --set solver.rain.rate=0.1 --set animation.start=0 --set animation.steps_per_frame=40)
  local cluster=(scenes/plummer.toml "${size[@]}" --set solver.bodies=4000000 --set solver.method=tree --set view.radius=0.002)
  for devices in 0 "$(first "$gpus")"; do
    echo "== GPUs $devices"
    bin/simreel render "${sea[@]}" --devices "$devices" --frames 240 -o "$folder/large.mp4" -o "$results/large.png" || return 1
    bin/simreel render "${cluster[@]}" --devices "$devices" --frames 60 -o "$folder/bodies.mp4" -o "$results/bodies.png" || return 1
    ls -l "$folder"/*.mp4
    bin/simreel render "${sea[@]}" --devices "$devices" --frames 60 --profile -o "$folder/large.mp4" || return 1
    bin/simreel render "${cluster[@]}" --devices "$devices" --frames 20 --profile -o "$folder/bodies.mp4" || return 1
  done
}

bin/simreel info | grep '^gpu'
nvidia-smi topo -m 2>/dev/null | head -n $((gpus + 1))
for name in "${parts[@]}"; do
  case $name in
    tests | hashes | resumes | failures | speed | drawing | whole) part "$name" "$name" ;;
    *) echo "check_gpus.sh: no part is called $name" >&2 && exit 2 ;;
  esac
done
exit $failures
