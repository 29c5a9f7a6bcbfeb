#!/usr/bin/env bash
# python_tests.sh PYTHON FOLDER LIBRARY PROGRAM [ARGUMENT...]: pytest on the package in FOLDER, with this library and program.
set -euo pipefail
"$1" -c 'import numpy, pytest' 2>/dev/null || {
  echo "skipped: $1 has no numpy or no pytest; install them, or configure with -DSIMREEL_PYTHON=another"
  exit 77
}
export PYTHONPATH=$2 SIMREEL_LIBRARY=$3 SIMREEL_PROGRAM=$4 PYTHONDONTWRITEBYTECODE=1
exec "$1" -m pytest -q -p no:cacheprovider "$2/tests" "${@:5}"
