#!/usr/bin/env bash
# Makes what is passed on: a wheel and an archive of the program, the library and the Python package that need glibc 2.17 and nothing else, with
# code for GPUs from Volta to Blackwell by CUDA 12.4, without GPL code (packaging/README.md). Needs Debian 12, the packages of packages.txt and pip.
#   scripts/release.sh [STAGE...]   stages: inputs sysroot cuda libraries build pack, by default all; each keeps what it made in build/release and
#                                   is skipped where neither its inputs nor its lines of this script changed
#   JOBS=2                          how many compilers run at once
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
[[ $root != *[[:space:]]* ]] || fail "the libraries do not build in a folder with a space in its name: move $root"

export SIMREEL_RELEASE=$root/build/release
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
jobs=${JOBS:-$(nproc)}
glibc=2.17
stage=$SIMREEL_RELEASE inputs=$SIMREEL_RELEASE/inputs sysroot=$SIMREEL_RELEASE/sysroot cuda=$SIMREEL_RELEASE/cuda libraries=$SIMREEL_RELEASE/libraries
mkdir -p "$stage" "$inputs" "$libraries"/{src,include,share,lib/pkgconfig}

# Lines of packaging/inputs.sha256 of these packages.
pinned() { grep -E "  ($(IFS='|' && sed 's/+/[+]/g' <<<"$*"))[_-][0-9]" "$root/packaging/inputs.sha256"; }
# once NAME FUNCTION TEXT: runs FUNCTION NAME where it, as it is written, has not yet succeeded with that text, which stands for its inputs.
once() {
  local name=$1 start=$SECONDS stamp key
  stamp=$stage/$(tr / - <<<"$name").stamp
  key=$(declare -f "$2" | cat - <(echo "$3") | sha256sum)
  [ "$(cat "$stamp" 2>/dev/null)" != "$key" ] || return 0
  printf '%-24s' "$name"
  rm -f "$stamp"
  "$2" "$name" >"$stage/$(tr / - <<<"$name").log" 2>&1 </dev/null & # as part of a condition, bash would go on after errors
  wait $! || {
    tail -n 30 "$stage/$(tr / - <<<"$name").log" >&2
    fail "$name failed (the whole output is in build/release/$(tr / - <<<"$name").log)"
  }
  printf '%5d s\n' $((SECONDS - start))
  echo "$key" >"$stamp"
}

# The machine's own mirror of Debian and its pip; what they bring is what packaging/inputs.sha256 says, or nothing is built of it. What the mirror has
# replaced since comes from Debian's archive of the day on which that list was made.
archive=http://snapshot.debian.org/archive/debian/20261127T000000Z
make_inputs() {
  local apt=$stage/apt keyring=/usr/share/keyrings/debian-archive-keyring.gpg mirror source file name version
  mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | sed -n 's/^URIs: *//p; s/^deb [^ ]*\(http[^ ]*\) .*/\1/p' | head -n 1) || true
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,etc/apt.conf.d,etc/preferences.d,etc/sources.list.d,state}
  : >"$apt/state/status"
  cat >"$apt/apt.conf" <<EOF
Dir::Etc "$apt/etc"; Dir::State "$apt/state"; Dir::State::status "$apt/state/status"; Dir::State::lists "$apt/lists"; Dir::Cache "$apt/cache";
APT::Sandbox::User "root"; Acquire::Languages "none"; Acquire::Check-Valid-Until "false";
EOF
  export APT_CONFIG=$apt/apt.conf
  cd "$inputs"
  for source in "$mirror" "$archive"; do
    ! sha256sum --status -c "$root/packaging/inputs.sha256" 2>/dev/null || break
    printf "%s [signed-by=$keyring] $source %s\n" deb "bullseye main" deb "bookworm main" deb-src "bookworm main" deb "trixie non-free" >"$apt/etc/sources.list"
    apt-get -qq update
    while read -r _ file; do
      [ ! -e "$file" ] || continue
      name=${file%%_*}
      case $file in
        *.deb) version=${file#*_} && apt-get -qq download "$name=$(sed 's/%3a/:/' <<<"${version%_*}")" ;;
        *.orig.*) apt-get -qq source --download-only "$name" ;;
        *.whl) name=${file%%-*} version=${file#*-} && pip download -q --no-deps "$name==${version%%-*}" ;;
      esac || true # the sums decide
    done <"$root/packaging/inputs.sha256"
  done
  sha256sum -c "$root/packaging/inputs.sha256"
}

# unpack FILE FOLDER: a Debian package, a source archive or a wheel.
unpack() {
  local file=("$inputs"/$1)
  mkdir -p "$2"
  case $file in
    *.deb) dpkg -x "$file" "$2" ;;
    *.whl) python3 -m zipfile -e "$file" "$2" ;;
    *) tar -xf "$file" -C "$2" --strip-components=1 ;;
  esac
}

of_sysroot=(libc6 libc6-dev linux-libc-dev libcrypt-dev libgcc-10-dev libgcc-12-dev libstdc++-12-dev)
# Debian 12's GCC with Debian 11's headers, start files and unwinder (that of Debian 12 asks for glibc 2.35), and with stubs of glibc's libraries.
make_sysroot() {
  local tmp=$stage/tmp gcc lib=$sysroot/usr/lib/x86_64-linux-gnu name
  rm -rf "$sysroot" "$tmp" && mkdir -p "$sysroot"/{gcc,lib64,lib/x86_64-linux-gnu} "$lib"
  for name in "${of_sysroot[@]}"; do unpack "${name}_*" "$tmp"; done
  cp -a "$tmp/usr/include" "$sysroot/usr/"
  # glibc 2.30 and 2.36 brought these.
  sed -i -E '/^#define (_GLIBCXX_USE_PTHREAD_(COND_CLOCKWAIT|MUTEX_CLOCKLOCK|RWLOCK_CLOCKLOCK)|_GLIBCXX_HAVE_ARC4RANDOM) 1/d' \
    "$sysroot/usr/include/x86_64-linux-gnu/c++/12/bits/c++config.h"
  python3 "$root/packaging/stub_libraries.py" $glibc "$tmp/lib/x86_64-linux-gnu" "$sysroot/lib/x86_64-linux-gnu"
  ln -s ../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$sysroot/lib64/"
  for name in pthread.so.0 dl.so.2 rt.so.1 util.so.1; do ln -s "../../../lib/x86_64-linux-gnu/lib$name" "$lib/lib${name%.so*}.so"; done
  cp "$tmp"/usr/lib/x86_64-linux-gnu/{crt1.o,Scrt1.o,crti.o,crtn.o,libc_nonshared.a} "$lib/"
  echo "GROUP ( libc.so.6 libc_nonshared.a libshims.a AS_NEEDED ( libpthread.so.0 ld-linux-x86-64.so.2 ) )" >"$lib/libc.so"

  gcc=$tmp/usr/lib/gcc/x86_64-linux-gnu
  cp "$gcc"/12/{libstdc++.a,libgcc.a,crtbegin.o,crtbeginS.o,crtend.o,crtendS.o} "$gcc/10/libgcc_eh.a" "$sysroot/gcc/"
  local search="--sysroot=$sysroot -B$sysroot/gcc -B$lib -B$sysroot/lib/x86_64-linux-gnu -L$sysroot/gcc -L$lib -L$sysroot/lib/x86_64-linux-gnu"
  printf '#!/bin/sh\nexec gcc-12 %s -static-libgcc "$@"\n' "$search" >"$sysroot/cc"
  printf '#!/bin/sh\nexec g++-12 %s -nostdinc++ -isystem %s -isystem %s -static-libgcc -static-libstdc++ "$@"\n' "$search" \
    "$sysroot/usr/include/c++/12" "$sysroot/usr/include/x86_64-linux-gnu/c++/12" >"$sysroot/cxx"
  chmod +x "$sysroot"/{cc,cxx}
  "$sysroot/cc" -O2 -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -c "$root/packaging/shims.c" -o "$tmp/shims.o"
  ar rcs "$lib/libshims.a" "$tmp/shims.o"
  cp "$tmp/usr/share/doc/libc6-dev/copyright" "$sysroot/"
  # Functions differ in their last bits between versions of glibc, so those of Debian 11 come along. A library of its own, because they store errors in
  # a variable of the kind that may be in small libraries only where Python loads them; with a version, so that no other libm takes its place.
  printf 'SIMREEL { global: %s local: *; };\n' "$(printf '%s; ' $mathematics)" >"$tmp/math.map"
  "$sysroot/cc" -shared -Wl,-Bsymbolic -Wl,--gc-sections -Wl,-soname,libsimreel_m.so -Wl,--version-script="$tmp/math.map" $(printf ' -Wl,-u,%s' $mathematics) \
    -o "$lib/libsimreel_m.so" "$tmp/usr/lib/x86_64-linux-gnu/libm-2.31.a"
  echo "INPUT ( libsimreel_m.so )" >"$lib/libm.so"
  rm -r "$tmp"
  printf '#include <random>\n#include <thread>\nint main() { thread_local std::random_device r; std::thread([] { r(); }).join(); throw 1; }\n' |
    "$sysroot/cxx" -xc++ -std=c++20 - -o "$stage/trial" -pthread
}
mathematics="acos acosf asin asinf atan atanf atan2 atan2f cbrt cbrtf ceil ceilf cos cosf cosh coshf erf exp expf exp2 exp2f expm1 fabs
  feclearexcept fegetround fesetround fetestexcept floor floorf fma fmax fmaxf fmin fminf fmod fmodf hypot hypotf lgamma llrint llrintf llround llroundf log logf log10 log10f log1p log2 log2f lrint lrintf lround lroundf
  nearbyint nearbyintf pow powf rint rintf round roundf sin sinf sincos sinh sinhf sqrt sqrtf tan tanf tanh tanhf tgamma trunc truncf"

# CUDA 12.4 without its installer. The driver 525 runs what 12.x compiles; sm_100 and sm_120 come from the same PTX by the assembler of 12.9, which
# a stand-in for fatbinary calls, as it does LZ4; one for cudafe++ gives the same bytes at each build. Its runtime library is that of 12.9, of which
# there is a static one; CCCL too, because 12.4's lacks nv/target.
make_cuda() {
  local tmp=$stage/tmp name
  rm -rf "$cuda" "$tmp" && mkdir -p "$cuda"/{bin/crt,nvvm/bin,lib64}
  unpack 'nvidia-cuda-toolkit_*' "$tmp/deb" && unpack 'liblz4-1_*' "$tmp/deb"
  unpack 'nvidia_cuda_nvcc_cu12-12.4*' "$tmp/old" && unpack 'nvidia_cuda_runtime_cu12-12.4*' "$tmp/old"
  unpack 'nvidia_cuda_nvcc_cu12-12.9*' "$tmp/new" && unpack 'nvidia_cuda_runtime_cu12-12.9*' "$tmp/new" && unpack 'nvidia_cuda_cccl_cu12-*' "$tmp/new"
  cp "$tmp"/deb/usr/bin/{cudafe++,fatbinary,ptxas,nvlink,bin2c,cuobjdump} "$tmp/deb/usr/lib/nvidia-cuda-toolkit/bin/nvcc" "$cuda/bin/"
  cp "$tmp"/deb/usr/lib/nvidia-cuda-toolkit/bin/crt/* "$cuda/bin/crt/"
  cp "$tmp/deb/usr/lib/nvidia-cuda-toolkit/bin/cicc" "$cuda/nvvm/bin/"
  cp -r "$tmp/deb/usr/lib/nvidia-cuda-toolkit/libdevice" "$cuda/nvvm/"
  mv "$tmp/old/nvidia/cuda_nvcc/include" "$cuda/include"
  cp -r "$tmp/old/nvidia/cuda_runtime/include/." "$tmp/new/nvidia/cuda_cccl/include/." "$cuda/include/"
  cp "$tmp/new/nvidia/cuda_runtime/lib/libcudart_static.a" "$cuda/lib64/"
  ar rcs "$cuda/lib64/libcudadevrt.a" # no kernel starts kernels
  cp "$tmp"/new/nvidia_cuda_runtime_cu12*/licenses/License.txt "$cuda/" || cp "$tmp"/new/nvidia_cuda_runtime_cu12*/License.txt "$cuda/"
  cp "$tmp/new/nvidia/cuda_nvcc/bin/ptxas" "$cuda/bin/ptxas-12.9"
  for name in fatbinary cudafe++; do mv "$cuda/bin/$name" "$cuda/bin/$name-12.4"; done
  cp "$root"/packaging/{fatbinary,cudafe++,recompress.py} "$cuda/bin/" && cp "$tmp"/deb/usr/lib/x86_64-linux-gnu/liblz4.so.1 "$cuda/lib64/"
  printf '%s\n' 'TOP = $(_HERE_)/..' 'NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice' 'PATH += $(TOP)/nvvm/bin:$(_HERE_):' \
    'INCLUDES += "-I$(TOP)/include" $(_SPACE_)' 'LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64"' >"$cuda/bin/nvcc.profile"
  chmod +x "$cuda"/bin/* "$cuda"/nvvm/bin/*
  rm -r "$tmp"
  printf '__global__ void f(int* a) { *a = 1; }\nint main() { f<<<1, 1>>>(nullptr); }\n' >"$stage/trial.cu"
  "$cuda/bin/nvcc" -ccbin "$sysroot/cxx" $gpu_code "$stage/trial.cu" -o "$stage/trial"
  "$cuda/bin/cuobjdump" "$stage/trial"
}
gpu_code="-gencode arch=compute_70,code=[sm_70,sm_80] -gencode arch=compute_90,code=[sm_90,compute_90] -Xfatbin=-compress-all"

# pkg_config NAME FLAGS: for a library that brings no such file; in its folder.
pkg_config() {
  local version
  version=$(pinned "$(basename "$PWD")" | sed 's/.*_\([0-9.]*\)\.orig.*/\1/')
  printf 'Name: %s\nDescription: %s\nVersion: %s\nLibs: -L%s/lib %s\nCflags: -I%s/include\n' "$1" "$1" "$version" "$libraries" "$2" "$libraries" \
    >"$libraries/lib/pkgconfig/$1.pc"
}
# one_library NAME FILE.c...: compiles small libraries without their build systems.
one_library() {
  local name=$1 file
  shift
  for file in "$@"; do "$sysroot/cc" -O2 -fPIC -DNDEBUG -I. -I"$libraries/include" -c "$file" -o "$file.o"; done
  rm -f "$libraries/lib/lib$name.a" && ar rcs "$libraries/lib/lib$name.a" "${@/%/.o}"
}
with_cmake() {
  cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$sysroot/cc" -DCMAKE_CXX_COMPILER="$sysroot/cxx" -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$libraries" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@"
  cmake --build out -j "$jobs" --target install
}
sections="-ffunction-sections -fdata-sections" # of which the linker takes what is called
# As Debian 12 has them: headers, and encoders as position-independent archives that do without newer symbols.
of_debian=(libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libstb-dev libffmpeg-nvenc-dev libaom-dev libvpx-dev libwebp-dev nasm)
make_debian() {
  local name file
  rm -rf "$libraries/src/debian"
  for name in "${of_debian[@]}"; do unpack "${name}_*" "$libraries/src/debian"; done
  cd "$libraries/src/debian/usr"
  cp -r include "$libraries/"
  cp -r share/cmake "$libraries/share/"
  mkdir -p "$libraries/lib/x86_64-linux-gnu"
  cp -r lib/x86_64-linux-gnu/cmake "$libraries/lib/x86_64-linux-gnu/"
  cp lib/x86_64-linux-gnu/lib{aom,vpx,webp}.a "$libraries/lib/"
  for file in lib/x86_64-linux-gnu/pkgconfig/{aom,vpx,libwebp}.pc $(find . -name ffnvcodec.pc); do
    sed "s,^prefix=.*,prefix=$libraries,; s,/usr\b,$libraries,; s,lib/x86_64-linux-gnu,lib,; /^Requires.private/d" "$file" >"$libraries/lib/pkgconfig/$(basename "$file")"
  done
}
build_zlib() { CFLAGS='-O3 -fPIC' ./configure --prefix="$libraries" --static; make -j"$jobs" libz.a; make install; }
build_xxhash() { one_library xxhash xxhash.c; cp xxhash.h "$libraries/include/"; pkg_config libxxhash -lxxhash; }
build_libdeflate() { one_library deflate lib/*.c lib/x86/*.c; cp libdeflate.h "$libraries/include/"; pkg_config libdeflate -ldeflate; }
build_libspng() { one_library spng spng/spng.c; cp spng/spng.h "$libraries/include/"; pkg_config spng "-lspng -lz"; }
build_fmtlib() { with_cmake -DFMT_TEST=OFF -DFMT_DOC=OFF; }
build_onetbb() { with_cmake -DTBB_TEST=OFF -DTBBMALLOC_BUILD=OFF -DTBB_STRICT=OFF; }
build_hdf5() {
  CFLAGS="-O2 -fPIC $sections" ./configure --prefix="$libraries" --disable-shared --with-pic --disable-hl --disable-tests --disable-tools --with-zlib="$libraries" \
    --without-szlib --enable-build-mode=production --disable-embedded-libinfo # a text with the folder, the time and the user
  make -j"$jobs" -C src install
}
build_libmicrohttpd() {
  CFLAGS="-O2 -fPIC $sections" ./configure --prefix="$libraries" --disable-shared --with-pic --disable-https --disable-bauth --disable-dauth --disable-postprocessor \
    --disable-doc --disable-examples --disable-curl
  make -j"$jobs" -C src/include install && make -j"$jobs" -C src/microhttpd install && make install-pkgconfigDATA
}
build_ffmpeg() {
  PATH=$libraries/src/debian/usr/bin:$PATH ./configure --prefix="$libraries" --cc="$CC" --cxx="$CXX" --pkg-config-flags=--static --extra-cflags="-I$libraries/include $sections" \
    --extra-ldflags="-L$libraries/lib" --extra-libs="-lpthread -lm" --enable-pic --disable-everything --disable-autodetect --disable-programs --disable-doc \
    --disable-network --disable-avdevice --disable-avfilter --disable-swresample --disable-postproc --enable-zlib --enable-ffnvcodec --enable-nvenc \
    --enable-libaom --enable-libvpx --enable-libwebp --enable-protocol=file,pipe --enable-muxer=mp4,mov,matroska,webm,gif,apng,webp \
    --enable-demuxer=mov,matroska,gif,apng,avi,h264,hevc,mpegts,mpegps,mpegvideo,m4v,obu,ivf,ogg,flv,nut,image_jpeg_pipe,yuv4mpegpipe \
    --enable-encoder=ffv1,prores_ks,gif,png,h264_nvenc,libaom_av1,libvpx_vp9,libwebp \
    --enable-decoder=h264,hevc,vp8,vp9,libaom_av1,ffv1,prores,gif,png,apng,webp,mpeg2video,mpeg4,mjpeg,theora,flv,rawvideo \
    --enable-parser=h264,hevc,vp8,vp9,av1,png,gif,webp,mjpeg,mpegvideo,mpeg4video \
    --enable-bsf=extract_extradata,vp9_superframe,vp9_superframe_split,av1_frame_merge,av1_metadata,h264_mp4toannexb,hevc_mp4toannexb,setts,null
  PATH=$libraries/src/debian/usr/bin:$PATH make -j"$jobs" install
  grep -qx '#define CONFIG_GPL 0' config.h
}
make_library() {
  export CC=$sysroot/cc CXX=$sysroot/cxx PKG_CONFIG_LIBDIR=$libraries/lib/pkgconfig
  rm -rf "$libraries/src/${1#*/}" && unpack "${1#*/}_*.orig.*" "$libraries/src/${1#*/}"
  cd "$libraries/src/${1#*/}"
  "build_${1#*/}"
}

make_configured() {
  rm -rf "$stage/build"
  cmake -S . -B "$stage/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$root/packaging/release.cmake" -DSIMREEL_WARNINGS_AS_ERRORS=OFF
}
make_build() {
  once configured make_configured "$(cat "$stage"/{sysroot,cuda,libraries-*}.stamp packaging/release.cmake)"
  CCACHE_EXTRAFILES=$stage/cuda.stamp:$stage/sysroot.stamp cmake --build "$stage/build" -j "$jobs" --target simreel
}

# Of every part that is linked in, and the names and hashes of what it was made of.
collect_licences() {
  local to=$stage/licences name from=$libraries/src
  rm -rf "$to" && mkdir -p "$to"
  cp LICENSE "$to/simreel" && cp colormaps/README.md "$to/colormaps.md" && cp packaging/inputs.sha256 "$to/made-of.sha256"
  cp src/figure/fonts/LICENSE.DejaVu "$to/dejavu"
  for name in cub/cub.cuh thrust/iterator/counting_iterator.h; do sed '/\*\//q' "$cuda/include/$name"; done | cat - /usr/share/common-licenses/Apache-2.0 >"$to/cccl"
  cp "$from/ffmpeg/COPYING.LGPLv2.1" "$to/ffmpeg" && cp "$from/hdf5/COPYING" "$to/hdf5" && cp "$from/onetbb/LICENSE.txt" "$to/onetbb"
  cp "$from/zlib/README" "$to/zlib" && cp "$from/xxhash/LICENSE" "$to/xxhash" && cp "$from/libdeflate/COPYING" "$to/libdeflate"
  cp "$from/libspng/LICENSE" "$to/libspng" && cp "$from/fmtlib/LICENSE.rst" "$to/fmt" && cp "$cuda/License.txt" "$to/cuda"
  cp "$from/libmicrohttpd/COPYING" "$to/libmicrohttpd"
  for name in libaom-dev libvpx-dev libwebp-dev libffmpeg-nvenc-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libstb-dev; do
    cp "$from/debian/usr/share/doc/$name/copyright" "$to/${name%-dev}"
  done
  cp /usr/share/doc/libstdc++-12-dev/copyright "$to/gcc" && cp "$sysroot/copyright" "$to/glibc"
}

make_pack() {
  local version
  version=$(sed -n 's/.*version = "\(.*\)";/\1/p' src/base/version.h)
  rm -rf "$stage/installed"
  quietly "installing" cmake --install "$stage/build" --prefix "$stage/installed" --strip
  collect_licences
  "$sysroot/cc" -shared -Wl,--whole-archive "$libraries/lib/libdeflate.a" -Wl,--no-whole-archive -o "$stage/libdeflate.so"
  python3 packaging/pack.py "$version" "$stage/installed" python/simreel "$stage/licences" dist "$stage/libdeflate.so"
}

[ $# -gt 0 ] || set -- inputs sysroot cuda libraries build pack
for name in "$@"; do
  case $name in
    inputs) once inputs make_inputs "$(cat packaging/inputs.sha256) $archive" ;;
    sysroot) once sysroot make_sysroot "$(pinned "${of_sysroot[@]}") $(dpkg-query -W g++-12 binutils) $glibc $mathematics $(cat packaging/{stub_libraries.py,shims.c})" ;;
    cuda) once cuda make_cuda "$(pinned 'nvidia[^-]*(-[^-]*)*' liblz4-1) $gpu_code $(cat packaging/{fatbinary,cudafe++,recompress.py})" ;;
    libraries)
      common="$(cat "$stage/sysroot.stamp") $(declare -f one_library pkg_config with_cmake) $sections"
      once libraries/debian make_debian "$(pinned "${of_debian[@]}")"
      for library in fmtlib onetbb zlib xxhash libdeflate libspng libmicrohttpd hdf5 ffmpeg; do
        once "libraries/$library" make_library "$common $(declare -f "build_$library") $(pinned "$library" zlib "${of_debian[@]}")"
      done
      ;;
    build) make_build ;;
    pack) make_pack ;;
    *) fail "there is no stage $name" ;;
  esac
done
