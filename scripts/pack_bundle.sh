#!/usr/bin/env bash
# pack_bundle.sh CMAKE BUILD ARCHIVE: installs the component `bundle` of the build folder, checks that its programs find all their
# libraries inside it, and packs it. The build's target `bundle` calls this.
set -euo pipefail
cmake=$1 build=$2 archive=$3
folder=$build/bundle/simreel-bundle
most=$((62 * 1000 * 1000)) # bytes; a GPU host takes 64 MiB in all: the working tree without samples/*.png (4 MB) fits beside it

command -v xz >/dev/null || {
  echo "bundle: there is no xz; install Debian's package xz-utils" >&2
  exit 1
}

rm -rf "$folder"
"$cmake" --install "$build" --component bundle --prefix "$folder" --strip >"$build/bundle.log" 2>&1 || {
  cat "$build/bundle.log" >&2
  exit 1
}

runtime='ld-linux|^\slib(c|m|dl|rt|pthread|mvec|resolv|util|stdc\+\+|gcc_s)\.so'
for program in "$folder"/bin/*; do
  needed=$(env -u LD_LIBRARY_PATH ldd "$program" | grep -v linux-vdso)
  outside=$(grep -vF "=> $folder/" <<<"$needed" | grep -vE "$runtime" || true)
  if [ -n "$outside" ] || grep -q libcuda <<<"$needed"; then
    printf 'bundle: %s needs what is not in the bundle:\n%s\n' "$program" "${outside:-libcuda}" >&2
    exit 1
  fi
done

tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$(dirname "$folder")" -cf - "$(basename "$folder")" |
  xz --lzma2=preset=9e,dict=192MiB >"$archive.part" # the programs share most of their code, over longer distances than 64 MiB
bytes=$(stat -c %s "$archive.part")
if [ "$bytes" -gt "$most" ]; then
  rm "$archive.part"
  printf 'bundle: %d bytes are more than the %d that may be sent to a GPU host; compile for fewer GPUs, CUDAARCHS=90-real\n' "$bytes" "$most" >&2
  exit 1
fi
mv "$archive.part" "$archive"
printf '%s: %d bytes, %d libraries\n' "$archive" "$bytes" "$(find "$folder/lib" -type f | wc -l)"
