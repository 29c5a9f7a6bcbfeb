#!/usr/bin/env bash
# From a clean clone to every test passed: installs what is missing, builds everything and runs CTest. GPU tests run where there is a
# GPU and are reported as skipped elsewhere.
#   ./test.sh [--cpu | --cuda | --debug] [CTest's arguments]      ./test.sh -R Wave
#   --cpu    leaves CUDA out, even where there is a GPU
#   --cuda   needs nvcc, but no GPU
#   --debug  with AddressSanitizer and UndefinedBehaviorSanitizer, without CUDA
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

take_preset "cpu cuda debug" "$@"
[ -z "$preset" ] || shift

install_packages packages.txt
[ -n "$preset" ] || preset=$(preset_for_machine)
configure "$preset"
build "$preset"

ctest --preset "$preset" --parallel "$(nproc)" "$@" || fail "some tests failed in build/$preset; their output is above." \
  "Run one of them again: ./test.sh --$preset -R NAME"
