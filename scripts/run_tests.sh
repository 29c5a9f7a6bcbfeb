#!/bin/sh
# In an unpacked bundle: runs both test programs and checks the golden images, wherever the folder lies. Arguments go to GoogleTest: ./run_tests.sh --gtest_filter='Wave*'
here=$(cd "$(dirname "$0")" && pwd) || exit 1
export SIMREEL_ROOT="$here"
status=0
for program in kernel_tests simreel_tests; do
  "$here/bin/$program" "$@" || status=1
done
[ $# -gt 0 ] || "$here/bin/simreel" golden check "$here/tests/golden" || status=1
exit $status
