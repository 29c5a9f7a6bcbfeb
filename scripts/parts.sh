# What check_gpu.sh and check_gpus.sh share; sourced, never run. Needs $results, a folder.
# shellcheck shell=bash disable=SC2154,SC2034

failures=0 # 1: a part failed

# part NAME COMMAND...: runs it, keeps its output, says how it went.
part() {
  local name=$1 start=$SECONDS
  shift
  if "$@" >"$results/$name.txt" 2>&1; then
    printf '%-28s ok      %4d s\n' "$name" $((SECONDS - start))
  else
    printf '%-28s FAILED  %4d s; see %s\n' "$name" $((SECONDS - start)) "$results/$name.txt"
    tail -n 15 "$results/$name.txt"
    failures=1
  fi
}
