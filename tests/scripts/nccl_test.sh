#!/bin/bash
# nccl_test.sh SIMREEL STAND_IN: processes that exchange by NCCL, of which a stand-in moves memory of the CPU
# (support/fake_nccl.cpp): bytes, what prevents it, and what fails in the middle of an exchange.
set -u
simreel=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# What Open MPI loses lies in libraries that it unloads, so that no suppression finds it.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
mpirun --version >/dev/null 2>&1 || { echo "mpirun is not installed"; exit 77; }
[ -e "$(dirname "$simreel")/../lib/libsimreel_mpi.so" ] || { echo "this build has no MPI"; exit 77; }
folder=$(mktemp -d) && cd "$folder" || exit
export TMPDIR=$folder
trap 'rm -rf "$folder"' EXIT

cat >wave.toml <<'SCENE'
seed = 3
[solver]
kind = "wave"
grid = [150, 161]
boundary = "periodic"
[solver.rain]
rate = 2
[view]
size = [128, 96]
range = "symmetric"
[animation]
frames = 40
steps_per_frame = 7
SCENE
cat >flow.toml <<'SCENE'
[solver]
kind = "lbm"
grid = [90, 161]
velocity = 0.05
viscosity = 0.02
[solver.boundary]
left = "inlet"
right = "outlet"
[solver.tracer]
stripes = 9
[view]
field = "tracer"
size = [128, 96]
range = "first"
[animation]
frames = 20
steps_per_frame = 5
SCENE
printf '[solver]\nkind = "nbody"\nbodies = 700\nkernel = "symmetric"\n[view]\nsize = [128, 96]\n[animation]\nframes = 20\nsteps_per_frame = 9\n' >bodies.toml
printf '[solver]\nkind = "nbody"\nbodies = 3000\nmethod = "tree"\n[view]\nsize = [128, 96]\n[animation]\nframes = 4\n' >tree.toml

bad=0
fail() { echo "FAILED: $*"; cat err; bad=1; }
outputs() { echo "-o $1/a.csv -o $1/b.hashes -o $1/%03d.npz"; }
options="--backend cpu --threads 1 --progress none"
# launch CODE COUNT ARGUMENT...: a run of so many processes, which ends with this code
launch() {
  local code=$1 count=$2 got
  shift 2
  timeout 30 mpirun --quiet -n "$count" "$simreel" "$@" >out 2>err
  got=$?
  [ "$got" = "$code" ] || fail "exit code $got, not $code: $*"
}
says() { grep -q -- "$1" err || fail "it does not say: $1"; }

for scene in wave flow bodies tree; do
  "$simreel" render $scene.toml $options $(outputs $scene) >out 2>err || fail "$scene alone"
  for count in 2 3; do
    SIMREEL_NCCL=$2 launch 0 $count render $scene.toml $options $(outputs $scene$count)
    diff -r $scene $scene$count >/dev/null || fail "$scene on $count processes has other bytes"
  done
done

# What keeps it from being used costs nothing but speed.
for failure in "id 0" "init 0" "init 1"; do
  FAKE_NCCL=$failure SIMREEL_NCCL=$2 launch 0 2 render wave.toml $options $(outputs none)
  diff -r wave none >/dev/null || fail "other bytes after $failure"
  rm -r none
done
FAKE_NCCL_VERSION=21703 SIMREEL_NCCL=$2 launch 0 2 render wave.toml $options $(outputs old)
SIMREEL_NCCL=none.so launch 0 2 render wave.toml $options $(outputs missing)

# A busy machine takes its time to disconnect.
FAKE_NCCL="slow 1 0" SIMREEL_NCCL=$2 launch 0 2 render wave.toml $options $(outputs slow)
diff -r wave slow >/dev/null || fail "other bytes after slow"

# A rank that fails in an exchange ends all, with the files of the frames before.
for failure in post break; do
  for rank in 0 1 2; do
    FAKE_NCCL="$failure $rank 8" SIMREEL_NCCL=$2 launch 1 3 render wave.toml $options -o cut.csv --overwrite
    says "the cable is out"
    says "NCCL_DEBUG=WARN tells more"
    [ -s cut.csv ] || fail "no cut.csv"
  done
done
FAKE_NCCL="exit 1 8" SIMREEL_NCCL=$2 launch 9 3 render wave.toml $options -o cut.csv --overwrite
# Others wait for a rank that diverges.
cat >wild.toml <<'SCENE'
[solver]
kind = "lbm"
grid = [60, 193]
velocity = 0.05
viscosity = 0.0005
collision = "bgk"
initial_ux = "= if(y > 160, 0.35 * sin(y) * sin(x / 2), 0)"
[view]
size = [64, 64]
range = [0, 1]
[animation]
frames = 500
steps_per_frame = 2
SCENE
SIMREEL_NCCL=$2 launch 3 3 render wild.toml $options -o wild.hashes
says "the simulation diverged: at step"

# NCCL does not come back from its abort on rank 0, after rank 1 failed.
FAKE_NCCL="hold 0 8" SIMREEL_NCCL=$2 launch 1 3 render wave.toml $options -o held.csv
says "NCCL does not let go of the GPU"

# A rank is killed while all wait in an exchange that never ends.
FAKE_NCCL="stall 0 8" SIMREEL_NCCL=$2 timeout 30 mpirun --quiet -n 3 "$simreel" render wave.toml $options -o killed.csv >out 2>err &
run=$!
process_of_rank() {
  for process in /proc/[0-9]*; do
    tr '\0' ' ' <"$process/cmdline" | grep -q "^$simreel.*killed.csv" &&
      tr '\0' '\n' <"$process/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" &&
      tr '\0' '\n' <"$process/environ" | grep -qx "TMPDIR=$folder" && echo "${process#/proc/}"
  done 2>/dev/null
}
until [ -e killed.csv ] || [ -e killed.csv.part ] || ! kill -0 $run 2>/dev/null; do sleep 0.1; done
kill -9 $(process_of_rank 1)
wait $run
code=$?
[ $code = 137 ] || fail "exit code $code, not 137, after a rank was killed"
[ -z "$(process_of_rank 0)$(process_of_rank 2)" ] || fail "a rank is left"
exit $bad
