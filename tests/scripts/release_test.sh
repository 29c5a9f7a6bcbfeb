#!/usr/bin/env bash
# release_test.sh PART SOURCE: looks at what scripts/release.sh left in SOURCE/dist. Exits with 77 where there is nothing.
#   contents   symbol versions, needed libraries, licences, the same in wheel and archive
#   start      as an ordinary user: read-only home, no HOME, no /proc, another locale, another folder, noexec
#   trials     what an old system, an old driver, a full disk, another processor and another version meet
#   goldens    every accepted frame
#   roots      the same in roots of Debian 11 and 13, which debootstrap makes
#   pythons    the wheel in each Python from 3.9 on that is found
set -euo pipefail
part=$1 source=$2
skip() { echo "skipped: $1" && exit 77; }
fail() { echo "$*" >&2 && exit 1; }
wheel=("$source"/dist/simreel-*.whl)
[ -e "${wheel[0]}" ] || skip "there is no dist/, which scripts/release.sh makes"
folder=$(mktemp -d) && chmod 755 "$folder"
trap 'rm -rf "$folder"' EXIT
tar -C "$folder" -xf "$source"/dist/simreel-*.tar.gz
release=$(echo "$folder"/simreel-*)
scene=$source/tests/golden/wave_free.toml

# Runs a command as a user without rights.
ordinary() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; else "$@"; fi; }

# renders TEXT COMMAND...: the command must write the accepted frames of the scene to standard output as raw video and to x.hashes.
renders() {
  local what=$1 to
  shift
  to=$(mktemp -d "$folder/out.XXXX") && chmod 777 "$to"
  (cd "$to" && "$@" render "$folder/scene.toml" --backend cpu --progress none -o x.hashes -o x.mp4 -o x.png -o x.h5) >"$to/log" 2>&1 ||
    fail "$what: $(tail -n 3 "$to/log")"
  cmp "$to/x.hashes" "${scene%.toml}.hashes" || fail "$what: other frames"
  [ ! -e "$folder/first.mp4" ] || cmp "$to/x.mp4" "$folder/first.mp4" || fail "$what: another video"
  cp "$to/x.mp4" "$folder/first.mp4"
  echo "$what: the accepted frames"
}
cp "$scene" "$folder/scene.toml"

contents() {
  local file newest needed name
  for file in "$release"/bin/simreel "$release"/lib/libsimreel*.so; do
    newest=$(objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    [ "$(printf '%s\n' "$newest" GLIBC_2.17 | sort -V | tail -n 1)" = GLIBC_2.17 ] || fail "$file needs $newest"
    ! objdump -T "$file" | grep -E 'GLIBCXX|CXXABI|GCC_[0-9]' || fail "$file needs the C++ library of the host"
    needed=$(readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vxE 'lib(c|pthread|dl|rt|simreel_m)\.so(\.[0-9])?|ld-linux-x86-64\.so\.2' || true)
    [ -z "$needed" ] || fail "$file needs $needed" # libm, too: its last bits differ between versions of glibc
  done
  for name in simreel colormaps.md dejavu ffmpeg hdf5 onetbb zlib xxhash libdeflate libspng fmt cuda cccl libaom libvpx libwebp libffmpeg-nvenc libcli11 \
    nlohmann-json3 libtomlplusplus libstb gcc glibc made-of.sha256; do
    [ -s "$release/licenses/$name" ] || fail "the licence of $name is missing"
  done
  "$release/bin/simreel" --version | tee "$folder/version" | grep -q 'LGPL version 2.1' || fail "FFmpeg is not under the LGPL"
  ! grep -aq "can't open mbtree stats file" "$release/lib/libsimreel.so" || fail "x264 or x265 is in it"
  python3 -m zipfile -e "${wheel[0]}" "$folder/wheel"
  for name in bin include lib/libsimreel.so lib/libsimreel_m.so; do diff -r "$folder/wheel/simreel/$name" "$release/$name"; done
  for name in "$release"/lib/python/simreel/*; do cmp "$name" "$folder/wheel/simreel/$(basename "$name")"; done
  diff -r "$folder"/wheel/simreel-*/licenses "$release/licenses"
  [ "$(stat -c %s "${wheel[0]}")" -le 35000000 ] || fail "the wheel has more than 35 MB"
  ! command -v auditwheel >/dev/null || auditwheel show "${wheel[0]}" | grep -q 'manylinux_2_17_x86_64' || fail "auditwheel disagrees"
  cat "$folder/version"
}

start() {
  renders "as an ordinary user" ordinary "$release/bin/simreel"
  renders "without a home" ordinary env -u HOME "$release/bin/simreel"
  mkdir -m 555 "$folder/home"
  renders "with a read-only home" ordinary env HOME="$folder/home" "$release/bin/simreel"
  renders "with another locale" ordinary env LC_ALL=tr_TR.UTF-8 LANG=de_DE.UTF-8 "$release/bin/simreel"
  mv "$release" "$folder/a folder"
  renders "from another folder" ordinary "$folder/a folder/bin/simreel"
  ln -s "$folder/a folder/bin/simreel" "$folder/link"
  renders "by a link" ordinary "$folder/link"
  if unshare -m true 2>/dev/null; then
    renders "without /proc" unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$folder/a folder/bin/simreel"
    mkdir "$folder/noexec"
    unshare -m sh -c 'mount -t tmpfs -o noexec tmpfs "$1" && cp -r "$2/lib" "$1" && PYTHONPATH=$1/lib/python python3 -c "import simreel" || true' sh \
      "$folder/noexec" "$folder/a folder" 2>&1 | grep -q 'mounted noexec' || fail "on a file system without programs: not said"
  fi
}

# says TEXT COMMAND...: the command must fail, and its output hold the text.
says() {
  local text=$1 said
  shift
  ! said=$("$@" 2>&1) || fail "no failure: $*"
  grep -qF -- "$text" <<<"$said" || fail "instead of '$text': $said"
  echo "$text"
}

trials() {
  # A library that asks for a version of glibc that there is not: by its name, and by the hash of that.
  cp -r "$release" "$folder/newer"
  python3 - "$folder/newer/lib/libsimreel.so" <<'EOF'
import pathlib, sys
def both(name):
    value = 0
    for byte in name:
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return name + b"\0", value.to_bytes(4, "little")
file = pathlib.Path(sys.argv[1])
data = file.read_bytes()
for old, new in zip(both(b"GLIBC_2.17"), both(b"GLIBC_9.99")):
    data = data.replace(old, new)
file.write_bytes(data)
EOF
  says "; take a newer system, or a container of one" "$folder/newer/bin/simreel" --version
  python3 -m venv "$folder/v"
  says "is not a supported wheel on this platform" env _PYTHON_HOST_PLATFORM=linux-aarch64 "$folder/v/bin/pip" install --no-index "${wheel[0]}"
  "$folder/v/bin/pip" -q install --no-index "${wheel[0]}"
  cp "$folder/newer/lib/libsimreel.so" "$folder"/v/lib/python3*/site-packages/simreel/lib/
  says "; take a newer system, or a container of one" "$folder/v/bin/python" -c 'import simreel'
  says "; take a newer system, or a container of one" "$folder/v/bin/simreel" --version
  [ "$("$folder/v/bin/simreel" --version 2>&1 | wc -l)" -eq 1 ] || fail "more than a sentence"

  mkdir "$folder/driver"
  echo 'int cuDriverGetVersion(int* version) { return *version = 11080, 0; }' | cc -shared -fPIC -xc - -o "$folder/driver/libcuda.so.1"
  says "the NVIDIA driver supports CUDA 11.8, this build needs 12.0; install a newer driver, or use --backend cpu" \
    env LD_LIBRARY_PATH="$folder/driver" "$release/bin/simreel" render "$scene" -o null: --backend cuda

  mkdir "$folder/other"
  touch "$folder"/other/libsimreel{.so,.so.0,_m.so}
  renders "with another version in LD_LIBRARY_PATH" env LD_LIBRARY_PATH="$folder/other" "$release/bin/simreel"
  env LD_LIBRARY_PATH="$folder/other" PYTHONPATH="$release/lib/python" python3 -c 'import simreel' || fail "another version is loaded"

  ! unshare -m true 2>/dev/null ||
    says "No space left on device" unshare -m sh -c 'mount -t tmpfs -o size=16k tmpfs "$1" && TMPDIR=$1 "$2/bin/simreel" selftest' sh "$folder/driver" "$release"
}

goldens() { "$release/bin/simreel" golden check "$source/tests/golden" --backend cpu; }

roots() {
  local suite root mirror made=0
  command -v debootstrap >/dev/null || skip "there is no debootstrap"
  [ "$(id -u)" -eq 0 ] || skip "debootstrap needs the superuser"
  mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources | head -n 1)
  for suite in bullseye trixie; do
    root=$source/build/release/roots/$suite
    if [ ! -e "$root/made" ]; then
      rm -rf "$root" && mkdir -p "$root"
      debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" "$mirror" >"$root.log" 2>&1 && touch "$root/made" || continue
    fi
    made=1
    rm -rf "$root/work" && mkdir -p "$root/work" && chmod 777 "$root/work"
    cp -r "$release" "$root/work/simreel" && cp "$scene" "$root/work/scene.toml"
    cp "${wheel[0]}" "$root/work/"
    chroot --userspec=65534:65534 "$root" sh -ec 'cd /work && simreel/bin/simreel render scene.toml --progress none -o x.hashes -o x.mp4
      python3 -m venv --copies v && v/bin/pip -q install --no-index *.whl && v/bin/simreel render scene.toml --progress none -o y.hashes -o y.mp4' ||
      fail "$suite: does not start"
    for name in x y; do
      cmp "$root/work/$name.hashes" "${scene%.toml}.hashes" || fail "$suite: other frames"
    done
    cmp "$root/work/x.mp4" "$root/work/y.mp4"
    echo "$suite: the accepted frames, from archive and wheel"
  done
  [ $made -eq 1 ] || skip "no root could be made"
}

pythons() {
  local python version found=0
  for python in python3 $(compgen -c python3. | grep -xE 'python3\.[0-9]+' | sort -u) ~/.pyenv/versions/3.*/bin/python3; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 9) else "")' 2>/dev/null) || continue
    [ -n "$version" ] && [ ! -e "$folder/$version" ] || continue
    "$python" -m venv "$folder/$version" 2>/dev/null && "$folder/$version/bin/pip" -q install --no-index "${wheel[0]}" || continue
    (cd "$folder" && "$folder/$version/bin/simreel" render scene.toml --backend cpu --progress none -o "$version.hashes" &&
      "$folder/$version/bin/python" -c "
import array, simreel
with simreel.Video('$version.mp4', fps=10, range=(0, 1)) as video:
    for step in range(20):
        video.write(memoryview(array.array('f', [step / 20] * 64 * 48)).cast('B').cast('f', [48, 64]))
") || fail "Python $version"
    cmp "$folder/$version.hashes" "${scene%.toml}.hashes"
    [ -s "$folder/$version.mp4" ]
    (cd "$folder" && PYTHONPATH=$release/lib/python "$python" -m simreel --version && PYTHONPATH=$release/lib/python "$python" -c 'import simreel') ||
      fail "Python $version: the package of the archive"
    found=$((found + 1))
    echo "Python $version: a video"
  done
  [ $found -gt 0 ] || fail "no Python could install the wheel"
}

"$part"
