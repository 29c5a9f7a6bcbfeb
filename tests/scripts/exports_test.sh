#!/usr/bin/env bash
# exports_test.sh LIBRARY LIST: the names that a shared libsimreel shows are those of the list, which is part of the promise of version 0: a name
# that is gone stops programs that use it. All others are hidden.
set -euo pipefail
shown=$(nm -D --defined-only "$1" | awk '{print $2, $3}')
# Functions by their names; what C++ emits with a class (destructors, typeinfo) differs between compilers, but has our name in it.
diff <(awk '$1 == "T" {print $2}' <<<"$shown" | LC_ALL=C sort) "$2" ||
  { echo "exports_test: < is shown now, > is in $2; change the list with the interface" >&2; exit 1; }
! awk '$1 != "T" {print $2}' <<<"$shown" | grep -v 7simreel3api
