#!/usr/bin/env bash
# mpi_without_headers_test.sh CMAKE SOURCE FOLDER: what a configuration does where there are mpirun and mpicxx but not MPI's headers, as on many
# clusters. FOLDER is made anew.
set -euo pipefail
cmake=$1 source=$2 folder=$3

rm -rf "$folder"
mkdir -p "$folder/bin"
cat > "$folder/bin/mpicxx" << EOT
#!/bin/sh
echo "\$@" >> "$folder/asked"
case \$1 in
  -showme:compile) echo -I$folder/gone/include ;;
  -showme:link) echo -L$folder/gone/lib -lmpi ;;
  *) exit 1 ;;
esac
EOT
for name in mpic++ mpiCC; do cp "$folder/bin/mpicxx" "$folder/bin/$name"; done
for name in mpirun mpiexec; do printf '#!/bin/sh\n' > "$folder/bin/$name"; done
chmod +x "$folder"/bin/*
export PATH=$folder/bin:$PATH

fail() {
  echo "$1"
  cat "$folder/log"
  exit 1
}
# configure NAME OPTION...: a build in FOLDER/NAME
configure() {
  rm -f "$folder/asked"
  "$cmake" -S "$source" -B "$folder/$1" -DSIMREEL_CUDA=OFF -DBUILD_TESTING=OFF "${@:2}" > "$folder/log" 2>&1
}

configure unasked || fail "cmake stopped"
[ -e "$folder/asked" ] || fail "the stand-in for mpicxx was not asked"
grep -q 'SIMREEL_MPI:BOOL=OFF' "$folder/unasked/CMakeCache.txt" || fail "MPI is not left out"
[ "$(grep -c MPI "$folder/log")" = 1 ] || fail "not one line says that MPI is left out"
configure unasked || fail "cmake stopped the second time"
[ ! -e "$folder/asked" ] || fail "MPI was looked for again"
configure off -DSIMREEL_MPI=OFF || fail "cmake stopped with SIMREEL_MPI=OFF"
[ ! -e "$folder/asked" ] || fail "MPI was looked for with SIMREEL_MPI=OFF"
! grep -q MPI "$folder/log" || fail "MPI is mentioned with SIMREEL_MPI=OFF"
! configure on -DSIMREEL_MPI=ON || fail "cmake succeeded with SIMREEL_MPI=ON"
grep -q 'SIMREEL_MPI is on, but its libraries were not found' "$folder/log" || fail "cmake does not say what is missing"
