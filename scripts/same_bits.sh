#!/usr/bin/env bash
# same_bits.sh PROGRAM OTHER: renders every golden scene with both on the CPU. Frames (their hashes) and diagnostics must be the same bytes. For
# builds by different compilers; OTHER needs no optional library.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
different=0
for scene in tests/golden/*.toml; do
  name=$(basename "$scene" .toml)
  for side in 1 2; do
    "${!side}" render "$scene" --backend cpu --progress none -o "$folder/$side.hashes" -o "$folder/$side.csv" --overwrite 2>"$folder/log" || {
      cat "$folder/log" >&2
      exit 1
    }
  done
  for kind in hashes csv; do
    if ! cmp "$folder/1.$kind" "$folder/2.$kind"; then
      echo "$name: $1 and $2 differ in $kind" >&2
      different=1
    fi
  done
done
exit $different
