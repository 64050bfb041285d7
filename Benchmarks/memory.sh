#!/usr/bin/env bash
# The peak memory of run, partial, merge, erase and redrive, and their time, for values of --memory. Prints a table in
# Markdown: the size of temporary files or the number of partials, the peak, processor and wall time.
#
#   Benchmarks/memory.sh                        4,000,000 lines about 1,000,000 people; 1G to 64M
#   Benchmarks/memory.sh --quick                100,000 lines: to see whether it works
#   Benchmarks/memory.sh --lines 40000000 64M   other lines and values
#   EVENTMILL=PROGRAM Benchmarks/memory.sh      another program, to compare
#
# Everything goes to .build/memory. Needs Python 3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'memory: %s\n' "$1" >&2
  exit 2
}

lines=4000000 values=()
while (($#)); do
  case "$1" in
  --quick) lines=100000 ;;
  --lines)
    (($# > 1)) || fail "--lines needs a value"
    lines="$2"
    shift
    ;;
  [0-9]*) values+=("$1") ;;
  *) fail "unknown option $1; there are --quick, --lines N, and values of --memory" ;;
  esac
  shift
done
((${#values[@]})) || values=(1G 512M 256M 128M 64M)

eventmill="${EVENTMILL:-$(scripts/build-release.sh 2>/dev/null)}"
work="$PWD/.build/memory"
rm -rf "$work"
mkdir -p "$work/parts" "$work/partials"
"$eventmill" generate --quiet --lines "$lines" --users "$((lines / 4))" --seed 1 >"$work/log.ndjson"
split -n l/200 -a 3 --additional-suffix .ndjson "$work/log.ndjson" "$work/parts/"
for part in "$work"/parts/*; do
  name="$(basename "$part" .ndjson)"
  "$eventmill" cluster partial --quiet --out "$work/partials/$name" "$part" >/dev/null
done
printf '{"custom_id":"user-0000001"}\n' >"$work/requests"
# Every line is rejected for its time.
"$eventmill" run --quiet --not-after 2000-01-02 --max-rejects 100% --out "$work/rejected" "$work/log.ndjson" >/dev/null

# Runs a command, and sets its peak and that of its temporary files in MiB, processor and wall seconds.
measure() {
  python3 -c '
import glob, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
most = 0
while True:
    ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    if ended: break
    size = 0
    for path in glob.glob(sys.argv[1] + "/.*/work/*"):
        try: size += os.stat(path).st_size
        except FileNotFoundError: pass
    most = max(most, size)
    time.sleep(0.05)
print(round(usage.ru_maxrss / 1024), most >> 20, round(usage.ru_utime + usage.ru_stime, 1),
      round(time.perf_counter() - start, 1))
sys.exit(os.waitstatus_to_exitcode(status))' "$work" "$eventmill" "$@" --quiet >"$work/result" || fail "$1 failed"
  read -r peak files cpu wall <"$work/result"
}

# A row of the table: the command, the value, files or partials, and the figures.
row() { printf '| `%s` | %s | %s | %s MiB | %s s | %s s |\n' "$@"; }

printf '| command | `--memory` | files or partials | peak | processor | wall |\n|---|---|---|---|---|---|\n'
for memory in "${values[@]}"; do
  for command in run "cluster partial"; do
    # shellcheck disable=SC2086  # the words of a command
    measure $command --replace --memory "$memory" --out "$work/${command#* }" "$work/log.ndjson"
    row "${command#* }" "$memory" "$files MiB" "$peak" "$cpu" "$wall"
  done
  measure erase --replace --memory "$memory" --requests "$work/requests" --out "$work/erase" "$work/run"
  row erase "$memory" "$files MiB" "$peak" "$cpu" "$wall"
  rm -rf "$work/merge"
  for step in "--step installations --partition 0" "--step people --partition 0" "--step finish"; do
    sources=()
    [[ "$step" == "--step finish" ]] || sources=("$work"/partials/*)
    # shellcheck disable=SC2086  # the step and its partition
    measure cluster merge $step --memory "$memory" --out "$work/merge" "${sources[@]}"
    row "merge ${step% --partition 0}" "$memory" "${#sources[@]} partials" "$peak" "$cpu" "$wall"
  done
done
# Keeps nothing.
measure redrive --out "$work/redrive" "$work/rejected"
row redrive – – "$peak" "$cpu" "$wall"
