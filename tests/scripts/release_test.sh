#!/usr/bin/env bash
# release_test.sh PART SOURCE: looks at what scripts/release.sh left in SOURCE/dist. Exits with 77 where there is nothing, and where it could not try
# all of the part; it names what.
#   contents   symbol versions, needed libraries, licences, code for GPUs, the codec of .mp4, the same in wheel and archive
#   start      as an ordinary user: read-only home, no HOME, no /proc, another locale, another folder, noexec
#   trials     what an old system, an old driver, a full disk, another processor and another version meet
#   goldens    every accepted frame
#   roots      the same in roots of Debian 11 and 13, which debootstrap makes
#   pythons    the wheel in Python 3.9 to 3.13
set -euo pipefail
part=$1 source=$2
untried=0
untried() { echo "skipped: $1" && untried=77; }
skip() { untried "$1" && exit 77; }
fail() { echo "$*" >&2 && exit 1; }
wheel=("$source"/dist/simreel-*.whl)
[ -e "${wheel[0]}" ] || skip "there is no dist/, which scripts/release.sh makes"
folder=$(mktemp -d) && chmod 755 "$folder"
trap 'rm -rf "$folder"' EXIT
tar -C "$folder" -xf "$source"/dist/simreel-*.tar.gz
release=$(echo "$folder"/simreel-*)
scene=$source/tests/golden/wave_free.toml
commit=$("$release/bin/simreel" --version | sed -n 's/^commit //p')
built=(CMakeLists.txt cmake colormaps include kernels packaging python scripts/release.sh src tests/golden ":!packaging/README.md")
git -C "$source" diff --stat "$commit" -- "${built[@]}" >"$folder/changed" 2>&1 && [ ! -s "$folder/changed" ] || {
  echo "dist/ is of commit $commit; since then: $(tail -n 1 "$folder/changed")"
  untried "dist/ is of other sources"
}

may_mount() { unshare -m true 2>/dev/null || { untried "file systems cannot be mounted here" && false; }; }
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
  for name in simreel colormaps.md dejavu ffmpeg hdf5 onetbb zlib xxhash libdeflate libspng libmicrohttpd fmt cuda cccl libaom libvpx libwebp libffmpeg-nvenc libcli11 \
    nlohmann-json3 libtomlplusplus libstb gcc glibc made-of.sha256; do
    [ -s "$release/licenses/$name" ] || fail "the licence of $name is missing"
  done
  (cd "$source/dist" && sha256sum --quiet -c SHA256SUMS)
  "$release/bin/simreel" --version | tee "$folder/version" | grep -q 'LGPL version 2.1' || fail "FFmpeg is not under the LGPL"
  ! grep -aq "can't open mbtree stats file" "$release/lib/libsimreel.so" || fail "x264 or x265 is in it"
  ! grep -aqE '_GLOBAL__N__[0-9a-f]{8}_|/build/release/|/src/exec/' "$release/lib/libsimreel.so" || fail "the build's folder or the number of a process is in it"
  python3 -m zipfile -e "${wheel[0]}" "$folder/wheel"
  for name in bin include lib/libsimreel.so lib/libsimreel_m.so; do diff -r "$folder/wheel/simreel/$name" "$release/$name"; done
  for name in "$release"/lib/python/simreel/*; do cmp "$name" "$folder/wheel/simreel/$(basename "$name")"; done
  diff -r "$folder"/wheel/simreel-*/licenses "$release/licenses"
  [ "$(stat -c %s "${wheel[0]}")" -le 35000000 ] || fail "the wheel has more than 35 MB"
  cat "$folder/version"

  # A fat binary is a header (magic number, version, its own size, size of what follows) and images, whose headers begin with the kind (PTX or code),
  # their own size and the size of what follows; the GPU is at 28.
  python3 - "$release/lib/libsimreel.so" <<'EOF'
import pathlib, struct, sys
data = pathlib.Path(sys.argv[1]).read_bytes()
start, count, at = struct.pack("<I2H", 0xBA55ED50, 1, 16), 0, -1
while (at := data.find(start, at + 1)) >= 0:
    held, image, size = [], at + 16, int.from_bytes(data[at + 8 : at + 16], "little")
    while image < at + 16 + size:
        kind, header, length, gpu = struct.unpack_from("<H2xIQ12xI", data, image)
        held.append((kind, gpu))
        image += header + length
    assert sorted(held) == [(1, 90), (2, 70), (2, 80), (2, 90), (2, 100), (2, 120)], held
    count += 1
assert count > 40, count
print(f"{count} times code for 70, 80, 90, 100 and 120, and PTX of 90")
EOF

  "$release/bin/simreel" render "$scene" --backend cpu --progress none -o "$folder/usual.mp4"
  "$release/bin/simreel" render "$scene" --backend cpu --progress none -o "$folder/fast.mp4" --set 'output.codec="h264_fast"'
  for name in usual fast; do ffmpeg -v error -i "$folder/$name.mp4" -c copy "$folder/$name.h264"; done # without the scene
  cmp "$folder/usual.h264" "$folder/fast.h264" || fail "an .mp4 is not h264_fast"

  PATH=$PATH:$folder/audit/bin
  command -v auditwheel >/dev/null || { python3 -m venv "$folder/audit" && "$folder/audit/bin/pip" -q install auditwheel; } || true
  if command -v auditwheel >/dev/null; then
    auditwheel show "${wheel[0]}" >"$folder/audited"
    grep -x '"manylinux_2_17_x86_64".' "$folder/audited" || fail "$(cat "$folder/audited")"
  else
    untried "there is no auditwheel, nor a network to get it from"
  fi
}

# video PYTHON FILE [STATEMENT]: from an array.
video() {
  "$1" -c "${3:-}
import array, simreel
with simreel.Video('$2', fps=10, range=(0, 1)) as video:
    for step in range(20):
        video.write(memoryview(array.array('f', [step / 20] * 64 * 48)).cast('B').cast('f', [48, 64]))"
}

start() {
  local name
  renders "as an ordinary user" ordinary "$release/bin/simreel"
  renders "without a home" ordinary env -u HOME "$release/bin/simreel"
  mkdir -m 555 "$folder/home"
  renders "with a read-only home" ordinary env HOME="$folder/home" "$release/bin/simreel"
  localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8"
  for name in C de_DE.UTF-8; do
    LOCPATH=$folder PYTHONPATH=$release/lib/python video python3 "$folder/$name.mkv" "import locale; locale.setlocale(locale.LC_ALL, '$name')"
  done
  cmp "$folder/C.mkv" "$folder/de_DE.UTF-8.mkv" || fail "another locale: another video"
  mv "$release" "$folder/a folder"
  renders "from another folder" ordinary "$folder/a folder/bin/simreel"
  ln -s "$folder/a folder/bin/simreel" "$folder/link"
  renders "by a link" ordinary "$folder/link"
  if may_mount; then
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
  says "the NVIDIA driver supports CUDA 11.8, this build needs 12.0 (driver 525 or later); install a newer driver, or use --backend cpu" \
    env LD_LIBRARY_PATH="$folder/driver" "$release/bin/simreel" render "$scene" -o null: --backend cuda

  if command -v qemu-x86_64-static >/dev/null; then
    says "simreel needs a CPU with AVX2 and FMA" qemu-x86_64-static -cpu Nehalem "$release/bin/simreel" --version
  else
    untried "there is no qemu-user-static, which plays old processors"
  fi

  mkdir "$folder/other"
  touch "$folder"/other/libsimreel{.so,.so.0,_m.so}
  renders "with another version in LD_LIBRARY_PATH" env LD_LIBRARY_PATH="$folder/other" "$release/bin/simreel"
  env LD_LIBRARY_PATH="$folder/other" PYTHONPATH="$release/lib/python" python3 -c 'import simreel' || fail "another version is loaded"

  ! may_mount ||
    says "set TMPDIR to a folder with room" unshare -m sh -c 'mount -t tmpfs -o size=16k tmpfs "$1" && TMPDIR=$1 "$2/bin/simreel" selftest' sh "$folder/driver" "$release"
}

goldens() { [ $untried -ne 0 ] || "$release/bin/simreel" golden check "$source/tests/golden" --backend cpu; }

roots() {
  local suite root mirror
  command -v debootstrap >/dev/null || skip "there is no debootstrap"
  [ "$(id -u)" -eq 0 ] || skip "debootstrap needs the superuser"
  may_mount || exit 77 # in a namespace of its own, so that what it mounts ends with it
  mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources | head -n 1)
  for suite in bullseye trixie; do
    root=$source/build/release/roots/$suite
    if [ ! -e "$root/made" ]; then
      rm -rf "$root" && mkdir -p "$root"
      unshare -m debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" "$mirror" >"$root.log" 2>&1 && touch "$root/made" || {
        untried "a root of $suite could not be made"
        continue
      }
    fi
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
}

pythons() {
  local name python version
  for version in 3.9 3.10 3.11 3.12 3.13; do
    python=
    for name in "python$version" python3 ~/.pyenv/versions/"$version".*/bin/python3; do
      [ "$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" != "$version" ] || python=$name
    done
    [ -n "$python" ] && "$python" -m venv "$folder/$version" || {
      untried "there is no Python $version with its module venv"
      continue
    }
    "$folder/$version/bin/pip" -q install --no-index "${wheel[0]}"
    "$folder/$version/bin/simreel" render "$scene" --backend cpu --progress none -o "$folder/$version.hashes"
    cmp "$folder/$version.hashes" "${scene%.toml}.hashes"
    video "$folder/$version/bin/python" "$folder/$version.mp4"
    [ -s "$folder/$version.mp4" ]
    PYTHONPATH=$release/lib/python "$python" -m simreel --version
    PYTHONPATH=$release/lib/python "$python" -c 'import simreel'
    echo "Python $version: a video"
  done
}

"$part"
exit $untried
