#!/bin/sh
# In an unpacked bundle: runs both test programs, wherever the folder lies. Arguments go to GoogleTest: ./run_tests.sh --gtest_filter='Wave*'
here=$(cd "$(dirname "$0")" && pwd) || exit 1
export SIMREEL_ROOT="$here"
status=0
for program in kernel_tests simreel_tests; do
  "$here/bin/$program" "$@" || status=1
done
exit $status
