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

# Prints the preset for this machine: cuda where there is an nvcc that knows C++20, cpu elsewhere.
preset_for_machine() {
  local nvcc version
  nvcc=${CUDACXX:-$(command -v nvcc || true)}
  if [ -z "$nvcc" ]; then
    echo cpu
    return
  fi
  version=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\).*/\1/p' || true)
  if [ "${version:-0}" -ge 12 ]; then
    echo cuda
  else
    echo "Leaving CUDA out: $nvcc is of release ${version:-unknown}, and C++20 needs 12 or later." >&2
    echo cpu
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
  # Without a GPU to run on, the list of a release would cost minutes: machine code for Hopper, and code for the driver of every other GPU.
  if [ "$preset" = cuda ] && ! nvidia-smi -L >/dev/null 2>&1; then export CUDAARCHS=${CUDAARCHS:-"75-virtual;90-real"}; fi
  echo "Configuring build/$preset"
  quietly "configuring" cmake --preset "$preset" "${fresh[@]}"
  touch "$stamp"
}

# build PRESET [TARGET]
build() {
  cmake --build --preset "$1" ${2:+--target "$2"} ||
    fail "the build failed; the first error is above." \
      "If the system's compiler or libraries changed since the last build: rm -rf build/$1, then run this again."
}

# nvcc's usual folder, where PATH leaves it out.
if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then PATH=$PATH:/usr/local/cuda/bin; fi
