# What demo.sh, test.sh and .ci/run share; sourced, never run. Moves to the repository's root, whatever the current folder was.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
log=build/setup.log # of the last command that ran quietly

fail() {
  printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
  exit 1
}

# The comment at the top of the script that was called.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$(basename "$0")"; }

# take_preset NAMES [ARGUMENT]: sets preset to the name of which ARGUMENT is --NAME, or to nothing. -h prints the usage and ends.
take_preset() {
  preset=
  case ${2-} in
    -h | --help) usage && exit ;;
    --*) [[ " $1 " != *" ${2#--} "* ]] || preset=${2#--} ;;
  esac
}

# quietly WHAT COMMAND...: shows the output only where the command fails.
quietly() {
  local what=$1
  shift
  mkdir -p build
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    fail "$what failed (the whole output is in $log)"
  fi
}

# Names of the packages listed in FILE...: one a line, # starts a comment.
listed_packages() { sed 's/#.*//' "$@" | tr -s '[:space:]' '\n' | sed '/^$/d'; }

# install_packages FILE...: installs with apt what is missing of the lists. Elsewhere than on Debian it trusts CMake to say what is missing.
install_packages() {
  local package missing=() as_root=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    for package in cmake ninja; do
      command -v "$package" >/dev/null || fail "$package is missing, and there is no apt-get to install it with." \
        "Install your system's equivalents of these Debian packages, then run this again:" "$(listed_packages "$@" | xargs)"
    done
    return
  fi
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  for package in $(listed_packages "$@"); do
    grep -qxF "$package" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing, and there is no sudo to install them with. As root, run:" \
      "apt-get update && apt-get install ${missing[*]}"
    as_root=(sudo)
    sudo -v || fail "these packages are missing, and sudo was refused. As root, run:" \
      "apt-get update && apt-get install ${missing[*]}"
  fi
  echo "Installing: ${missing[*]}"
  quietly "apt-get update" "${as_root[@]}" apt-get -qq update
  quietly "apt-get install" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 install "${missing[@]}"
}

# Prints the release of nvcc, 13; nothing where there is none.
nvcc_release() { "${CUDACXX:-nvcc}" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\).*/\1/p' || true; }

has_gpu() { nvidia-smi -L >/dev/null 2>&1; }

# Prints the preset for this machine: cuda where there is a GPU and an nvcc that knows C++20, cpu elsewhere.
preset_for_machine() {
  local release
  release=$(nvcc_release)
  if ! has_gpu; then
    [ -z "$release" ] || echo "Building without CUDA: this machine has no GPU. To build for GPUs elsewhere: ./$(basename "$0") --cuda" >&2
    echo cpu
  elif [ "${release:-0}" -lt 12 ]; then
    echo "Building without CUDA: this machine has a GPU, but nvcc ${release:+is of release }${release:-is missing}; simreel needs release 12 or later." >&2
    echo cpu
  else
    echo cuda
  fi
}

cached() { sed -n "s/^$2:[A-Z]*=//p" "build/$1/CMakeCache.txt"; }

# configure PRESET: nothing where the build folder is sound; Ninja itself runs CMake again when a CMake file has changed.
configure() {
  local preset=$1 cache=build/$1/CMakeCache.txt stamp=build/$1/configured gone='' path key fresh=()
  if [ -f "$cache" ]; then
    for key in CMAKE_COMMAND CMAKE_MAKE_PROGRAM CMAKE_CXX_COMPILER CMAKE_CUDA_COMPILER SIMREEL_CCACHE; do
      path=$(cached "$preset" "$key")
      [[ $path != /* || -x $path ]] || gone="$path is gone"
    done
    [ "$(cached "$preset" CMAKE_HOME_DIRECTORY)" = "$root" ] || gone="the repository was moved"
    if [ -z "$gone" ] && [ "$stamp" -nt CMakePresets.json ]; then return; fi
  fi
  if [ -n "$gone" ]; then
    echo "Starting build/$preset afresh: $gone."
    fresh=(--fresh)
  fi
  # Machine code for each GPU of a release would cost minutes. Code that the driver translates costs half of one, and runs on all.
  if [ "$preset" = cuda ] && [ -z "$(nvcc_release)" ]; then fail "--cuda needs nvcc, which is not installed here."; fi
  if [ "$preset" = cuda ] && [ -z "${CUDAARCHS-}" ] && ! has_gpu; then
    echo "This machine has no GPU to compile for: each GPU's driver will translate the kernels when they first run. For machine code: CUDAARCHS=90-real"
    export CUDAARCHS=75-virtual
  fi
  echo "Configuring build/$preset"
  quietly "configuring" cmake --preset "$preset" "${fresh[@]}"
  touch "$stamp"
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --build --preset "$preset" ${1:+--target "$@"} ||
    fail "the build failed; the first error is above." \
      "If the system's compiler or libraries changed since the last build: rm -rf build/$preset, then run this again."
}

# A cache finds what another clone compiled.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# nvcc's usual folder, where PATH leaves it out.
if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then PATH=$PATH:/usr/local/cuda/bin; fi
