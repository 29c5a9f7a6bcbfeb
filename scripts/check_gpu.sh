#!/usr/bin/env bash
# On a GPU host, in an unpacked bundle: tests, frame hashes of every scene on GPU and CPU, sanitizer, benchmarks.
#   ./check_gpu.sh RESULTS [PART...]   writes what each part printed into that folder, and a summary to stdout; exit 1 if anything
#                                      failed; parts: tests hashes benchmarks memcheck racecheck profiles, all of them by default
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
results=${1:?"usage: ./check_gpu.sh RESULTS [PART...]"}
shift
parts=("$@")
[ $# -gt 0 ] || parts=(tests hashes benchmarks memcheck racecheck profiles)
mkdir -p "$results"
. ./parts.sh

# compare_backends SCENE: whether the whole scene has the same hashes on both backends.
compare_backends() {
  local scene=$1 out backend
  out=$folder/$(echo "$scene" | tr / _)
  for backend in cuda cpu; do
    if ! bin/simreel render "$scene" --backend $backend --threads 4 --progress none -o "$out.$backend.hashes" >"$out.txt" 2>&1; then
      echo "$scene: FAILED on $backend: $(tail -n 1 "$out.txt")"
      return
    fi
  done
  if cmp -s "$out.cuda.hashes" "$out.cpu.hashes"; then
    printf '%-40s %5d frames, same hashes: %s\n' "$scene" "$(wc -l <"$out.cuda.hashes")" "$(md5sum <"$out.cuda.hashes" | cut -c1-16)"
  else
    echo "$scene: DIFFERENT"
  fi
}
export -f compare_backends

same_hashes() {
  folder=$(mktemp -d)
  export folder
  printf '%s\n' scenes/*.toml tests/golden/*.toml | xargs -P $((($(nproc) + 3) / 4)) -I{} bash -c 'compare_backends {}' | tee "$folder/all.txt"
  grep -q 'same hashes' "$folder/all.txt" && ! grep -q 'FAILED\|DIFFERENT' "$folder/all.txt"
  local good=$?
  rm -r "$folder"
  return $good
}

# A grid of noise, for what is measured: zeros move faster than data.
noise() { echo --set "solver.grid=[$1,$1]" --set solver.initial=noise --set solver.droplet=[] --set solver.rain.rate=0; }

# The small goldens, and grids large enough for the large tiles.
sanitize() {
  local scene override check=(compute-sanitizer --tool "$1" --error-exitcode 99 bin/simreel)
  for scene in tests/golden/*.toml; do
    echo "$scene"
    "${check[@]}" render "$scene" --backend cuda --progress none -o "$results/sanitized.hashes" --overwrite || return 1
  done
  echo "lattice Boltzmann, 1500 x 1100"
  "${check[@]}" bench tests/data/lbm_channel.toml --backend cuda --kernels fused --steps 4 --runs 1 --set solver.grid=[1500,1100] \
    --set 'solver.obstacle=[{radius=90.0}]' || return 1
  for override in kernel=naive kernel=tiled kernel=symmetric; do
    for precision in exact fast double; do
      [ "$override $precision" != "kernel=symmetric double" ] || continue
      echo "700 bodies, $override, $precision"
      "${check[@]}" bench scenes/plummer.toml --backend cuda --bodies 700 --steps 3 --runs 1 --set "solver.$override" \
        --set "solver.precision=$precision" --set solver.integrator=rk4 || return 1
    done
  done
  for override in precision=float precision=double boundary=absorbing; do
    echo "2051 x 2051, $override"
    "${check[@]}" bench scenes/droplets.toml --backend cuda --kernels tiled --steps 13 --runs 1 $(noise 2051) --set "solver.$override" || return 1
  done
}

benchmarks() {
  local side override
  for side in 512 4096 16384; do
    echo "== $side x $side, float"
    bin/simreel bench scenes/droplets.toml --backend cuda --kernels naive,tiled $(noise $side) || return 1
  done
  for override in precision=double boundary=absorbing; do
    echo "== 4096 x 4096, $override"
    bin/simreel bench scenes/droplets.toml --backend cuda --kernels naive,tiled $(noise 4096) --set "solver.$override" || return 1
  done
  for precision in float double half; do
    echo "== lattice Boltzmann, 8192 x 8192, $precision, walls and obstacles"
    bin/simreel bench tests/data/lbm_channel.toml --backend cuda --kernels single,fused --set "solver.precision=$precision" || return 1
  done
  echo "== N-body"
  bin/simreel bench scenes/plummer.toml --backend cuda --bodies 1024,16384,65536,262144 --kernels symmetric \
    --precisions exact,fast --set solver.softening=0.01 || return 1
  bin/simreel bench scenes/plummer.toml --backend cuda --bodies 16384,65536 --kernels naive,tiled --precisions exact,fast,double || return 1
  bin/simreel bench scenes/cube_damped.toml --backend cuda --bodies 16384 --kernels naive,tiled --precisions fast \
    --tiles 8,16,32,64,128,256,512,1024 || return 1
  for tile in 0 4 8 10 16 32; do
    echo "== lattice Boltzmann, Poiseuille flow 4096 x 4096 in double, one pass a step against split with tile $tile"
    bin/simreel bench scenes/poiseuille.toml --backend cuda --kernels single,split --set solver.grid=[4096,4096] \
      --set solver.force=[1e-10,0] --set "solver.tile=$tile" || return 1
  done
}

profiles() {
  bin/simreel render scenes/droplets.toml --backend cuda --profile --progress none -o "$results/droplets.mp4" --overwrite &&
    bin/simreel render scenes/droplets.toml --backend cuda --profile --progress none -o "$results/profiled.hashes" --overwrite &&
    bin/simreel render scenes/droplets.toml --backend cpu --profile --progress none -o "$results/profiled.hashes" --overwrite &&
    bin/simreel render scenes/droplets.toml --backend cuda --profile --progress none -o "$results/profiled.hashes" --overwrite --set solver.grid=[16384,9216] --set animation.frames=60
}

bin/simreel info
for name in "${parts[@]}"; do
  case $name in
    tests) part tests ./run_tests.sh ;;
    hashes) part hashes same_hashes ;;
    benchmarks) part benchmarks benchmarks ;;
    memcheck | racecheck) part "$name" sanitize "$name" ;;
    profiles) part profiles profiles ;;
    *) echo "check_gpu.sh: no part is called $name" >&2 && exit 2 ;;
  esac
done
for name in hashes benchmarks; do
  [ ! -f "$results/$name.txt" ] || grep -v '^info' "$results/$name.txt"
done
[ ! -f "$results/tests.txt" ] || grep -hE 'PASSED|SKIPPED|FAILED' "$results/tests.txt"
exit $failures
