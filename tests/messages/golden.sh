# What golden*.txt share: g/ with two small scenes, accepted unless bare=1. Six frames, the same until a droplet falls at frame 3.
png=$TESTS/messages/png.py
scene() {  # what [golden] holds, amplitude
  printf 'title = "a droplet"\n[solver]\nkind = "wave"\ngrid = [32, 18]\ntimestep = 0.5\n[[solver.droplet]]\ntime = 5\nposition = [9, 6]\n'
  printf 'amplitude = %s\n[view]\nsize = [32, 18]\nrange = [-0.1, 0.1]\n' "${2:-0.07}"
  printf '[animation]\nframes = 6\nsteps_per_frame = 4\n[golden]\n%b\n' "${1:-frames = [0, 5]}"
}
golden() {  # all that it says in one line, without the time, and the exit code
  said=$(simreel golden "$@" --backend cpu 2>&1)
  code=$?
  printf '%s [%s]\n' "$said" $code | sed 's/ in [0-9.]* s:/:/' | paste -sd ' ' - | tr -s ' '
}
check() { golden check g "$@"; }
update() { golden update g "$@"; }
accept() { update "$@" >/dev/null; }
render() { simreel render "$@" --backend cpu --progress none; }
state() { (cd g; stat -c '%n %y' -- *; cat -- *) | md5sum; }  # bytes and times of g/
untouched() { [ "$(cat out/*)" = precious ] || echo "out/ was written to"; }
rm -rf g out art d r
mkdir out
echo precious >out/victim
if [ "$bare" ] || ! cp -rp .accepted g 2>/dev/null; then
  mkdir g
  scene | tee g/a.toml >g/b.toml
  [ "$bare" ] || { accept; cp -rp g .accepted; }
fi
