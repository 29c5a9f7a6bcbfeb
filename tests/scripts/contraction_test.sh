#!/usr/bin/env bash
# contraction_test.sh PROGRAM: no product is fused with the sum that takes it. Where the source says fma() there are vfmadd and its kin; those that
# add in one lane and subtract in the next come from the compiler alone, which does that in straight code whatever -ffp-contract says (GCC 12).
set -euo pipefail
objdump -d --no-show-raw-insn -C "$1" | awk '
  /^[0-9a-f]+ </ { name = $0 }
  /vfmaddsub|vfmsubadd/ { print "contraction_test: " name $0; found = 1 }
  END { exit found }'
